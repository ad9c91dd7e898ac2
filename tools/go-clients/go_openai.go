package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"

	gopenai "github.com/sashabaranov/go-openai"
)

// goOpenAI is go-openai with chat completions.
type goOpenAI struct {
	client *gopenai.Client
}

func newGoOpenAI(baseURL string) goOpenAI {
	config := gopenai.DefaultConfig("any")
	config.BaseURL = baseURL
	return goOpenAI{gopenai.NewClientWithConfig(config)}
}

func (goOpenAI) status(err error) (int, bool) {
	var failure *gopenai.APIError
	if !errors.As(err, &failure) {
		return 0, false
	}
	return failure.HTTPStatusCode, true
}

// isStreamError reports whether the error is an event of a stream, which has no status.
func (c goOpenAI) isStreamError(err error) bool {
	status, isStatus := c.status(err)
	return isStatus && status == 0
}

func newGoOpenAIRequest(asked question) gopenai.ChatCompletionRequest {
	return gopenai.ChatCompletionRequest{
		Model:    asked.Model,
		Messages: []gopenai.ChatCompletionMessage{{Role: gopenai.ChatMessageRoleUser, Content: asked.Prompt}},
	}
}

func (t tool) toGoOpenAI(strict bool) gopenai.Tool {
	return gopenai.Tool{
		Type: gopenai.ToolTypeFunction,
		Function: &gopenai.FunctionDefinition{
			Name:        t.name,
			Description: t.description,
			Parameters:  t.schema(),
			Strict:      strict,
		},
	}
}

func (c goOpenAI) text(ctx context.Context, asked question) (seen, error) {
	completion, err := c.client.CreateChatCompletion(ctx, newGoOpenAIRequest(asked))
	if err != nil {
		return seen{}, err
	}
	used := completion.Usage
	text := completion.Choices[0].Message.Content
	return seen{Text: text, Usage: &usage{int64(used.PromptTokens), int64(used.CompletionTokens)}}, nil
}

func (c goOpenAI) stream(ctx context.Context, asked question) (seen, error) {
	request := newGoOpenAIRequest(asked)
	request.StreamOptions = &gopenai.StreamOptions{IncludeUsage: true}
	var saw seen
	for chunk, err := range c.chunks(ctx, request) {
		if err != nil {
			return seen{}, err
		}
		if chunk.Usage != nil {
			saw.Usage = &usage{int64(chunk.Usage.PromptTokens), int64(chunk.Usage.CompletionTokens)}
		}
		for _, choice := range chunk.Choices {
			saw.Deltas = append(saw.Deltas, choice.Delta.Content)
		}
	}
	return saw, nil
}

func (c goOpenAI) chunks(
	ctx context.Context, request gopenai.ChatCompletionRequest,
) iter.Seq2[gopenai.ChatCompletionStreamResponse, error] {
	return func(yield func(gopenai.ChatCompletionStreamResponse, error) bool) {
		stream, err := c.client.CreateChatCompletionStream(ctx, request)
		if err != nil {
			yield(gopenai.ChatCompletionStreamResponse{}, err)
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

func (c goOpenAI) twoTools(ctx context.Context, asked question) (seen, error) {
	request := newGoOpenAIRequest(asked)
	for _, t := range tools {
		request.Tools = append(request.Tools, t.toGoOpenAI(false))
	}
	completion, err := c.client.CreateChatCompletion(ctx, request)
	if err != nil {
		return seen{}, err
	}
	first := completion.Choices[0].Message
	request.Messages = append(request.Messages, first)
	for _, called := range first.ToolCalls {
		request.Messages = append(request.Messages, gopenai.ChatCompletionMessage{
			Role:       gopenai.ChatMessageRoleTool,
			Content:    resultOf(called.Function.Name),
			ToolCallID: called.ID,
		})
	}
	completion, err = c.client.CreateChatCompletion(ctx, request)
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: goOpenAICalls(first.ToolCalls), Text: completion.Choices[0].Message.Content}, nil
}

func goOpenAICalls(called []gopenai.ToolCall) []call {
	var calls []call
	for _, each := range called {
		calls = append(calls, newCall(each.Function.Name, each.Function.Arguments))
	}
	return calls
}

func (c goOpenAI) strictStreamedTools(ctx context.Context, asked question) (seen, error) {
	request := newGoOpenAIRequest(asked)
	for _, t := range tools {
		request.Tools = append(request.Tools, t.toGoOpenAI(true))
	}
	var calls []gopenai.ToolCall
	for chunk, err := range c.chunks(ctx, request) {
		if err != nil {
			return seen{}, err
		}
		for _, choice := range chunk.Choices {
			calls = addFragments(calls, choice.Delta.ToolCalls)
		}
	}
	return seen{Calls: goOpenAICalls(calls)}, nil
}

// addFragments adds fragments to the calls with their index. The library leaves this to its users.
func addFragments(calls, fragments []gopenai.ToolCall) []gopenai.ToolCall {
	for _, fragment := range fragments {
		if *fragment.Index == len(calls) {
			calls = append(calls, fragment)
		} else {
			calls[*fragment.Index].Function.Arguments += fragment.Function.Arguments
		}
	}
	return calls
}

func (c goOpenAI) structured(ctx context.Context, asked question) (seen, error) {
	schema, err := json.Marshal(personSchema())
	if err != nil {
		return seen{}, err
	}
	request := newGoOpenAIRequest(asked)
	request.ResponseFormat = &gopenai.ChatCompletionResponseFormat{
		Type: gopenai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &gopenai.ChatCompletionResponseFormatJSONSchema{
			Name:   "person",
			Schema: json.RawMessage(schema),
			Strict: true,
		},
	}
	completion, err := c.client.CreateChatCompletion(ctx, request)
	if err != nil {
		return seen{}, err
	}
	value, err := parsePerson(completion.Choices[0].Message.Content)
	if err != nil {
		return seen{}, err
	}
	var text strings.Builder
	for delta, err := range c.texts(ctx, request) {
		if err != nil {
			return seen{}, err
		}
		text.WriteString(delta)
	}
	streamed, err := parsePerson(text.String())
	return seen{Value: value, Streamed: streamed}, err
}

func (c goOpenAI) image(ctx context.Context, asked question) (seen, error) {
	request := newGoOpenAIRequest(asked)
	request.Messages = []gopenai.ChatCompletionMessage{{
		Role: gopenai.ChatMessageRoleUser,
		MultiContent: []gopenai.ChatMessagePart{
			{Type: gopenai.ChatMessagePartTypeText, Text: asked.Prompt},
			{
				Type:     gopenai.ChatMessagePartTypeImageURL,
				ImageURL: &gopenai.ChatMessageImageURL{URL: "data:image/png;base64," + asked.Image},
			},
		},
	}}
	completion, err := c.client.CreateChatCompletion(ctx, request)
	if err != nil {
		return seen{}, err
	}
	return seen{Text: completion.Choices[0].Message.Content}, nil
}

// A message of the library has no field for `reasoning_details`, which contains the signature.
func (goOpenAI) reasoning(context.Context, question) (seen, error) {
	return seen{}, unsupported("its messages keep no reasoning_details")
}

func (c goOpenAI) deltas(ctx context.Context, asked question) iter.Seq2[string, error] {
	return c.texts(ctx, newGoOpenAIRequest(asked))
}

func (c goOpenAI) texts(ctx context.Context, request gopenai.ChatCompletionRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for chunk, err := range c.chunks(ctx, request) {
			if err != nil {
				yield("", err)
				return
			}
			for _, choice := range chunk.Choices {
				if !yield(choice.Delta.Content, nil) {
					return
				}
			}
		}
	}
}
