// Runs the cases of the conformance suite, test/embed/cases.ts, with this package: one case per line of the input, one
// line with its outcome for each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log"
	"maps"
	"os"

	"simpleagents"
)

// testCase is `HealCase` or `ClientCase`. Only the latter has a mode.
type testCase struct {
	Text    string          `json:"text"`
	Schema  json.RawMessage `json:"schema"`
	Options map[string]any  `json:"options"`
	Input   json.RawMessage `json:"input"`
	Model   string          `json:"model"`
	Mode    string          `json:"mode"`
}

type outcome struct {
	Items []any               `json:"items"`
	Error *simpleagents.Error `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var given testCase
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			log.Fatal(err)
		}
		if err := output.Encode(run(given)); err != nil {
			log.Fatal(err)
		}
	}
}

func run(given testCase) outcome {
	perform := call
	if given.Mode == "" {
		perform = heal
	}
	items, err := perform(given)
	result := outcome{Items: items}
	if err != nil && !errors.As(err, &result.Error) {
		log.Fatal(err)
	}
	return result
}

func heal(given testCase) ([]any, error) {
	options := simpleagents.HealOptions{Schema: given.Schema}
	options.Strict, _ = given.Options["strict"].(bool)
	options.Locate, _ = given.Options["locate"].(bool)
	if minimum, isGiven := given.Options["minConfidence"].(float64); isGiven {
		options.MinConfidence = &minimum
	}
	healed, err := simpleagents.HealContext[json.RawMessage](context.Background(), given.Text, options)
	if err != nil {
		return nil, err
	}
	return []any{healed}, nil
}

func call(given testCase) ([]any, error) {
	client, err := open(given.Options)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	request := toRequest(given.Input)
	request.Model = given.Model
	ctx := context.Background()
	switch given.Mode {
	case "complete":
		result, err := client.Chat(ctx, request)
		return withResult(nil, result, err)
	case "stream":
		stream := client.OpenStream(ctx, request)
		items, err := collect("event", stream.Events())
		if err != nil {
			return items, err
		}
		result, err := stream.Result()
		return withResult(items, result, err)
	default:
		stream := simpleagents.StreamAs[json.RawMessage](ctx, client, request)
		items, err := collect("partial", stream.Partials())
		if err != nil {
			return items, err
		}
		result, err := stream.Result()
		if err != nil {
			return items, err
		}
		return withResult(items, &result.Result, nil)
	}
}

func collect[V any](name string, pieces iter.Seq2[V, error]) (items []any, failure error) {
	for piece, err := range pieces {
		if err != nil {
			return items, err
		}
		items = append(items, map[string]any{name: piece})
	}
	return items, nil
}

func withResult(items []any, result *simpleagents.Result, err error) ([]any, error) {
	if err != nil {
		return items, err
	}
	return append(items, map[string]any{"completion": result}), nil
}

func open(options map[string]any) (*simpleagents.Client, error) {
	provider, _ := options["provider"].(string)
	apiKey, _ := options["apiKey"].(string)
	var further []simpleagents.ClientOption
	for name, value := range options {
		if name != "provider" && name != "apiKey" {
			further = append(further, simpleagents.WithOption(name, value))
		}
	}
	return simpleagents.NewClient(provider, apiKey, further...)
}

// toRequest reads a text, messages, or a request.
func toRequest(input json.RawMessage) simpleagents.Request {
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) != nil {
		return simpleagents.Request{Messages: toMessages(input)}
	}
	request := simpleagents.Request{Messages: toMessages(members["messages"]), Schema: members["schema"]}
	fields := map[string]any{"maxTokens": &request.MaxTokens, "temperature": &request.Temperature, "tools": &request.Tools}
	for name, field := range fields {
		if value, isGiven := members[name]; isGiven {
			must(json.Unmarshal(value, field))
		}
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool {
		_, isField := fields[name]
		return isField || name == "messages" || name == "schema"
	})
	request.Options = map[string]any{}
	for name, value := range members {
		request.Options[name] = value
	}
	return request
}

func toMessages(input json.RawMessage) []simpleagents.Message {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return []simpleagents.Message{simpleagents.User(text)}
	}
	messages := []simpleagents.Message{}
	must(json.Unmarshal(input, &messages))
	return messages
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
