package simpleagents

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestComplete(t *testing.T) {
	answer, err := openClient(t, nil).Complete(ask("Count to 5"), "gpt-4o")
	if err != nil || answer != "1, 2, 3, 4, 5" {
		t.Fatalf("got %q, %v", answer, err)
	}
}

func TestChat(t *testing.T) {
	temperature := 0.0
	result, err := openClient(t, nil).Chat(context.Background(), Request{
		Messages:    ask("Count to 5"),
		Model:       "gpt-4o",
		System:      "Be brief.",
		MaxTokens:   100,
		Temperature: &temperature,
		Options:     map[string]any{"topP": 0.5, "stop": []string{"never"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Text != "1, 2, 3, 4, 5" || result.StopReason != "end" || result.Target != "openai" {
		t.Errorf("got %+v", result)
	}
	if result.Usage.Output != 4 || result.Usage.Input == 0 || result.Usage.Missing {
		t.Errorf("usage: %+v", result.Usage)
	}
	if result.Cost == nil || *result.Cost <= 0 {
		t.Errorf("cost: %v", result.Cost)
	}
	if result.Confidence != 1 || result.Value != nil {
		t.Errorf("confidence %v, value %s", result.Confidence, result.Value)
	}
}

func TestUnknownCost(t *testing.T) {
	result, err := openClient(t, nil).Chat(context.Background(), Request{Messages: ask("Hello"), Model: "no-price"})
	if err != nil || result.Cost != nil {
		t.Fatalf("got cost %v, %v", result, err)
	}
}

func TestConversationContinues(t *testing.T) {
	client := openClient(t, nil)
	messages := ask("My name is Ada.")
	first, err := client.Chat(context.Background(), Request{Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	messages = append(append(messages, first.Messages...), User("What is my name?"))
	second, err := client.Complete(messages, "")
	if err != nil || !strings.Contains(second, "Ada") {
		t.Fatalf("got %q, %v", second, err)
	}
}

func TestTextsWithNULAndDamagedUnicode(t *testing.T) {
	answer, err := simulated(t).Complete(ask("Repeat this: a\x00b \xff ü"), "")
	if err != nil || !strings.Contains(answer, "a\x00b \uFFFD ü") {
		t.Fatalf("got %q, %v", answer, err)
	}
}

func TestNilAndZeroClients(t *testing.T) {
	for _, client := range []*Client{nil, {}} {
		if _, err := client.Complete(ask("Hello"), ""); !errors.Is(err, ErrBadRequest) {
			t.Errorf("Complete: %v", err)
		}
		for _, err := range client.Stream(context.Background(), ask("Hello"), "") {
			if !errors.Is(err, ErrBadRequest) {
				t.Errorf("Stream: %v", err)
			}
		}
		if _, err := ChatAs[string](context.Background(), client, askFor("Hello")); !errors.Is(err, ErrBadRequest) {
			t.Errorf("ChatAs: %v", err)
		}
		if err := client.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

func TestClosedClient(t *testing.T) {
	client := simulated(t)
	stream := client.OpenStream(context.Background(), askFor("Hello"))
	for range 3 {
		if err := client.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := client.Complete(ask("Hello"), "")
	if !errors.Is(err, ErrBadRequest) || err.Error() != "client: is closed" {
		t.Errorf("Complete: %v", err)
	}
	if _, err := stream.Result(); !errors.Is(err, ErrBadRequest) {
		t.Errorf("Result: %v", err)
	}
}

func TestCloseEndsCalls(t *testing.T) {
	client := openClient(t, fault{"stallBeforeMs": 600_000})
	failed := make(chan error)
	go func() {
		_, err := client.Complete(ask("Hello"), "")
		failed <- err
	}()
	eventually(t, "the call has started", func() bool { return callsInProgress() == 1 })
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("the call did not fail")
	}
}

func TestConcurrentClose(t *testing.T) {
	client := simulated(t)
	var group sync.WaitGroup
	for range 20 {
		group.Add(2)
		go func() {
			defer group.Done()
			_, _ = client.Complete(ask("Count to 3"), "")
		}()
		go func() {
			defer group.Done()
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
}

// A client that is only used by a stream must not be closed by the garbage collector.
func TestGarbageCollection(t *testing.T) {
	checkGoroutines(t)
	open := func() *Stream {
		client, err := NewClient("simulated", "")
		if err != nil {
			t.Fatal(err)
		}
		return client.OpenStream(context.Background(), askFor("Count to 20"))
	}
	for range 5 {
		stream := open()
		for _, err := range stream.Texts() {
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC()
		}
	}
}

// Clients that are not used any more are closed in the engine.
func TestFinalizer(t *testing.T) {
	handle := func() int {
		client, err := NewClient("simulated", "")
		if err != nil {
			t.Fatal(err)
		}
		return client.handle
	}()
	eventually(t, "the client is closed", func() bool {
		runtime.GC()
		call := engineCall{Call: "complete", Client: handle, Input: "Hello"}
		return errors.Is(engine().call(context.Background(), call, nil), ErrBadRequest)
	})
}

func TestWrongOptionsAndRequests(t *testing.T) {
	_, err := NewClient("simulated", "", WithOption("apiKye", "x"))
	if !errors.Is(err, ErrConfiguration) || !strings.Contains(err.Error(), "apiKey") {
		t.Errorf("unknown option: %v", err)
	}
	client := simulated(t)
	cases := map[string]Request{
		"messages":         {},
		"messages[0].role": {Messages: []Message{{Role: "robot", Content: "Hello"}}},
		"temperature":      {Messages: ask("Hello"), Options: map[string]any{"temprature": 1}},
		"Model":            {Messages: ask("Hello"), Options: map[string]any{"model": "m"}},
		"no JSON form":     {Messages: ask("Hello"), Options: map[string]any{"seed": func() {}}},
		"two tools":        {Messages: ask("Hello"), Tools: []Tool{{Name: "a"}, {Name: "a"}}},
	}
	for expected, request := range cases {
		_, err := client.Chat(context.Background(), request)
		if !errors.Is(err, ErrBadRequest) || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: %v", expected, err)
		}
		if _, err := client.OpenStream(context.Background(), request).Result(); !errors.Is(err, ErrBadRequest) {
			t.Errorf("%s in a stream: %v", expected, err)
		}
	}
}

// callsInProgress counts the calls that wait for a reply.
func callsInProgress() int {
	queue := engine()
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	return len(queue.waiting)
}
