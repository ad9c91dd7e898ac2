// Uses the next model when the first one cannot be reached.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"simpleagents"
)

// Nothing listens here.
const unreachable = "http://127.0.0.1:9/v1"

func main() {
	request := simpleagents.Request{
		Messages: []simpleagents.Message{simpleagents.User("Count to 5")},
		Model:    "gpt-4o",
	}
	client, err := simpleagents.NewClient("openai", "any",
		simpleagents.WithBaseURL(unreachable),
		simpleagents.WithMaxAttempts(1),
		simpleagents.WithFallback("gpt-4o", "openai/gpt-4o", "simulated/simulated"),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	result, err := client.Chat(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s answered: %s\n", result.Target, result.Text)

	alone, err := simpleagents.NewClient("openai", "any",
		simpleagents.WithBaseURL(unreachable), simpleagents.WithMaxAttempts(1))
	if err != nil {
		log.Fatal(err)
	}
	defer alone.Close()
	if _, err := alone.Chat(context.Background(), request); errors.Is(err, simpleagents.ErrNetwork) {
		fmt.Println("Without a fallback:", err)
	}
}
