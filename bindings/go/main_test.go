package simpleagents

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// simulate is a real server with the API of OpenAI, on a port of this machine: `simple-agents simulate`. The first test
// that needs it starts it.
var simulate struct {
	start   sync.Once
	process *exec.Cmd
	url     string
	err     error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if simulate.process != nil && simulate.process.Process != nil {
		_ = simulate.process.Process.Signal(syscall.SIGTERM)
		_ = simulate.process.Wait()
	}
	os.Exit(code)
}

func simulateURL(t testing.TB) string {
	t.Helper()
	simulate.start.Do(func() { simulate.url, simulate.err = startSimulate() })
	if simulate.err != nil {
		t.Fatalf("simple-agents simulate did not start: %v", simulate.err)
	}
	return simulate.url
}

// startSimulate returns the address of the server. SIMPLE_AGENTS_COMMAND is the command, if Node is not on the PATH.
func startSimulate() (string, error) {
	command := os.Getenv("SIMPLE_AGENTS_COMMAND")
	if command == "" {
		program, err := filepath.Abs("../../bin/simple-agents")
		if err != nil {
			return "", err
		}
		command = "node " + program
	}
	words := append(strings.Fields(command), "simulate", "--port", "0")
	simulate.process = exec.Command(words[0], words[1:]...)
	output, err := simulate.process.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := simulate.process.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return "", err
	}
	return line[strings.LastIndex(strings.TrimSpace(line), " ")+1 : len(line)-1], nil
}

// fault is what the server does wrong, see docs/simulate.md.
type fault map[string]any

// openClient is a client of the server.
func openClient(t testing.TB, wrong fault, options ...ClientOption) *Client {
	t.Helper()
	given := []ClientOption{WithBaseURL(simulateURL(t) + "/v1"), WithModel("gpt-4o"), WithMaxAttempts(1)}
	if wrong != nil {
		text, err := json.Marshal(wrong)
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, WithHeaders(map[string]string{"x-simulate-fault": string(text)}))
	}
	client, err := NewClient("openai", "sk-test", append(given, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// simulated is a client of the model inside the library.
func simulated(t testing.TB) *Client {
	t.Helper()
	client, err := NewClient("simulated", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func ask(content string) []Message { return []Message{User(content)} }

func askFor(content string) Request { return Request{Messages: ask(content)} }

// eventually waits for a condition.
func eventually(t testing.TB, what string, isTrue func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for !isTrue() {
		select {
		case <-ctx.Done():
			t.Fatalf("never happened: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// checkGoroutines fails if goroutines are left when the test ends.
func checkGoroutines(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		eventually(t, fmt.Sprintf("at most %d goroutines", before), func() bool {
			return runtime.NumGoroutine() <= before
		})
	})
}

func countTo(limit int) string {
	numbers := make([]string, limit)
	for index := range numbers {
		numbers[index] = fmt.Sprint(index + 1)
	}
	return strings.Join(numbers, ", ")
}

// threadCount is how many threads the Go runtime has started.
func threadCount() int { return pprof.Lookup("threadcreate").Count() }

// serve starts an HTTP server on a port of this machine and returns its address.
func serve(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// openAIReply replies to chat completions with the given texts, as a stream if the request asks for one.
func openAIReply(texts <-chan string) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		var body struct {
			Stream bool `json:"stream"`
		}
		_ = json.NewDecoder(request.Body).Decode(&body)
		text := <-texts
		if !body.Stream {
			message := map[string]any{"role": "assistant", "content": text}
			writer.Header().Set("content-type", "application/json")
			_ = json.NewEncoder(writer).Encode(openAIBody("message", message, "stop"))
			return
		}
		writer.Header().Set("content-type", "text/event-stream")
		for _, letter := range text {
			writeEvent(writer, openAIBody("delta", map[string]any{"content": string(letter)}, nil))
		}
		writeEvent(writer, openAIBody("delta", map[string]any{}, "stop"))
		_, _ = fmt.Fprint(writer, "data: [DONE]\n\n")
	}
}

func openAIBody(part string, content map[string]any, finish any) map[string]any {
	choice := map[string]any{"index": 0, part: content, "finish_reason": finish}
	return map[string]any{"id": "1", "object": "chat.completion", "model": "m", "choices": []any{choice}}
}

func writeEvent(writer http.ResponseWriter, body any) {
	text, _ := json.Marshal(body)
	_, _ = fmt.Fprintf(writer, "data: %s\n\n", text)
}
