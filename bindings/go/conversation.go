package simpleagents

import (
	"context"
	"encoding/json"
)

const defaultToolRounds = 10

// conversation has the requests of one chat: the first, and one more after each round of tool calls. It does no I/O.
type conversation struct {
	messages    []Message
	fields      map[string]any
	tools       toolSet
	roundsLeft  int
	completions []completion
	// since are the messages after those of the request.
	since []Message
}

func newConversation(request Request) (*conversation, error) {
	fields, err := request.fields()
	if err != nil {
		return nil, err
	}
	tools, err := newToolSet(request.Tools)
	if err != nil {
		return nil, err
	}
	if len(tools.definitions) > 0 {
		fields["tools"] = tools.definitions
	}
	rounds := request.MaxToolRounds
	if rounds == 0 {
		rounds = defaultToolRounds
	}
	return &conversation{messages: request.Messages, fields: fields, tools: tools, roundsLeft: rounds}, nil
}

// input is the next request for the engine.
func (chat *conversation) input() map[string]any {
	messages := append(append([]Message{}, chat.messages...), chat.since...)
	input := map[string]any{"messages": messages}
	for name, value := range chat.fields {
		input[name] = value
	}
	return input
}

// take adds a response and runs the tools that it calls. It reports whether the chat has ended.
func (chat *conversation) take(ctx context.Context, answer completion) (bool, error) {
	chat.completions = append(chat.completions, answer)
	chat.since = append(chat.since, Message{Role: answer.Message.Role, Blocks: answer.Message.Content})
	if !chat.tools.canRun(answer.ToolCalls) {
		return true, nil
	}
	if chat.roundsLeft <= 0 {
		message := "the model still calls tools after the last round; raise MaxToolRounds"
		return true, &Error{Kind: ErrToolLoop, Message: message, Target: answer.Target}
	}
	chat.roundsLeft--
	results, err := json.Marshal(chat.tools.run(ctx, answer.ToolCalls))
	if err != nil {
		return true, unreadable(err)
	}
	chat.since = append(chat.since, Message{Role: RoleUser, Blocks: results})
	return false, nil
}

// result is the result after the last response.
func (chat *conversation) result() *Result {
	last := chat.completions[len(chat.completions)-1]
	result := &Result{
		Text:       last.Text,
		Value:      last.Value,
		Flags:      last.Flags,
		Confidence: 1,
		StopReason: last.StopReason,
		Model:      last.Model,
		Target:     last.Target,
		ToolCalls:  last.ToolCalls,
		Messages:   chat.since,
		Usage:      Usage{Missing: true},
		Cost:       new(float64),
	}
	if last.Confidence != nil {
		result.Confidence = *last.Confidence
	}
	for _, each := range chat.completions {
		result.Usage = result.Usage.plus(each.Usage)
		result.Cost = plusCost(result.Cost, each.Cost)
		result.Notices = append(result.Notices, each.Notices...)
	}
	return result
}

// plusCost is unknown if one of the costs is.
func plusCost(left, right *float64) *float64 {
	if left == nil || right == nil {
		return nil
	}
	sum := *left + *right
	return &sum
}
