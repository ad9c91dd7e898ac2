package simpleagents_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"simpleagents"
)

type Character struct {
	Name string   `json:"name"`
	Age  int      `json:"age"`
	Tags []string `json:"tags"`
}

func ask(content string) []simpleagents.Message {
	return []simpleagents.Message{simpleagents.User(content)}
}

func ExampleClient_Complete() {
	client, err := simpleagents.NewClient("simulated", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	fmt.Println(client.Complete(ask("Count to 5"), ""))
	// Output: 1, 2, 3, 4, 5 <nil>
}

func ExampleClient_Stream() {
	client, err := simpleagents.NewClient("simulated", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	for piece, err := range client.Stream(context.Background(), ask("Count to 1000"), "") {
		if err != nil {
			fmt.Println(err)
			return
		}
		if strings.HasPrefix(piece, "4") {
			break // cancels the request
		}
		fmt.Print(piece)
	}
	// Output: 1, 2, 3,
}

func ExampleClient_OpenStream() {
	client, err := simpleagents.NewClient("simulated", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	stream := client.OpenStream(context.Background(), simpleagents.Request{Messages: ask("Count to 3")})
	for piece, err := range stream.Texts() {
		fmt.Printf("%q %v\n", piece, err)
	}
	result, err := stream.Result()
	fmt.Println(result.Text, result.StopReason, err)
	// Output:
	// "1, " <nil>
	// "2, " <nil>
	// "3" <nil>
	// 1, 2, 3 end <nil>
}

func ExampleStreamAs() {
	client, err := simpleagents.NewClient("simulated", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	request := simpleagents.Request{Messages: ask("Invent a character.")}
	stream := simpleagents.StreamAs[Character](context.Background(), client, request)
	isGrowing := true
	name := ""
	for character, err := range stream.Partials() {
		if err != nil {
			fmt.Println(err)
			return
		}
		isGrowing = isGrowing && strings.HasPrefix(character.Name, name)
		name = character.Name
	}
	result, err := stream.Result()
	fmt.Println(isGrowing, result.Value.Name == name, result.Confidence, err)
	// Output: true true 1 <nil>
}

func ExampleNewTool() {
	client, err := simpleagents.NewClient("simulated", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	type place struct {
		City string `json:"city"`
	}
	weather := func(ctx context.Context, where place) (string, error) { return "sunny in " + where.City, nil }
	result, err := client.Chat(context.Background(), simpleagents.Request{
		Messages: ask("What is the weather in Lisbon?"),
		Tools:    []simpleagents.Tool{simpleagents.NewTool("get_weather", "The weather in a city", weather)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(result.Text, "sunny in Lisbon"))
	// Output: true
}

func ExampleHeal() {
	healed, err := simpleagents.Heal[Character](`Sure: {name: 'Ada', "age": "36", tags: ["math",`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+v %v\n", healed.Value, healed.Confidence > 0.7)
	_, err = simpleagents.Heal[Character]("I would rather not.")
	fmt.Println(errors.Is(err, simpleagents.ErrHealing))
	// Output:
	// {Name:Ada Age:36 Tags:[math]} true
	// true
}

func ExampleSchemaOf() {
	schema, err := simpleagents.SchemaOf[Character]()
	fmt.Println(string(schema), err)
	// Output:
	// {"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"required":["name","age","tags"]} <nil>
}

func ExampleKind() {
	client, err := simpleagents.NewClient("openai", "any",
		simpleagents.WithBaseURL("http://127.0.0.1:9/v1"), simpleagents.WithMaxAttempts(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	_, err = client.Complete(ask("Hello"), "gpt-4o")
	var failure *simpleagents.Error
	fmt.Println(errors.Is(err, simpleagents.ErrNetwork), errors.As(err, &failure), failure.Retryable)
	// Output: true true true
}
