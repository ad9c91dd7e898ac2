// Heals a damaged text into a typed value, without any model.
package main

import (
	"errors"
	"fmt"
	"log"

	"simpleagents"
)

type Person struct {
	Name string   `json:"name"`
	Age  int      `json:"age"`
	Tags []string `json:"tags"`
}

const text = "Sure! Here is the person:\n```json\n{name: \"Ada\", \"age\": \"36\", 'tags': [\"math\", \"poetry\",\n"

func main() {
	healed, err := simpleagents.Heal[Person](text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\nconfidence %.2f\n", healed.Value, healed.Confidence)
	for _, flag := range healed.Flags {
		fmt.Println(flag.Kind, flag.Path)
	}
	if _, err := simpleagents.Heal[Person]("I would rather not."); errors.Is(err, simpleagents.ErrHealing) {
		fmt.Println("Not healed:", err)
	}
}
