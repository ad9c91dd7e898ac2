package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"
)

func newOpenAI(baseURL string) openai.Client {
	return openai.NewClient(option.WithBaseURL(baseURL), option.WithAPIKey("any"), option.WithMaxRetries(0))
}

// openaiErrors recognizes the errors of openai-go.
type openaiErrors struct{}

func (openaiErrors) status(err error) (int, bool) {
	var failure *openai.Error
	if !errors.As(err, &failure) {
		return 0, false
	}
	return failure.StatusCode, true
}

func (openaiErrors) isStreamError(err error) bool {
	var failure *ssestream.StreamError
	return errors.As(err, &failure)
}

// openaiChat is openai-go with chat completions.
type openaiChat struct {
	openaiErrors
	completions openai.ChatCompletionService
}

func newChatParams(asked question) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    asked.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(asked.Prompt)},
	}
}

func (t tool) toChat() openai.ChatCompletionToolUnionParam {
	return openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name:        t.name,
		Description: openai.String(t.description),
		Parameters:  t.schema(),
	})
}

func (c openaiChat) text(ctx context.Context, asked question) (seen, error) {
	completion, err := c.completions.New(ctx, newChatParams(asked))
	if err != nil {
		return seen{}, err
	}
	used := completion.Usage
	text := completion.Choices[0].Message.Content
	return seen{Text: text, Usage: &usage{used.PromptTokens, used.CompletionTokens}}, nil
}

func (c openaiChat) stream(ctx context.Context, asked question) (seen, error) {
	params := newChatParams(asked)
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	var saw seen
	completion, err := c.accumulate(ctx, params, func(delta string) { saw.Deltas = append(saw.Deltas, delta) })
	if err != nil {
		return seen{}, err
	}
	saw.Usage = &usage{completion.Usage.PromptTokens, completion.Usage.CompletionTokens}
	return saw, nil
}

// accumulate streams a completion and returns it when it is complete.
func (c openaiChat) accumulate(
	ctx context.Context, params openai.ChatCompletionNewParams, onDelta func(string),
) (*openai.ChatCompletion, error) {
	stream := c.completions.NewStreaming(ctx, params)
	defer stream.Close()
	var accumulator openai.ChatCompletionAccumulator
	for stream.Next() {
		chunk := stream.Current()
		if !accumulator.AddChunk(chunk) {
			return nil, errors.New("the accumulator refused a chunk: " + chunk.RawJSON())
		}
		for _, choice := range chunk.Choices {
			onDelta(choice.Delta.Content)
		}
	}
	return &accumulator.ChatCompletion, stream.Err()
}

func (c openaiChat) twoTools(ctx context.Context, asked question) (seen, error) {
	params := newChatParams(asked)
	for _, t := range tools {
		params.Tools = append(params.Tools, t.toChat())
	}
	first, second, err := c.answerCalls(ctx, params)
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: chatCalls(first), Text: second.Content}, nil
}

// answerCalls asks, sends the results of the calls back, and returns the messages of both responses.
func (c openaiChat) answerCalls(
	ctx context.Context, params openai.ChatCompletionNewParams,
) (first, second openai.ChatCompletionMessage, err error) {
	completion, err := c.completions.New(ctx, params)
	if err != nil {
		return first, second, err
	}
	first = completion.Choices[0].Message
	params.Messages = append(params.Messages, toAssistant(first))
	for _, called := range first.ToolCalls {
		params.Messages = append(params.Messages, openai.ToolMessage(resultOf(called.Function.Name), called.ID))
	}
	completion, err = c.completions.New(ctx, params)
	if err != nil {
		return first, second, err
	}
	return first, completion.Choices[0].Message, nil
}

// toAssistant returns a message to the model. `ToAssistantMessageParam` leaves out the fields that have no type, so the
// reasoning is added.
func toAssistant(message openai.ChatCompletionMessage) openai.ChatCompletionMessageParamUnion {
	assistant := message.ToAssistantMessageParam()
	if details, isPresent := message.JSON.ExtraFields["reasoning_details"]; isPresent {
		assistant.SetExtraFields(map[string]any{"reasoning_details": json.RawMessage(details.Raw())})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &assistant}
}

func chatCalls(message openai.ChatCompletionMessage) []call {
	var calls []call
	for _, called := range message.ToolCalls {
		calls = append(calls, newCall(called.Function.Name, called.Function.Arguments))
	}
	return calls
}

func (c openaiChat) strictStreamedTools(ctx context.Context, asked question) (seen, error) {
	params := newChatParams(asked)
	for _, t := range tools {
		strict := t.toChat()
		strict.OfFunction.Function.Strict = openai.Bool(true)
		params.Tools = append(params.Tools, strict)
	}
	completion, err := c.accumulate(ctx, params, func(string) {})
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: chatCalls(completion.Choices[0].Message)}, nil
}

func (c openaiChat) structured(ctx context.Context, asked question) (seen, error) {
	params := newChatParams(asked)
	params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name:   "person",
			Schema: personSchema(),
			Strict: openai.Bool(true),
		},
	}
	completion, err := c.completions.New(ctx, params)
	if err != nil {
		return seen{}, err
	}
	value, err := parsePerson(completion.Choices[0].Message.Content)
	if err != nil {
		return seen{}, err
	}
	completion, err = c.accumulate(ctx, params, func(string) {})
	if err != nil {
		return seen{}, err
	}
	streamed, err := parsePerson(completion.Choices[0].Message.Content)
	return seen{Value: value, Streamed: streamed}, err
}

func (c openaiChat) image(ctx context.Context, asked question) (seen, error) {
	params := newChatParams(asked)
	params.Messages = []openai.ChatCompletionMessageParamUnion{
		openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart(asked.Prompt),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
				URL: "data:image/png;base64," + asked.Image,
			}),
		}),
	}
	completion, err := c.completions.New(ctx, params)
	if err != nil {
		return seen{}, err
	}
	return seen{Text: completion.Choices[0].Message.Content}, nil
}

func (c openaiChat) reasoning(ctx context.Context, asked question) (seen, error) {
	params := newChatParams(asked)
	params.Tools = []openai.ChatCompletionToolUnionParam{weather.toChat()}
	params.ReasoningEffort = openai.ReasoningEffortLow
	first, second, err := c.answerCalls(ctx, params)
	if err != nil {
		return seen{}, err
	}
	var reasoning string
	if err := json.Unmarshal([]byte(first.JSON.ExtraFields["reasoning_content"].Raw()), &reasoning); err != nil {
		return seen{}, err
	}
	return seen{Reasoning: reasoning, Text: second.Content}, nil
}

func (c openaiChat) deltas(ctx context.Context, asked question) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		stream := c.completions.NewStreaming(ctx, newChatParams(asked))
		defer stream.Close()
		for stream.Next() {
			for _, choice := range stream.Current().Choices {
				if !yield(choice.Delta.Content, nil) {
					return
				}
			}
		}
		if err := stream.Err(); err != nil {
			yield("", err)
		}
	}
}
