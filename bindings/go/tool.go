package simpleagents

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Tool is a function that a model may call. NewTool makes one from a Go function.
type Tool struct {
	Name        string
	Description string
	// InputSchema is the JSON Schema of the arguments.
	InputSchema json.RawMessage
	// Run gets the healed arguments. Its result is text, or is written as JSON; an error is a result that the model
	// reads. If Run is nil, the program handles the calls itself: they are in Result.ToolCalls.
	Run func(ctx context.Context, input json.RawMessage) (any, error)
	err error
}

// NewTool makes a tool from a function. The fields of In, a struct, are the arguments; see SchemaOf for its tags.
func NewTool[In, Out any](name, description string, run func(ctx context.Context, input In) (Out, error)) Tool {
	schema, err := SchemaOf[In]()
	return Tool{
		Name:        name,
		Description: description,
		InputSchema: schema,
		Run: func(ctx context.Context, text json.RawMessage) (any, error) {
			var input In
			if err := json.Unmarshal(text, &input); err != nil {
				return nil, fmt.Errorf("the arguments do not match the type of the function: %w", err)
			}
			return run(ctx, input)
		},
		err: err,
	}
}

type toolDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

type toolSet struct {
	definitions []toolDefinition
	byName      map[string]Tool
}

func newToolSet(tools []Tool) (toolSet, error) {
	set := toolSet{byName: map[string]Tool{}}
	for _, tool := range tools {
		if tool.err != nil {
			return set, badRequest(fmt.Sprintf("Tools: %s: %s", tool.Name, tool.err))
		}
		if _, isKnown := set.byName[tool.Name]; isKnown {
			return set, badRequest(fmt.Sprintf("Tools: two tools have the name %s", tool.Name))
		}
		set.byName[tool.Name] = tool
		set.definitions = append(set.definitions, toolDefinition{tool.Name, tool.Description, tool.InputSchema})
	}
	return set, nil
}

// canRun reports whether there are calls, and the program does not handle one of them itself. A call of an unknown tool
// gets an error that the model reads.
func (set toolSet) canRun(calls []ToolCall) bool {
	isForeign := func(call ToolCall) bool {
		tool, isKnown := set.byName[call.Name]
		return isKnown && tool.Run == nil
	}
	return len(calls) > 0 && len(set.byName) > 0 && !slices.ContainsFunc(calls, isForeign)
}

// toolResult is `ToolResultBlock` in src/core/message.ts.
type toolResult struct {
	Type    string     `json:"type"`
	CallID  string     `json:"callId"`
	Content []textPart `json:"content"`
	IsError bool       `json:"isError,omitempty"`
}

type textPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// run runs the calls one after the other.
func (set toolSet) run(ctx context.Context, calls []ToolCall) []toolResult {
	results := make([]toolResult, len(calls))
	for index, call := range calls {
		text, err := set.runOne(ctx, call)
		if err != nil {
			text = err.Error()
		}
		content := []textPart{{Type: "text", Text: text}}
		results[index] = toolResult{Type: "tool-result", CallID: call.ID, Content: content, IsError: err != nil}
	}
	return results
}

func (set toolSet) runOne(ctx context.Context, call ToolCall) (string, error) {
	tool, isKnown := set.byName[call.Name]
	if !isKnown {
		return "", fmt.Errorf("there is no tool %s; the tools are %s", call.Name, strings.Join(set.names(), ", "))
	}
	if call.Error != "" {
		return "", fmt.Errorf("%s", call.Error)
	}
	value, err := tool.Run(ctx, call.Input)
	if err != nil {
		return "", err
	}
	if text, isText := value.(string); isText {
		return text, nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

func (set toolSet) names() []string {
	names := make([]string, len(set.definitions))
	for index, definition := range set.definitions {
		names[index] = definition.Name
	}
	return names
}
