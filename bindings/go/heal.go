package simpleagents

import (
	"context"
	"encoding/json"
)

// HealOptions are the options of HealContext.
type HealOptions struct {
	// Schema replaces the JSON Schema of the type.
	Schema json.RawMessage
	// Strict fails if anything has to be changed.
	Strict bool
	// KeepTypes does not convert types, such as strings to numbers.
	KeepTypes bool
	// MinConfidence fails if the confidence is lower. Default: 0.7.
	MinConfidence *float64
	// Locate adds to each flag the place in the text that it is about.
	Locate bool
	// MaxBytes and MaxDepth limit the text. 0 means the default.
	MaxBytes int
	MaxDepth int
}

// Healed is a value that was healed from a text.
type Healed[T any] struct {
	Value T
	// Flags are all changes that were made.
	Flags []Flag
	// Confidence is from 0 to 1; exactly 1 if nothing was changed.
	Confidence float64
}

// Heal reads the value that a damaged text was meant to be. With Heal[any], the value is plain JSON of any form. The
// error has the kind ErrHealing if there is no value with enough confidence.
func Heal[T any](text string) (*Healed[T], error) {
	return HealContext[T](context.Background(), text, HealOptions{})
}

// HealContext is Heal with a context and options. Healing that has begun uses its thread to the end, also when the
// context is done first.
func HealContext[T any](ctx context.Context, text string, options HealOptions) (*Healed[T], error) {
	schema, err := schemaFor[T](options.Schema)
	if err != nil {
		return nil, err
	}
	var reply struct {
		Value      json.RawMessage `json:"value"`
		Flags      []Flag          `json:"flags"`
		Confidence float64         `json:"confidence"`
	}
	call := engineCall{Call: "heal", Text: &text, Schema: schema, Options: options.fields()}
	if err := engine().call(ctx, call, &reply); err != nil {
		return nil, err
	}
	healed := &Healed[T]{Flags: reply.Flags, Confidence: reply.Confidence}
	if err := json.Unmarshal(reply.Value, &healed.Value); err != nil {
		mismatch := typeMismatch(err, reply.Value, reply.Flags, reply.Confidence)
		mismatch.Text = text
		return nil, mismatch
	}
	return healed, nil
}

// fields have the names of the engine.
func (options HealOptions) fields() map[string]any {
	fields := map[string]any{"strict": options.Strict, "coerceTypes": !options.KeepTypes, "locate": options.Locate}
	if options.MinConfidence != nil {
		fields["minConfidence"] = *options.MinConfidence
	}
	if options.MaxBytes != 0 {
		fields["maxBytes"] = options.MaxBytes
	}
	if options.MaxDepth != 0 {
		fields["maxDepth"] = options.MaxDepth
	}
	return fields
}
