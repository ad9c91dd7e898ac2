// Gives the model a Go function to call.
package main

import (
	"context"
	"fmt"
	"log"

	"simpleagents"
)

type Place struct {
	City string `json:"city" description:"The name of a city"`
	Days int    `json:"days,omitempty"`
}

func getWeather(ctx context.Context, place Place) (string, error) {
	return fmt.Sprintf("sunny in %s for %d day(s)", place.City, max(place.Days, 1)), nil
}

func main() {
	client, err := simpleagents.NewClient("simulated", "")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	tool := simpleagents.NewTool("get_weather", "The weather forecast for a city", getWeather)
	result, err := client.Chat(context.Background(), simpleagents.Request{
		Messages: []simpleagents.Message{simpleagents.User("What is the weather in Lisbon?")},
		Tools:    []simpleagents.Tool{tool},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	fmt.Printf("%d messages, %d tokens\n", len(result.Messages), result.Usage.Output)
}
