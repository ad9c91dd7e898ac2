// Package simpleagents is one client for every language model: providers, routing, retries, a cache, streams, tools,
// and typed answers healed from damaged text. It is the TypeScript package itself, run by an engine inside a native
// library.
//
//	client, err := simpleagents.NewClient("openai", key)
//	answer, err := client.Complete([]simpleagents.Message{simpleagents.User("Hello!")}, "gpt-4")
//
// The provider "simulated" answers without a key and without a network.
//
// # Typed answers
//
// [ChatAs], [StreamAs] and [Heal] derive a JSON Schema from a Go type and return values of it.
//
// # Errors
//
// Every error of a call is an [*Error]. Use errors.Is with a kind, such as [ErrRateLimit], or errors.As for the
// details. If a context ended the call, the error is also context.Canceled or context.DeadlineExceeded.
//
// # Goroutines and threads
//
// All functions are safe for concurrent use, except that a stream is for one goroutine at a time. A goroutine that
// waits for an answer waits on a channel and holds no thread of the system. While there are calls, one further
// goroutine, and with it one thread, waits for the replies of all of them; it ends with the last call. The native
// library has a thread for JavaScript and one for HTTP, and another one for JavaScript after the first use of [Heal].
package simpleagents
