package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// openaiResponses is openai-go with responses.
type openaiResponses struct {
	openaiErrors
	responses responses.ResponseService
}

func newResponseParams(asked question) responses.ResponseNewParams {
	message := responses.ResponseInputItemParamOfMessage(asked.Prompt, responses.EasyInputMessageRoleUser)
	return responses.ResponseNewParams{
		Model: asked.Model,
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{message}},
	}
}

func (t tool) toResponses(strict bool) responses.ToolUnionParam {
	union := responses.ToolParamOfFunction(t.name, t.schema(), strict)
	union.OfFunction.Description = openai.String(t.description)
	return union
}

func (c openaiResponses) text(ctx context.Context, asked question) (seen, error) {
	response, err := c.responses.New(ctx, newResponseParams(asked))
	if err != nil {
		return seen{}, err
	}
	used := response.Usage
	return seen{Text: response.OutputText(), Usage: &usage{used.InputTokens, used.OutputTokens}}, nil
}

func (c openaiResponses) stream(ctx context.Context, asked question) (seen, error) {
	var saw seen
	onDelta := func(delta string) { saw.Deltas = append(saw.Deltas, delta) }
	response, err := c.complete(ctx, newResponseParams(asked), onDelta)
	if err != nil {
		return seen{}, err
	}
	saw.Usage = &usage{response.Usage.InputTokens, response.Usage.OutputTokens}
	return saw, nil
}

// complete streams a response and returns the one in the last event.
func (c openaiResponses) complete(
	ctx context.Context, params responses.ResponseNewParams, onDelta func(string),
) (*responses.Response, error) {
	stream := c.responses.NewStreaming(ctx, params)
	defer stream.Close()
	var response *responses.Response
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			onDelta(event.Delta)
		case responses.ResponseCompletedEvent:
			response = &event.Response
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if response == nil {
		return nil, errors.New("the stream ended without a response")
	}
	return response, nil
}

func (c openaiResponses) twoTools(ctx context.Context, asked question) (seen, error) {
	params := newResponseParams(asked)
	for _, t := range tools {
		params.Tools = append(params.Tools, t.toResponses(false))
	}
	first, second, err := c.answerCalls(ctx, params)
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: responseCalls(first), Text: second.OutputText()}, nil
}

// answerCalls asks, sends the results of the calls back, and returns both responses. It sends the whole conversation, so
// that nothing depends on what a server stores.
func (c openaiResponses) answerCalls(
	ctx context.Context, params responses.ResponseNewParams,
) (first, second *responses.Response, err error) {
	params.Store = openai.Bool(false)
	if first, err = c.responses.New(ctx, params); err != nil {
		return nil, nil, err
	}
	conversation := &params.Input.OfInputItemList
	for _, item := range first.Output {
		returned := param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON()))
		*conversation = append(*conversation, returned)
	}
	for _, item := range first.Output {
		if called, isCall := item.AsAny().(responses.ResponseFunctionToolCall); isCall {
			result := responses.ResponseInputItemParamOfFunctionCallOutput(resultOf(called.Name))
			result.OfFunctionCallOutput.CallID = openai.String(called.CallID)
			*conversation = append(*conversation, result)
		}
	}
	second, err = c.responses.New(ctx, params)
	return first, second, err
}

func responseCalls(response *responses.Response) []call {
	var calls []call
	for _, item := range response.Output {
		if called, isCall := item.AsAny().(responses.ResponseFunctionToolCall); isCall {
			calls = append(calls, newCall(called.Name, called.Arguments))
		}
	}
	return calls
}

func (c openaiResponses) strictStreamedTools(ctx context.Context, asked question) (seen, error) {
	params := newResponseParams(asked)
	for _, t := range tools {
		params.Tools = append(params.Tools, t.toResponses(true))
	}
	response, err := c.complete(ctx, params, func(string) {})
	if err != nil {
		return seen{}, err
	}
	return seen{Calls: responseCalls(response)}, nil
}

func (c openaiResponses) structured(ctx context.Context, asked question) (seen, error) {
	params := newResponseParams(asked)
	params.Text.Format.OfJSONSchema = &responses.ResponseFormatTextJSONSchemaConfigParam{
		Name:   "person",
		Schema: personSchema(),
		Strict: openai.Bool(true),
	}
	response, err := c.responses.New(ctx, params)
	if err != nil {
		return seen{}, err
	}
	value, err := parsePerson(response.OutputText())
	if err != nil {
		return seen{}, err
	}
	response, err = c.complete(ctx, params, func(string) {})
	if err != nil {
		return seen{}, err
	}
	streamed, err := parsePerson(response.OutputText())
	return seen{Value: value, Streamed: streamed}, err
}

func (c openaiResponses) image(ctx context.Context, asked question) (seen, error) {
	image := responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
	image.OfInputImage.ImageURL = openai.String("data:image/png;base64," + asked.Image)
	content := responses.ResponseInputMessageContentListParam{
		responses.ResponseInputContentParamOfInputText(asked.Prompt),
		image,
	}
	params := newResponseParams(asked)
	params.Input.OfInputItemList = responses.ResponseInputParam{
		responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser),
	}
	response, err := c.responses.New(ctx, params)
	if err != nil {
		return seen{}, err
	}
	return seen{Text: response.OutputText()}, nil
}

func (c openaiResponses) reasoning(ctx context.Context, asked question) (seen, error) {
	params := newResponseParams(asked)
	params.Tools = []responses.ToolUnionParam{weather.toResponses(false)}
	params.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	params.Reasoning = shared.ReasoningParam{
		Effort:  shared.ReasoningEffortLow,
		Summary: shared.ReasoningSummaryAuto,
	}
	first, second, err := c.answerCalls(ctx, params)
	if err != nil {
		return seen{}, err
	}
	var reasoning string
	for _, item := range first.Output {
		for _, part := range item.Summary {
			reasoning += part.Text
		}
	}
	return seen{Reasoning: reasoning, Text: second.OutputText()}, nil
}

func (c openaiResponses) deltas(ctx context.Context, asked question) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		stream := c.responses.NewStreaming(ctx, newResponseParams(asked))
		defer stream.Close()
		for stream.Next() {
			event, isText := stream.Current().AsAny().(responses.ResponseTextDeltaEvent)
			if isText && !yield(event.Delta, nil) {
				return
			}
		}
		if err := stream.Err(); err != nil {
			yield("", err)
		}
	}
}
