package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"strconv"

	"github.com/invopop/jsonschema"
)

// client is one API of an official client. A method asks what its case is about and returns what the client saw; it
// checks nothing itself.
type client interface {
	text(context.Context, question) (seen, error)
	stream(context.Context, question) (seen, error)
	twoTools(context.Context, question) (seen, error)
	strictStreamedTools(context.Context, question) (seen, error)
	structured(context.Context, question) (seen, error)
	image(context.Context, question) (seen, error)
	reasoning(context.Context, question) (seen, error)

	// deltas streams the text of a response. The last pair has the error of a stream that failed.
	deltas(context.Context, question) iter.Seq2[string, error]
	// status is the HTTP status of an error of this client.
	status(error) (int, bool)
	// isStreamError reports whether the error is an event of a stream.
	isStreamError(error) bool
}

type question struct {
	Client string `json:"client"`
	Case   string `json:"case"`
	Model  string `json:"model"`
	Prompt string `json:"prompt"`
	// Image is a PNG file in base64.
	Image string `json:"image"`
}

type answer struct {
	Seen        *seen       `json:"seen,omitempty"`
	Unsupported unsupported `json:"unsupported,omitempty"`
	Error       string      `json:"error,omitempty"`
}

// unsupported is the error of a case that a client cannot express. It says why.
type unsupported string

func (u unsupported) Error() string {
	return string(u)
}

// seen has the fields that the cases in test/support/clients/cases.ts read.
type seen struct {
	Text     string   `json:"text"`
	Usage    *usage   `json:"usage,omitempty"`
	Deltas   []string `json:"deltas,omitempty"`
	Calls    []call   `json:"calls,omitempty"`
	Value    *person  `json:"value,omitempty"`
	Streamed *person  `json:"streamed,omitempty"`
	// Sorted reports that the client writes the properties of a schema in alphabetical order.
	Sorted    bool           `json:"sorted,omitempty"`
	Reasoning string         `json:"reasoning"`
	Statuses  map[string]int `json:"statuses,omitempty"`
	Failed    bool           `json:"failed"`
}

// usage is the number of input tokens and of output tokens.
type usage [2]int64

// call is the name of a tool and its input.
type call [2]any

func newCall(name, arguments string) call {
	return call{name, json.RawMessage(arguments)}
}

// person is the value of a structured response.
type person struct {
	Name string `json:"name"`
	Age  int    `json:"age"`
}

func parsePerson(text string) (*person, error) {
	var value person
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, fmt.Errorf("%w in %q", err, text)
	}
	return &value, nil
}

// personSchema is made as the README of openai-go describes it.
func personSchema() map[string]any {
	reflector := jsonschema.Reflector{DoNotReference: true}
	data, err := json.Marshal(reflector.Reflect(person{}))
	if err != nil {
		panic(err)
	}
	// The values stay JSON, because a map has no order of properties.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		panic(err)
	}
	schema := make(map[string]any, len(members))
	for name, value := range members {
		schema[name] = value
	}
	return schema
}

// tool is a function with one parameter.
type tool struct {
	name, description, parameter, result string
}

var (
	weather = tool{"get_weather", "The weather in a city.", "city", "21 °C"}
	clock   = tool{"get_time", "The time in a zone.", "zone", "noon"}
	tools   = []tool{weather, clock}
)

func (t tool) properties() map[string]any {
	return map[string]any{t.parameter: map[string]any{"type": "string"}}
}

func (t tool) schema() map[string]any {
	return map[string]any{
		"type":                 "object",
		"properties":           t.properties(),
		"required":             []string{t.parameter},
		"additionalProperties": false,
	}
}

func resultOf(name string) string {
	for _, t := range tools {
		if t.name == name {
			return t.result
		}
	}
	return "no such tool"
}

var cases = map[string]func(client, context.Context, question) (seen, error){
	"text":                  client.text,
	"stream":                client.stream,
	"two tools":             client.twoTools,
	"strict streamed tools": client.strictStreamedTools,
	"structured":            client.structured,
	"image":                 client.image,
	"reasoning":             client.reasoning,
	"error":                 readStatuses,
	"broken stream":         readUntilFailure,
	"cancel":                cancelAtFirst,
}

// serve answers questions until the input ends.
func serve(input io.Reader, output io.Writer, clients map[string]client) error {
	questions, answers := json.NewDecoder(input), json.NewEncoder(output)
	for {
		var asked question
		if err := questions.Decode(&asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(answerTo(clients, asked)); err != nil {
			return err
		}
	}
}

func answerTo(clients map[string]client, asked question) (answered answer) {
	defer func() {
		if failure := recover(); failure != nil {
			answered = answer{Error: fmt.Sprintf("panic: %v\n%s", failure, debug.Stack())}
		}
	}()
	perform, isKnown := cases[asked.Case]
	if !isKnown {
		return answer{Error: fmt.Sprintf("unknown case %q", asked.Case)}
	}
	saw, err := perform(clients[asked.Client], context.Background(), asked)
	var reason unsupported
	if errors.As(err, &reason) {
		return answer{Unsupported: reason}
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Seen: &saw}
}

// readStatuses asks for each status and returns those that the client's errors have.
func readStatuses(c client, ctx context.Context, asked question) (seen, error) {
	statuses := map[string]int{}
	for _, status := range []int{400, 401, 403, 404, 429, 500, 503, 529} {
		asked.Prompt = fmt.Sprintf("status %d", status)
		_, err := c.text(ctx, asked)
		received, isStatus := c.status(err)
		if !isStatus {
			return seen{}, fmt.Errorf("status %d became: %v", status, err)
		}
		statuses[strconv.Itoa(status)] = received
	}
	return seen{Statuses: statuses}, nil
}

// readUntilFailure reads the text before a stream fails.
func readUntilFailure(c client, ctx context.Context, asked question) (seen, error) {
	var text string
	for delta, err := range c.deltas(ctx, asked) {
		switch {
		case errors.As(err, new(unsupported)):
			return seen{}, err
		case c.isStreamError(err):
			return seen{Text: text, Failed: true}, nil
		case err != nil:
			return seen{}, err
		}
		text += delta
	}
	return seen{Text: text}, nil
}

// cancelAtFirst cancels the context of a stream when the first text has arrived.
func cancelAtFirst(c client, ctx context.Context, asked question) (seen, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var first string
	for delta, err := range c.deltas(ctx, asked) {
		switch {
		case errors.Is(err, context.Canceled):
			return seen{Text: first}, nil
		case err != nil:
			return seen{}, err
		case first == "":
			first = delta
		}
		if first != "" {
			// The loop continues, because the stream has to end with the error.
			cancel()
		}
	}
	return seen{}, errors.New("the stream ended without an error")
}
