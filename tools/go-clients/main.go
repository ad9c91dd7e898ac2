// Uses the gateway through clients written in Go. It answers the questions of
// test/support/clients/program.ts: one per line of the input, one line with what the client saw for each.
package main

import (
	"log"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatalf("usage: %s URL", os.Args[0])
	}
	url := os.Args[1]
	openaiClient := newOpenAI(url + "/v1")
	google, err := newGoogleGenAI(url)
	if err != nil {
		log.Fatal(err)
	}
	clients := map[string]client{
		"eino, openai":           newEinoOpenAI(url + "/v1"),
		"eino, claude":           newEinoClaude(url),
		"openai-go, chat":        openaiChat{completions: openaiClient.Chat.Completions},
		"openai-go, responses":   openaiResponses{responses: openaiClient.Responses},
		"anthropic-sdk-go":       newAnthropicMessages(url),
		"google genai":           google,
		"go-openai":              newGoOpenAI(url + "/v1"),
		"langchaingo, openai":    newLangchaingoOpenAI(url + "/v1"),
		"langchaingo, anthropic": newLangchaingoAnthropic(url + "/v1"),
	}
	if err := serve(os.Stdin, os.Stdout, clients); err != nil {
		log.Fatal(err)
	}
}
