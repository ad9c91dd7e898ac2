package simpleagents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestKindsOfErrors(t *testing.T) {
	cases := []struct {
		fault fault
		kind  Kind
	}{
		{fault{"status": 400}, ErrBadRequest},
		{fault{"status": 401}, ErrAuth},
		{fault{"status": 404}, ErrNotFound},
		{fault{"status": 429, "retryAfter": "7"}, ErrRateLimit},
		{fault{"status": 500}, ErrUpstream},
		{fault{"status": 503}, ErrOverloaded},
		{fault{"reset": true}, ErrNetwork},
	}
	for _, given := range cases {
		t.Run(string(given.kind), func(t *testing.T) {
			client := openClient(t, given.fault)
			_, err := client.Complete(ask("Hello"), "")
			var failure *Error
			if !errors.Is(err, given.kind) || !errors.As(err, &failure) {
				t.Fatalf("got %v", err)
			}
			if status, _ := given.fault["status"].(int); failure.Status != status || failure.Target != "openai" {
				t.Errorf("got %+v", failure)
			}
			if given.kind == ErrRateLimit && (failure.RetryAfter != 7*time.Second || !failure.Retryable) {
				t.Errorf("got %+v", failure)
			}
			if errors.Is(err, ErrTimeout) || strings.Contains(fmt.Sprintf("%+v", failure), "sk-test") {
				t.Errorf("got %+v", failure)
			}
			_, err = collect(client.Stream(context.Background(), ask("Hello"), ""))
			if !errors.Is(err, given.kind) {
				t.Errorf("in a stream: %v", err)
			}
		})
	}
}

func TestTimeoutOfTheClient(t *testing.T) {
	client := openClient(t, fault{"stallBeforeMs": 600_000}, WithTimeout(100*time.Millisecond))
	_, err := client.Complete(ask("Hello"), "")
	if !errors.Is(err, ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestFallback(t *testing.T) {
	for _, model := range []string{"gpt-4o", ""} {
		client := openClient(t, fault{"status": 503}, WithFallback(model, "openai/gpt-4o", "simulated/simulated"))
		result, err := client.Chat(context.Background(), Request{Messages: ask("Count to 5"), Model: model})
		if err != nil || result.Text != "1, 2, 3, 4, 5" || !strings.HasPrefix(result.Target, "simulated") {
			t.Errorf("got %+v, %v", result, err)
		}
	}
}

func TestCache(t *testing.T) {
	client := openClient(t, nil, WithCache(time.Hour))
	for turn := range 2 {
		result, err := client.Chat(context.Background(), askFor("Count to 5"))
		if err != nil || result.Text != "1, 2, 3, 4, 5" {
			t.Fatalf("got %+v, %v", result, err)
		}
		isCached := slices.ContainsFunc(result.Notices, func(notice Notice) bool { return notice.Kind == "cached" })
		if isCached != (turn == 1) {
			t.Errorf("turn %d: %+v", turn, result.Notices)
		}
	}
}

// The table of the core has no other kinds.
func TestAllKindsHaveAConstant(t *testing.T) {
	core, err := os.ReadFile("../../src/core/error.ts")
	if err != nil {
		t.Skip("this is not a checkout")
	}
	own, err := os.ReadFile("error.go")
	if err != nil {
		t.Fatal(err)
	}
	_, union, _ := strings.Cut(string(core), "export type ErrorKind =")
	union, _, _ = strings.Cut(union, ";")
	kinds := []string{"aborted", "tool-loop"}
	for _, found := range regexp.MustCompile(`'([a-z-]+)'`).FindAllStringSubmatch(union, -1) {
		kinds = append(kinds, found[1])
	}
	var constants []string
	for _, found := range regexp.MustCompile(`Err\w+ Kind = "([a-z-]+)"`).FindAllStringSubmatch(string(own), -1) {
		constants = append(constants, found[1])
	}
	slices.Sort(kinds)
	slices.Sort(constants)
	if len(kinds) < 10 || !slices.Equal(kinds, constants) {
		t.Errorf("kinds %q, constants %q", kinds, constants)
	}
}
