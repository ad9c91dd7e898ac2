package simpleagents

import (
	"encoding/json"
	"maps"
)

// Usage counts tokens. Input excludes the tokens that the provider's prompt cache served or stored.
type Usage struct {
	Input int `json:"input"`
	// Output includes reasoning.
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Reasoning  int `json:"reasoning"`
	// Missing means that the provider reported no counts.
	Missing bool `json:"missing"`
}

func (usage Usage) plus(other Usage) Usage {
	if usage.Missing {
		return other
	}
	if other.Missing {
		return usage
	}
	return Usage{
		Input:      usage.Input + other.Input,
		Output:     usage.Output + other.Output,
		CacheRead:  usage.CacheRead + other.CacheRead,
		CacheWrite: usage.CacheWrite + other.CacheWrite,
		Reasoning:  usage.Reasoning + other.Reasoning,
	}
}

// Flag is one change that healing made to a text. docs/healing.md lists the kinds.
type Flag struct {
	Kind string
	// Path is the position in the value: names (string) and indexes (int).
	Path []any
	// Details depend on the kind.
	Details map[string]any
}

// UnmarshalJSON reads a flag of the engine.
func (flag *Flag) UnmarshalJSON(text []byte) error {
	var known struct {
		Kind string `json:"kind"`
		Path []any  `json:"path"`
	}
	var details map[string]any
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &details); err != nil {
		return err
	}
	maps.DeleteFunc(details, func(name string, _ any) bool { return name == "kind" || name == "path" })
	for position, step := range known.Path {
		if index, isNumber := step.(float64); isNumber {
			known.Path[position] = int(index)
		}
	}
	*flag = Flag{Kind: known.Kind, Path: known.Path, Details: details}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (flag Flag) MarshalJSON() ([]byte, error) {
	members := map[string]any{"kind": flag.Kind, "path": flag.Path}
	maps.Copy(members, flag.Details)
	return json.Marshal(members)
}

// ToolCall is a tool call of the model.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Input has the arguments, healed. It must not be used if Error is set.
	Input json.RawMessage `json:"input"`
	// Error says why the arguments are not usable.
	Error string `json:"error"`
	// Flags are what healing changed.
	Flags []Flag `json:"flags"`
}

// Notice is something that was lost or corrected on the way, or that saved a call.
type Notice struct {
	// Kind is "loss", "warning", "cached", "shared", "continuation" or "repair".
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
}

// Result is the complete response of a model.
type Result struct {
	Text string
	// Value is the healed value, if the request had a schema and the model called no tools.
	Value json.RawMessage
	// Usage is the sum of all rounds, if tools were called.
	Usage Usage
	// Cost is in US dollars, for all rounds; nil if a price or a token count is unknown.
	Cost *float64
	// Flags are the changes that healing made to the text.
	Flags []Flag
	// Confidence is from 0 to 1; exactly 1 if nothing was changed.
	Confidence float64
	// StopReason is "end", "length", "tool-calls", "stop-sequence", "refusal" or "pause".
	StopReason string
	Model      string
	// Target is the provider that responded.
	Target string
	// ToolCalls are calls of tools that have no Go function.
	ToolCalls []ToolCall
	// Messages are those since the request. Append them to its messages to continue the conversation.
	Messages []Message
	Notices  []Notice
}

// TypedResult is the complete response of a model, with its value as a Go value.
type TypedResult[T any] struct {
	Result
	// Value is the zero value if the model called tools that have no Go function.
	Value T
}

// completion is `TypedCompletion` in src/client/typed.ts.
type completion struct {
	Text       string          `json:"text"`
	Value      json.RawMessage `json:"value"`
	Message    rawMessage      `json:"message"`
	Usage      Usage           `json:"usage"`
	Cost       *float64        `json:"cost"`
	Flags      []Flag          `json:"flags"`
	Confidence *float64        `json:"confidence"`
	StopReason string          `json:"stopReason"`
	Model      string          `json:"model"`
	Target     string          `json:"target"`
	ToolCalls  []ToolCall      `json:"toolCalls"`
	Notices    []Notice        `json:"notices"`
}

type rawMessage struct {
	Role    Role            `json:"role"`
	Content json.RawMessage `json:"content"`
}

// typed converts the value of a result. The engine has validated it against the schema, but the type may still reject
// it.
func typed[T any](result *Result) (*TypedResult[T], error) {
	converted := &TypedResult[T]{Result: *result}
	if result.Value == nil {
		return converted, nil
	}
	if err := json.Unmarshal(result.Value, &converted.Value); err != nil {
		mismatch := typeMismatch(err, result.Value, result.Flags, result.Confidence)
		mismatch.Text, mismatch.Target = result.Text, result.Target
		return nil, mismatch
	}
	return converted, nil
}

func typeMismatch(err error, value json.RawMessage, flags []Flag, confidence float64) *Error {
	return &Error{
		Kind:       ErrHealing,
		Message:    "the value does not match the type: " + err.Error(),
		Value:      value,
		Flags:      flags,
		Confidence: confidence,
		cause:      err,
	}
}
