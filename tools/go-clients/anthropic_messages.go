package main

import (
	"context"
	"errors"
	"iter"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// anthropicMessages is anthropic-sdk-go.
type anthropicMessages struct {
	messages anthropic.MessageService
}

func newAnthropicMessages(baseURL string) anthropicMessages {
	client := anthropic.NewClient(option.WithBaseURL(baseURL), option.WithAPIKey("any"), option.WithMaxRetries(0))
	return anthropicMessages{client.Messages}
}

func (anthropicMessages) status(err error) (int, bool) {
	var failure *anthropic.Error
	if !errors.As(err, &failure) {
		return 0, false
	}
	return failure.StatusCode, true
}

// isStreamError reports whether the error is an event of a stream: it has the status of the stream, which began well.
func (c anthropicMessages) isStreamError(err error) bool {
	status, isStatus := c.status(err)
	return isStatus && status == 200
}

func newMessageParams(asked question) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model:     asked.Model,
		MaxTokens: 4000,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(asked.Prompt))},
	}
}

func (t tool) toAnthropic() anthropic.ToolUnionParam {
	schema := anthropic.ToolInputSchemaParam{
		Properties:  t.properties(),
		Required:    []string{t.parameter},
		ExtraFields: map[string]any{"additionalProperties": false},
	}
	union := anthropic.ToolUnionParamOfTool(schema, t.name)
	union.OfTool.Description = anthropic.String(t.description)
	return union
}

func (c anthropicMessages) text(ctx context.Context, asked question) (seen, error) {
	message, err := c.messages.New(ctx, newMessageParams(asked))
	if err != nil {
		return seen{}, err
	}
	return seen{Text: messageText(message), Usage: messageUsage(message)}, nil
}

func messageText(message *anthropic.Message) string {
	var text string
	for _, block := range message.Content {
		text += block.Text
	}
	return text
}

func messageUsage(message *anthropic.Message) *usage {
	return &usage{message.Usage.InputTokens, message.Usage.OutputTokens}
}

func messageCalls(message *anthropic.Message) []call {
	var calls []call
	for _, block := range message.Content {
		if called, isCall := block.AsAny().(anthropic.ToolUseBlock); isCall {
			calls = append(calls, call{called.Name, called.Input})
		}
	}
	return calls
}

func (c anthropicMessages) stream(ctx context.Context, asked question) (seen, error) {
	var saw seen
	onDelta := func(delta string) { saw.Deltas = append(saw.Deltas, delta) }
	message, err := c.accumulate(ctx, newMessageParams(asked), onDelta)
	if err != nil {
		return seen{}, err
	}
	saw.Usage = messageUsage(message)
	return saw, nil
}

// accumulate streams a message and returns it when it is complete.
func (c anthropicMessages) accumulate(
	ctx context.Context, params anthropic.MessageNewParams, onDelta func(string),
) (*anthropic.Message, error) {
	stream := c.messages.NewStreaming(ctx, params)
	defer stream.Close()
	var message anthropic.Message
	for stream.Next() {
		event := stream.Current()
		if err := message.Accumulate(event); err != nil {
			return nil, err
		}
		if delta, isText := textDelta(event); isText {
			onDelta(delta)
		}
	}
	return &message, stream.Err()
}

func textDelta(event anthropic.MessageStreamEventUnion) (string, bool) {
	if block, isBlock := event.AsAny().(anthropic.ContentBlockDeltaEvent); isBlock {
		delta, isText := block.Delta.AsAny().(anthropic.TextDelta)
		return delta.Text, isText
	}
	return "", false
}

func (c anthropicMessages) twoTools(ctx context.Context, asked question) (seen, error) {
	params := newMessageParams(asked)
	for _, t := range tools {
		params.Tools = append(params.Tools, t.toAnthropic())
	}
	first, second, err := c.answerCalls(ctx, params)
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: messageCalls(first), Text: messageText(second)}, nil
}

// answerCalls asks, sends the results of the calls back, and returns both messages.
func (c anthropicMessages) answerCalls(
	ctx context.Context, params anthropic.MessageNewParams,
) (first, second *anthropic.Message, err error) {
	if first, err = c.messages.New(ctx, params); err != nil {
		return nil, nil, err
	}
	var results []anthropic.ContentBlockParamUnion
	for _, block := range first.Content {
		if called, isCall := block.AsAny().(anthropic.ToolUseBlock); isCall {
			results = append(results, anthropic.NewToolResultBlock(called.ID, resultOf(called.Name), false))
		}
	}
	params.Messages = append(params.Messages, first.ToParam(), anthropic.NewUserMessage(results...))
	second, err = c.messages.New(ctx, params)
	return first, second, err
}

func (c anthropicMessages) strictStreamedTools(ctx context.Context, asked question) (seen, error) {
	params := newMessageParams(asked)
	for _, t := range tools {
		strict := t.toAnthropic()
		strict.OfTool.Strict = anthropic.Bool(true)
		params.Tools = append(params.Tools, strict)
	}
	message, err := c.accumulate(ctx, params, func(string) {})
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: messageCalls(message)}, nil
}

func (c anthropicMessages) structured(ctx context.Context, asked question) (seen, error) {
	params := newMessageParams(asked)
	params.OutputConfig.Format.Schema = personSchema()
	message, err := c.messages.New(ctx, params)
	if err != nil {
		return seen{}, err
	}
	value, err := parsePerson(messageText(message))
	if err != nil {
		return seen{}, err
	}
	message, err = c.accumulate(ctx, params, func(string) {})
	if err != nil {
		return seen{}, err
	}
	streamed, err := parsePerson(messageText(message))
	return seen{Value: value, Streamed: streamed}, err
}

func (c anthropicMessages) image(ctx context.Context, asked question) (seen, error) {
	params := newMessageParams(asked)
	image := anthropic.NewImageBlockBase64("image/png", asked.Image)
	params.Messages = []anthropic.MessageParam{anthropic.NewUserMessage(image, anthropic.NewTextBlock(asked.Prompt))}
	message, err := c.messages.New(ctx, params)
	if err != nil {
		return seen{}, err
	}
	return seen{Text: messageText(message)}, nil
}

func (c anthropicMessages) reasoning(ctx context.Context, asked question) (seen, error) {
	params := newMessageParams(asked)
	params.Tools = []anthropic.ToolUnionParam{weather.toAnthropic()}
	params.Thinking = anthropic.ThinkingConfigParamOfEnabled(1024)
	first, second, err := c.answerCalls(ctx, params)
	if err != nil {
		return seen{}, err
	}
	var reasoning string
	for _, block := range first.Content {
		reasoning += block.Thinking
	}
	return seen{Reasoning: reasoning, Text: messageText(second)}, nil
}

func (c anthropicMessages) deltas(ctx context.Context, asked question) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		stream := c.messages.NewStreaming(ctx, newMessageParams(asked))
		defer stream.Close()
		for stream.Next() {
			if delta, isText := textDelta(stream.Current()); isText && !yield(delta, nil) {
				return
			}
		}
		if err := stream.Err(); err != nil {
			yield("", err)
		}
	}
}
