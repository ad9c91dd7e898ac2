// Streams a typed value: each line shows the character as far as it has arrived.
package main

import (
	"context"
	"fmt"
	"log"

	"simpleagents"
)

type Item struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight" description:"in kilograms"`
}

type Character struct {
	Name      string `json:"name"`
	Age       int    `json:"age"`
	Class     string `json:"class" enum:"mage,thief,knight"`
	Inventory []Item `json:"inventory"`
}

func main() {
	client, err := simpleagents.NewClient("simulated", "")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	stream := simpleagents.StreamAs[Character](context.Background(), client, simpleagents.Request{
		Messages: []simpleagents.Message{simpleagents.User("Invent a character for a fantasy novel.")},
	})
	for character, err := range stream.Partials() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%+v\n", character)
	}
	result, err := stream.Result()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s carries %d items.\n", result.Value.Name, len(result.Value.Inventory))
	fmt.Printf("%d tokens, confidence %v, %d corrections\n", result.Usage.Output, result.Confidence, len(result.Flags))
}
