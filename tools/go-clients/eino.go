package main

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/cloudwego/eino-ext/components/model/claude"
	einoopenai "github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"
)

// eino is eino with one of its models.
type eino struct {
	open        func(context.Context, einoOptions) (model.ToolCallingChatModel, error)
	statusOf    func(error) (int, bool)
	thoughtOf   func(*schema.Message) string
	unsupported map[string]string
	// sorts reports whether it writes the properties of a schema in alphabetical order.
	sorts bool
}

type einoOptions struct {
	model                string
	structured, reasoned bool
}

func newEinoOpenAI(baseURL string) eino {
	return eino{
		open: func(ctx context.Context, options einoOptions) (model.ToolCallingChatModel, error) {
			config := &einoopenai.ChatModelConfig{BaseURL: baseURL, APIKey: "any", Model: options.model}
			if options.structured {
				config.ResponseFormat = &einoopenai.ChatCompletionResponseFormat{
					Type: einoopenai.ChatCompletionResponseFormatTypeJSONSchema,
					JSONSchema: &einoopenai.ChatCompletionResponseFormatJSONSchema{
						Name:       "person",
						JSONSchema: einoPersonSchema(),
						Strict:     true,
					},
				}
			}
			return einoopenai.NewChatModel(ctx, config)
		},
		statusOf: func(err error) (int, bool) {
			var failure *einoopenai.APIError
			if !errors.As(err, &failure) {
				return 0, false
			}
			return failure.HTTPStatusCode, true
		},
		unsupported: map[string]string{
			"strict streamed tools": "it sends no strict flag of a tool",
			"reasoning":             "its messages keep no reasoning_details",
		},
	}
}

func newEinoClaude(baseURL string) eino {
	return eino{
		open: func(ctx context.Context, options einoOptions) (model.ToolCallingChatModel, error) {
			config := &claude.Config{BaseURL: &baseURL, APIKey: "any", Model: options.model, MaxTokens: 4000}
			if options.structured {
				config.ResponseFormat = &claude.ResponseFormat{Schema: einoPersonSchema()}
			}
			if options.reasoned {
				thinking := anthropic.ThinkingConfigParamOfEnabled(1024)
				config.ThinkingConfig = &thinking
			}
			return claude.NewChatModel(ctx, config)
		},
		statusOf: anthropicMessages{}.status,
		thoughtOf: func(message *schema.Message) string {
			thought, _ := claude.GetThinking(message)
			return thought
		},
		unsupported: map[string]string{"strict streamed tools": "it sends no strict flag of a tool"},
		sorts:       true,
	}
}

func einoPersonSchema() *jsonschema.Schema {
	reflector := jsonschema.Reflector{DoNotReference: true}
	return reflector.Reflect(person{})
}

func (c eino) status(err error) (int, bool) {
	return c.statusOf(err)
}

// isStreamError reports whether the error is not one of the context: some errors of streams have no type.
func (eino) isStreamError(err error) bool {
	return err != nil && !errors.Is(err, context.Canceled)
}

func (c eino) refusal(name string) error {
	if reason, isUnsupported := c.unsupported[name]; isUnsupported {
		return unsupported(reason)
	}
	return nil
}

func einoMessages(asked question) []*schema.Message {
	return []*schema.Message{schema.UserMessage(asked.Prompt)}
}

func (t tool) toEino() *schema.ToolInfo {
	return &schema.ToolInfo{
		Name: t.name,
		Desc: t.description,
		ParamsOneOf: schema.NewParamsOneOfByParams(map[string]*schema.ParameterInfo{
			t.parameter: {Type: schema.String, Required: true},
		}),
	}
}

func (c eino) generate(
	ctx context.Context, options einoOptions, messages []*schema.Message, tools ...tool,
) (*schema.Message, error) {
	chat, err := c.open(ctx, options)
	if err != nil {
		return nil, err
	}
	if len(tools) > 0 {
		var declared []*schema.ToolInfo
		for _, t := range tools {
			declared = append(declared, t.toEino())
		}
		if chat, err = chat.WithTools(declared); err != nil {
			return nil, err
		}
	}
	return chat.Generate(ctx, messages)
}

func (c eino) text(ctx context.Context, asked question) (seen, error) {
	message, err := c.generate(ctx, einoOptions{model: asked.Model}, einoMessages(asked))
	if err != nil {
		return seen{}, err
	}
	return seen{Text: message.Content, Usage: einoUsage(message)}, nil
}

func einoUsage(message *schema.Message) *usage {
	used := message.ResponseMeta.Usage
	return &usage{int64(used.PromptTokens), int64(used.CompletionTokens)}
}

func (c eino) stream(ctx context.Context, asked question) (seen, error) {
	var saw seen
	var chunks []*schema.Message
	for chunk, err := range c.chunks(ctx, einoOptions{model: asked.Model}, asked) {
		if err != nil {
			return seen{}, err
		}
		saw.Deltas = append(saw.Deltas, chunk.Content)
		chunks = append(chunks, chunk)
	}
	message, err := schema.ConcatMessages(chunks)
	if err != nil {
		return seen{}, err
	}
	saw.Usage = einoUsage(message)
	return saw, nil
}

func (c eino) chunks(ctx context.Context, options einoOptions, asked question) iter.Seq2[*schema.Message, error] {
	return func(yield func(*schema.Message, error) bool) {
		chat, err := c.open(ctx, options)
		if err != nil {
			yield(nil, err)
			return
		}
		stream, err := chat.Stream(ctx, einoMessages(asked))
		if err != nil {
			yield(nil, err)
			return
		}
		defer stream.Close()
		for {
			chunk, err := stream.Recv()
			if errors.Is(err, io.EOF) || !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

func (c eino) twoTools(ctx context.Context, asked question) (seen, error) {
	first, second, err := c.answerCalls(ctx, einoOptions{model: asked.Model}, asked, tools...)
	if err != nil {
		return seen{}, err
	}
	var calls []call
	for _, called := range first.ToolCalls {
		calls = append(calls, newCall(called.Function.Name, called.Function.Arguments))
	}
	return seen{Calls: calls, Text: second.Content}, nil
}

// answerCalls asks, sends the results of the calls back, and returns both messages.
func (c eino) answerCalls(
	ctx context.Context, options einoOptions, asked question, tools ...tool,
) (first, second *schema.Message, err error) {
	messages := einoMessages(asked)
	if first, err = c.generate(ctx, options, messages, tools...); err != nil {
		return nil, nil, err
	}
	messages = append(messages, first)
	for _, called := range first.ToolCalls {
		messages = append(messages, schema.ToolMessage(resultOf(called.Function.Name), called.ID))
	}
	second, err = c.generate(ctx, options, messages, tools...)
	return first, second, err
}

func (c eino) strictStreamedTools(_ context.Context, asked question) (seen, error) {
	return seen{}, c.refusal(asked.Case)
}

func (c eino) structured(ctx context.Context, asked question) (seen, error) {
	options := einoOptions{model: asked.Model, structured: true}
	message, err := c.generate(ctx, options, einoMessages(asked))
	if err != nil {
		return seen{}, err
	}
	value, err := parsePerson(message.Content)
	if err != nil {
		return seen{}, err
	}
	var text string
	for chunk, err := range c.chunks(ctx, options, asked) {
		if err != nil {
			return seen{}, err
		}
		text += chunk.Content
	}
	streamed, err := parsePerson(text)
	return seen{Value: value, Streamed: streamed, Sorted: c.sorts}, err
}

func (c eino) image(ctx context.Context, asked question) (seen, error) {
	messages := []*schema.Message{{
		Role: schema.User,
		UserInputMultiContent: []schema.MessageInputPart{
			{Type: schema.ChatMessagePartTypeText, Text: asked.Prompt},
			{
				Type: schema.ChatMessagePartTypeImageURL,
				Image: &schema.MessageInputImage{
					MessagePartCommon: schema.MessagePartCommon{Base64Data: &asked.Image, MIMEType: "image/png"},
				},
			},
		},
	}}
	message, err := c.generate(ctx, einoOptions{model: asked.Model}, messages)
	if err != nil {
		return seen{}, err
	}
	return seen{Text: message.Content}, nil
}

func (c eino) reasoning(ctx context.Context, asked question) (seen, error) {
	if err := c.refusal(asked.Case); err != nil {
		return seen{}, err
	}
	first, second, err := c.answerCalls(ctx, einoOptions{model: asked.Model, reasoned: true}, asked, weather)
	if err != nil {
		return seen{}, err
	}
	return seen{Reasoning: c.thoughtOf(first), Text: second.Content}, nil
}

func (c eino) deltas(ctx context.Context, asked question) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for chunk, err := range c.chunks(ctx, einoOptions{model: asked.Model}, asked) {
			if err != nil {
				yield("", err)
				return
			}
			if !yield(chunk.Content, nil) {
				return
			}
		}
	}
}
