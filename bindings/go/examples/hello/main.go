// One question, one answer.
package main

import (
	"fmt"
	"log"

	"simpleagents"
)

func main() {
	client, err := simpleagents.NewClient("simulated", "")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	answer, err := client.Complete([]simpleagents.Message{simpleagents.User("Hello!")}, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}
