package main

import (
	"context"
	"encoding/base64"
	"errors"
	"iter"
	"regexp"
	"strconv"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"
)

// langchaingo is langchaingo with one of its models.
type langchaingo struct {
	open func(structured bool) (llms.Model, error)
	// toMessages returns the messages with the calls of a response.
	toMessages func(calls []llms.ContentPart) []llms.MessageContent
	toImage    func(data string) (llms.ContentPart, error)
	// The names of the counters in the information about a generation.
	inputTokens, outputTokens string
	// Why it cannot express a case.
	unsupported map[string]string
}

func newLangchaingoOpenAI(baseURL string) langchaingo {
	return langchaingo{
		open: func(structured bool) (llms.Model, error) {
			options := []openai.Option{openai.WithBaseURL(baseURL), openai.WithToken("any"), openai.WithModel("any")}
			if structured {
				options = append(options, openai.WithResponseFormat(personFormat))
			}
			return openai.New(options...)
		},
		toMessages: func(calls []llms.ContentPart) []llms.MessageContent {
			return []llms.MessageContent{{Role: llms.ChatMessageTypeAI, Parts: calls}}
		},
		toImage: func(data string) (llms.ContentPart, error) {
			return llms.ImageURLPart("data:image/png;base64," + data), nil
		},
		inputTokens:  "PromptTokens",
		outputTokens: "CompletionTokens",
		unsupported: map[string]string{
			"reasoning":     "it requests no reasoning and returns none",
			"broken stream": "it ignores errors in a stream",
		},
	}
}

func newLangchaingoAnthropic(baseURL string) langchaingo {
	return langchaingo{
		open: func(bool) (llms.Model, error) {
			return anthropic.New(anthropic.WithBaseURL(baseURL), anthropic.WithToken("any"), anthropic.WithModel("any"))
		},
		// Its Anthropic model reads only the first part of a message of the assistant.
		toMessages: func(calls []llms.ContentPart) []llms.MessageContent {
			var messages []llms.MessageContent
			for _, called := range calls {
				messages = append(messages, llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{called}})
			}
			return messages
		},
		toImage: func(data string) (llms.ContentPart, error) {
			decoded, err := base64.StdEncoding.DecodeString(data)
			return llms.BinaryPart("image/png", decoded), err
		},
		inputTokens:  "InputTokens",
		outputTokens: "OutputTokens",
		unsupported: map[string]string{
			"strict streamed tools": "it sends no strict flag in Anthropic's format",
			"structured":            "it sends no schema of the response in Anthropic's format",
			"reasoning":             "it returns no reasoning to the model",
		},
	}
}

// personFormat has the type that the library has for schemas. It writes the properties in alphabetical order.
var personFormat = &openai.ResponseFormat{
	Type: "json_schema",
	JSONSchema: &openai.ResponseFormatJSONSchema{
		Name:   "person",
		Strict: true,
		Schema: &openai.ResponseFormatJSONSchemaProperty{
			Type: "object",
			Properties: map[string]*openai.ResponseFormatJSONSchemaProperty{
				"name": {Type: "string"},
				"age":  {Type: "integer"},
			},
			Required: []string{"name", "age"},
		},
	},
}

var statusInMessage = regexp.MustCompile(`unexpected status code: (\d+)`)

// status reads the message, because the errors of the library have no status.
func (langchaingo) status(err error) (int, bool) {
	if err == nil {
		return 0, false
	}
	found := statusInMessage.FindStringSubmatch(err.Error())
	if found == nil {
		return 0, false
	}
	status, err := strconv.Atoi(found[1])
	return status, err == nil
}

func (langchaingo) isStreamError(err error) bool {
	return err != nil
}

func (c langchaingo) refusal(name string) error {
	if reason, isUnsupported := c.unsupported[name]; isUnsupported {
		return unsupported(reason)
	}
	return nil
}

// generation is one call of the model.
type generation struct {
	messages   []llms.MessageContent
	tools      []llms.Tool
	structured bool
	onDelta    func(string) error
}

func newGeneration(asked question) generation {
	return generation{messages: []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, asked.Prompt)}}
}

func (c langchaingo) generate(ctx context.Context, asked question, call generation) (*llms.ContentResponse, error) {
	model, err := c.open(call.structured)
	if err != nil {
		return nil, err
	}
	options := []llms.CallOption{llms.WithModel(asked.Model), llms.WithMaxTokens(4000), llms.WithTools(call.tools)}
	if call.onDelta != nil {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			return call.onDelta(string(chunk))
		}))
	}
	return model.GenerateContent(ctx, call.messages, options...)
}

func (c langchaingo) text(ctx context.Context, asked question) (seen, error) {
	response, err := c.generate(ctx, asked, newGeneration(asked))
	if err != nil {
		return seen{}, err
	}
	return seen{Text: responseText(response), Usage: c.usage(response)}, nil
}

func responseText(response *llms.ContentResponse) string {
	var text string
	for _, choice := range response.Choices {
		text += choice.Content
	}
	return text
}

func (c langchaingo) usage(response *llms.ContentResponse) *usage {
	information := response.Choices[0].GenerationInfo
	input, _ := information[c.inputTokens].(int)
	output, _ := information[c.outputTokens].(int)
	return &usage{int64(input), int64(output)}
}

func (c langchaingo) stream(ctx context.Context, asked question) (seen, error) {
	var saw seen
	call := newGeneration(asked)
	call.onDelta = func(delta string) error {
		saw.Deltas = append(saw.Deltas, delta)
		return nil
	}
	response, err := c.generate(ctx, asked, call)
	if err != nil {
		return seen{}, err
	}
	saw.Usage = c.usage(response)
	return saw, nil
}

func toLangchaingo(strict bool) []llms.Tool {
	var converted []llms.Tool
	for _, t := range tools {
		converted = append(converted, llms.Tool{
			Type: "function",
			Function: &llms.FunctionDefinition{
				Name:        t.name,
				Description: t.description,
				Parameters:  t.schema(),
				Strict:      strict,
			},
		})
	}
	return converted
}

func (c langchaingo) twoTools(ctx context.Context, asked question) (seen, error) {
	request := newGeneration(asked)
	request.tools = toLangchaingo(false)
	first, err := c.generate(ctx, asked, request)
	if err != nil {
		return seen{}, err
	}
	request.messages = append(request.messages, c.answer(first)...)
	second, err := c.generate(ctx, asked, request)
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: langchaingoCalls(first), Text: responseText(second)}, nil
}

// answer returns the messages with the calls of a response and with their results.
func (c langchaingo) answer(response *llms.ContentResponse) []llms.MessageContent {
	var calls []llms.ContentPart
	var results []llms.MessageContent
	for _, choice := range response.Choices {
		for _, called := range choice.ToolCalls {
			name := called.FunctionCall.Name
			result := llms.ToolCallResponse{ToolCallID: called.ID, Name: name, Content: resultOf(name)}
			calls = append(calls, called)
			results = append(results, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{result}})
		}
	}
	return append(c.toMessages(calls), results...)
}

func langchaingoCalls(response *llms.ContentResponse) []call {
	var calls []call
	for _, choice := range response.Choices {
		for _, called := range choice.ToolCalls {
			calls = append(calls, newCall(called.FunctionCall.Name, called.FunctionCall.Arguments))
		}
	}
	return calls
}

func (c langchaingo) strictStreamedTools(ctx context.Context, asked question) (seen, error) {
	if err := c.refusal(asked.Case); err != nil {
		return seen{}, err
	}
	request := newGeneration(asked)
	request.tools = toLangchaingo(true)
	request.onDelta = func(string) error { return nil }
	response, err := c.generate(ctx, asked, request)
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: langchaingoCalls(response)}, nil
}

func (c langchaingo) structured(ctx context.Context, asked question) (seen, error) {
	if err := c.refusal(asked.Case); err != nil {
		return seen{}, err
	}
	request := newGeneration(asked)
	request.structured = true
	response, err := c.generate(ctx, asked, request)
	if err != nil {
		return seen{}, err
	}
	value, err := parsePerson(responseText(response))
	if err != nil {
		return seen{}, err
	}
	request.onDelta = func(string) error { return nil }
	response, err = c.generate(ctx, asked, request)
	if err != nil {
		return seen{}, err
	}
	streamed, err := parsePerson(responseText(response))
	return seen{Value: value, Streamed: streamed, Sorted: true}, err
}

func (c langchaingo) image(ctx context.Context, asked question) (seen, error) {
	image, err := c.toImage(asked.Image)
	if err != nil {
		return seen{}, err
	}
	request := newGeneration(asked)
	request.messages[0].Parts = append(request.messages[0].Parts, image)
	response, err := c.generate(ctx, asked, request)
	if err != nil {
		return seen{}, err
	}
	return seen{Text: responseText(response)}, nil
}

func (c langchaingo) reasoning(context.Context, question) (seen, error) {
	return seen{}, c.refusal("reasoning")
}

// errStopped ends a stream whose texts nobody reads any more.
var errStopped = errors.New("stopped")

func (c langchaingo) deltas(ctx context.Context, asked question) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := c.refusal(asked.Case); err != nil {
			yield("", err)
			return
		}
		request := newGeneration(asked)
		request.onDelta = func(delta string) error {
			if !yield(delta, nil) {
				return errStopped
			}
			return nil
		}
		_, err := c.generate(ctx, asked, request)
		// Its OpenAI model returns what has arrived when the context is cancelled.
		if err = errors.Join(err, ctx.Err()); err != nil && !errors.Is(err, errStopped) {
			yield("", err)
		}
	}
}
