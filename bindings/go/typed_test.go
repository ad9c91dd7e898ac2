package simpleagents

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"
)

type character struct {
	Name      string   `json:"name"`
	Age       int      `json:"age"`
	Abilities []string `json:"abilities"`
}

// scripted is a client of a model that writes these texts, one per request.
func scripted(t *testing.T, texts ...string) *Client {
	t.Helper()
	next := make(chan string, len(texts))
	for _, text := range texts {
		next <- text
	}
	url := serve(t, openAIReply(next))
	return openClient(t, nil, WithBaseURL(url))
}

func TestChatAs(t *testing.T) {
	client := scripted(t, "Sure! ```json\n{name: 'Ada', \"age\": \"36\", abilities: [\"math\"]}")
	result, err := ChatAs[character](context.Background(), client, askFor("Invent a character"))
	if err != nil {
		t.Fatal(err)
	}
	if expected := (character{"Ada", 36, []string{"math"}}); !reflect.DeepEqual(result.Value, expected) {
		t.Errorf("got %+v", result.Value)
	}
	if result.Confidence <= 0.5 || result.Confidence >= 1 || len(result.Flags) == 0 || result.Flags[0].Kind == "" {
		t.Errorf("confidence %v, flags %+v", result.Confidence, result.Flags)
	}
	if string(result.Result.Value) != `{"name":"Ada","age":36,"abilities":["math"]}` {
		t.Errorf("JSON %s", result.Result.Value)
	}
}

func TestChatAsFails(t *testing.T) {
	_, err := ChatAs[character](context.Background(), scripted(t, "I would rather not."), askFor("Invent a character"))
	var failure *Error
	if !errors.Is(err, ErrHealing) || !errors.As(err, &failure) || failure.Text != "I would rather not." {
		t.Fatalf("got %v", err)
	}
}

func TestTypeRejectsAValue(t *testing.T) {
	type small struct {
		Age int8 `json:"age"`
	}
	_, err := ChatAs[small](context.Background(), scripted(t, `{"age": 300}`), askFor("How old?"))
	var failure *Error
	if !errors.Is(err, ErrHealing) || !errors.As(err, &failure) || string(failure.Value) != `{"age":300}` {
		t.Fatalf("got %v", err)
	}
	var cause *json.UnmarshalTypeError
	if !errors.As(err, &cause) {
		t.Errorf("the cause is missing: %v", err)
	}
}

func TestGivenSchema(t *testing.T) {
	request := askFor("Invent something")
	request.Schema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	client := scripted(t, `{"n": "5"}`, `{"n": "5"}`)
	result, err := ChatAs[map[string]any](context.Background(), client, request)
	if err != nil || result.Value["n"] != 5.0 {
		t.Errorf("got %+v, %v", result, err)
	}
	plain, err := client.Chat(context.Background(), request)
	if err != nil || string(plain.Value) != `{"n":5}` {
		t.Errorf("got %+v, %v", plain, err)
	}
}

func TestValueOfAnyForm(t *testing.T) {
	client := scripted(t, "[1, {a: True},", "[1, {a: True},")
	expected := []any{1.0, map[string]any{"a": true}}
	result, err := ChatAs[any](context.Background(), client, askFor("Anything"))
	if err != nil || !reflect.DeepEqual(result.Value, expected) {
		t.Errorf("got %+v, %v", result, err)
	}
	partials, err := collect(StreamAs[any](context.Background(), client, askFor("Anything")).Partials())
	if err != nil || !reflect.DeepEqual(partials[len(partials)-1], expected) {
		t.Errorf("got %+v, %v", partials, err)
	}
}

func TestPartials(t *testing.T) {
	checkGoroutines(t)
	for name, open := range map[string]func(*TypedStream[character]) iter.Seq2[character, error]{
		"Partials":     (*TypedStream[character]).Partials,
		"LivePartials": (*TypedStream[character]).LivePartials,
	} {
		stream := StreamAs[character](context.Background(), simulated(t), askFor("Invent a character"))
		partials, err := collect(open(stream))
		if err != nil || len(partials) < 3 {
			t.Fatalf("%s: %d partials, %v", name, len(partials), err)
		}
		for index, later := range partials[1:] {
			if name == "Partials" && !strings.HasPrefix(later.Name, partials[index].Name) {
				t.Errorf("%+v became %+v", partials[index], later)
			}
		}
		if first := partials[0]; first.Age != 0 || len(first.Abilities) > 0 {
			t.Errorf("%s: the first partial is %+v", name, first)
		}
		result, err := stream.Result()
		if err != nil || !reflect.DeepEqual(result.Value, partials[len(partials)-1]) || result.Usage.Output == 0 {
			t.Errorf("%s: got %+v, %v", name, result, err)
		}
	}
}

func TestPartialsThatTheTypeCannotHoldAreSkipped(t *testing.T) {
	type event struct {
		At    time.Time `json:"at"`
		Title string    `json:"title"`
	}
	client := scripted(t, `{"at": "2026-11-18T12:00:00Z", "title": "a meeting"}`)
	stream := StreamAs[event](context.Background(), client, askFor("When?"))
	partials, err := collect(stream.Partials())
	if err != nil || len(partials) == 0 {
		t.Fatalf("got %+v, %v", partials, err)
	}
	last := partials[len(partials)-1]
	if last.Title != "a meeting" || last.At.Hour() != 12 {
		t.Errorf("got %+v", last)
	}
}

func TestStreamAsWithAWrongType(t *testing.T) {
	_, err := collect(StreamAs[func()](context.Background(), simulated(t), askFor("Hello")).Partials())
	if !errors.Is(err, ErrBadRequest) {
		t.Errorf("got %v", err)
	}
}

func TestHeal(t *testing.T) {
	healed, err := Heal[character]("Here: {name: 'Ada', \"age\": \"36\", abilities: [\"math\",")
	if err != nil {
		t.Fatal(err)
	}
	if expected := (character{"Ada", 36, []string{"math"}}); !reflect.DeepEqual(healed.Value, expected) {
		t.Errorf("got %+v", healed.Value)
	}
	if healed.Confidence >= 1 || len(healed.Flags) == 0 {
		t.Errorf("confidence %v, flags %+v", healed.Confidence, healed.Flags)
	}
	perfect, err := Heal[[]int]("[1, 2]")
	if err != nil || perfect.Confidence != 1 || len(perfect.Flags) != 0 {
		t.Errorf("got %+v, %v", perfect, err)
	}
	anything, err := Heal[any]("[1, {a: True},")
	if err != nil || !reflect.DeepEqual(anything.Value, []any{1.0, map[string]any{"a": true}}) {
		t.Errorf("got %+v, %v", anything, err)
	}
}

func TestFlagsHaveAPath(t *testing.T) {
	healed, err := Heal[[]character](`[{"name": "Ada", "age": "36", "abilities": []}]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range healed.Flags {
		if reflect.DeepEqual(flag.Path, []any{0, "age"}) {
			return
		}
	}
	t.Errorf("flags: %+v", healed.Flags)
}

func TestHealOptions(t *testing.T) {
	ctx := context.Background()
	confidence := 0.999
	for name, options := range map[string]HealOptions{
		"strict":     {Strict: true},
		"types":      {KeepTypes: true},
		"confidence": {MinConfidence: &confidence},
		"bytes":      {MaxBytes: 2},
	} {
		if _, err := HealContext[[]int](ctx, `["1", "2"`, options); !errors.Is(err, ErrHealing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	schema := json.RawMessage(`{"type":"array","items":{"type":"string"}}`)
	healed, err := HealContext[[]string](ctx, "[1]", HealOptions{Schema: schema, Locate: true})
	if err != nil || !reflect.DeepEqual(healed.Value, []string{"1"}) {
		t.Errorf("got %+v, %v", healed, err)
	}
	wrong := HealOptions{Schema: json.RawMessage(`{"type":"nothing"}`)}
	if _, err := HealContext[any](ctx, "[1]", wrong); !errors.Is(err, ErrBadRequest) {
		t.Errorf("a wrong schema: %v", err)
	}
	if _, err := Heal[int]("no value"); !errors.Is(err, ErrHealing) {
		t.Errorf("no value: %v", err)
	}
	if _, err := Heal[chan int]("1"); !errors.Is(err, ErrBadRequest) {
		t.Errorf("a channel: %v", err)
	}
}
