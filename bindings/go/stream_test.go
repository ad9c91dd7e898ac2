package simpleagents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// collect returns the elements before the error, and the error.
func collect[V any](pieces iter.Seq2[V, error]) (all []V, failure error) {
	for piece, err := range pieces {
		if err != nil {
			return all, err
		}
		all = append(all, piece)
	}
	return all, nil
}

func TestStream(t *testing.T) {
	pieces, err := collect(openClient(t, nil).Stream(context.Background(), ask("Count to 5"), "gpt-4o"))
	if err != nil || !slices.Equal(pieces, []string{"1, ", "2, ", "3, ", "4, ", "5"}) {
		t.Fatalf("got %q, %v", pieces, err)
	}
}

func TestStreamRunsAgainInEachLoop(t *testing.T) {
	pieces := simulated(t).Stream(context.Background(), ask("Count to 5"), "")
	first, _ := collect(pieces)
	second, err := collect(pieces)
	if err != nil || len(first) == 0 || !slices.Equal(first, second) {
		t.Fatalf("got %q and %q, %v", first, second, err)
	}
}

func TestStreamResult(t *testing.T) {
	stream := openClient(t, nil).OpenStream(context.Background(), askFor("Count to 5"))
	if _, err := collect(stream.Texts()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		result, err := stream.Result()
		if err != nil || result.Text != "1, 2, 3, 4, 5" || result.Usage.Output != 4 || *result.Cost <= 0 {
			t.Fatalf("got %+v, %v", result, err)
		}
	}
	if again, err := collect(stream.Texts()); err != nil || len(again) > 0 {
		t.Errorf("a second loop: %q, %v", again, err)
	}
}

func TestResultReadsTheStream(t *testing.T) {
	result, err := simulated(t).OpenStream(context.Background(), askFor("Count to 5")).Result()
	if err != nil || result.Text != "1, 2, 3, 4, 5" {
		t.Fatalf("got %+v, %v", result, err)
	}
}

func TestEvents(t *testing.T) {
	events, err := collect(openClient(t, nil).OpenStream(context.Background(), askFor("Count to 2")).Events())
	var types []string
	for _, event := range events {
		types = append(types, event.Type)
	}
	expected := []string{"message-start", "text-delta", "text-delta", "block-end", "message-end"}
	if err != nil || !slices.Equal(types, expected) || events[4].Usage.Output == 0 {
		t.Fatalf("got %q, %v", types, err)
	}
}

func TestLeavingTheLoopEndsTheRequest(t *testing.T) {
	checkGoroutines(t)
	client := openClient(t, fault{"slow": 20})
	stream := client.OpenStream(context.Background(), askFor("Count to 1000"))
	for _, err := range stream.Texts() {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if _, err := stream.Result(); !errors.Is(err, ErrBadRequest) || !strings.Contains(err.Error(), "left") {
		t.Errorf("Result: %v", err)
	}
	if _, err := collect(stream.Texts()); !errors.Is(err, ErrBadRequest) {
		t.Errorf("a second loop: %v", err)
	}
}

func TestPanicInTheLoopClosesTheStream(t *testing.T) {
	checkGoroutines(t)
	stream := openClient(t, fault{"slow": 20}).OpenStream(context.Background(), askFor("Count to 1000"))
	func() {
		defer func() { _ = recover() }()
		for range stream.Texts() {
			panic("stop")
		}
	}()
	if stream.reader.handle != 0 || stream.reader.err == nil {
		t.Error("the stream is still open")
	}
}

func TestPullIterator(t *testing.T) {
	checkGoroutines(t)
	next, stop := iter.Pull2(simulated(t).Stream(context.Background(), ask("Count to 5"), ""))
	if piece, err, isThere := next(); piece != "1, " || err != nil || !isThere {
		t.Errorf("got %q, %v, %v", piece, err, isThere)
	}
	stop()
	stop()
}

// hangingServer never completes a response. It sees when a client closes its connection.
type hangingServer struct {
	url              string
	received, closed chan struct{}
}

func startHangingServer(t *testing.T, beginning string) hangingServer {
	t.Helper()
	server := hangingServer{received: make(chan struct{}, 1), closed: make(chan struct{}, 1)}
	handler := func(writer http.ResponseWriter, request *http.Request) {
		server.received <- struct{}{}
		_, _ = io.Copy(io.Discard, request.Body)
		if beginning != "" {
			writer.Header().Set("content-type", "text/event-stream")
			_, _ = io.WriteString(writer, beginning)
			writer.(http.Flusher).Flush()
		}
		<-request.Context().Done()
		server.closed <- struct{}{}
	}
	server.url = serve(t, handler)
	return server
}

const firstPiece = `data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}` + "\n\n"

func (server hangingServer) waitForClose(t *testing.T) {
	t.Helper()
	select {
	case <-server.closed:
	case <-time.After(30 * time.Second):
		t.Fatal("the request did not end")
	}
}

func TestCancelEndsTheHTTPRequest(t *testing.T) {
	checkGoroutines(t)
	server := startHangingServer(t, "")
	client := openClient(t, nil, WithBaseURL(server.url))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-server.received
		cancel()
	}()
	_, err := client.CompleteContext(ctx, ask("Hello"), "m")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrAborted) {
		t.Errorf("got %v", err)
	}
	server.waitForClose(t)
}

func TestDeadlineEndsTheHTTPRequest(t *testing.T) {
	checkGoroutines(t)
	server := startHangingServer(t, "")
	client := openClient(t, nil, WithBaseURL(server.url))
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := client.CompleteContext(ctx, ask("Hello"), "m")
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v", err)
	}
	// On a busy machine the deadline may pass before the request is sent.
	if len(server.received) > 0 {
		server.waitForClose(t)
	}
}

func TestCancelInAStreamEndsTheHTTPRequest(t *testing.T) {
	checkGoroutines(t)
	server := startHangingServer(t, firstPiece)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	reason := errors.New("the user went away")
	var pieces []string
	for piece, err := range openClient(t, nil, WithBaseURL(server.url)).Stream(ctx, ask("Hello"), "m") {
		if err != nil {
			if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrAborted) || !errors.Is(err, reason) {
				t.Errorf("got %v", err)
			}
			break
		}
		pieces = append(pieces, piece)
		cancel(reason)
	}
	if !slices.Equal(pieces, []string{"Hi"}) {
		t.Errorf("pieces: %q", pieces)
	}
	server.waitForClose(t)
}

func TestLeavingALoopEndsTheHTTPRequest(t *testing.T) {
	server := startHangingServer(t, firstPiece)
	for range openClient(t, nil, WithBaseURL(server.url)).Stream(context.Background(), ask("Hello"), "m") {
		break
	}
	server.waitForClose(t)
}

func TestNilContext(t *testing.T) {
	var none context.Context
	client := simulated(t)
	_, complete := client.CompleteContext(none, ask("Hello"), "")
	_, stream := collect(client.Stream(none, ask("Hello"), ""))
	_, heal := HealContext[any](none, "[1,", HealOptions{})
	for name, err := range map[string]error{"Complete": complete, "Stream": stream, "Heal": heal} {
		if !errors.Is(err, ErrBadRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDoneContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	client := simulated(t)
	_, complete := client.CompleteContext(ctx, ask("Hello"), "")
	_, stream := collect(client.Stream(ctx, ask("Hello"), ""))
	_, heal := HealContext[any](ctx, "[1,", HealOptions{})
	for name, err := range map[string]error{"Complete": complete, "Stream": stream, "Heal": heal} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Many goroutines share one client and read many streams. Every byte is right, and no goroutine is left.
func Test100GoroutinesWith20StreamsEach(t *testing.T) {
	checkGoroutines(t)
	// A server may close an idle connection at the moment at which it is used again.
	client := openClient(t, nil, WithMaxAttempts(5))
	var group sync.WaitGroup
	for number := range 100 {
		group.Add(1)
		go func() {
			defer group.Done()
			for turn := range 20 {
				limit := 1 + (number+turn)%20
				pieces, err := collect(client.Stream(context.Background(), ask(fmt.Sprint("Count to ", limit)), ""))
				if text := strings.Join(pieces, ""); err != nil || text != countTo(limit) {
					t.Errorf("%d: got %q, %v", limit, text, err)
				}
			}
		}()
	}
	group.Wait()
}

// Goroutines that wait do not hold a thread each.
func TestWaitingGoroutinesShareAThread(t *testing.T) {
	checkGoroutines(t)
	client := openClient(t, fault{"stallBeforeMs": 600_000})
	ctx, cancel := context.WithCancel(context.Background())
	before := threadCount()
	var group sync.WaitGroup
	for range 200 {
		group.Add(1)
		go func() {
			defer group.Done()
			if _, err := client.CompleteContext(ctx, ask("Hello"), ""); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}()
	}
	eventually(t, "all calls wait", func() bool { return callsInProgress() == 200 })
	// A busy machine may start some for the calls of cgo.
	if threads := threadCount() - before; threads > 100 {
		t.Errorf("200 calls that wait have started %d threads", threads)
	}
	cancel()
	group.Wait()
}

func TestCutStream(t *testing.T) {
	stream := openClient(t, fault{"cutAtByte": 2_000}).OpenStream(context.Background(), askFor("Count to 100"))
	pieces, err := collect(stream.Texts())
	if len(pieces) == 0 || !strings.HasPrefix(countTo(100), strings.Join(pieces, "")) {
		t.Errorf("pieces: %q", pieces)
	}
	if !errors.Is(err, ErrNetwork) && !errors.Is(err, ErrBadResponse) && !errors.Is(err, ErrUpstream) {
		t.Errorf("got %v", err)
	}
	if _, again := stream.Result(); again != err {
		t.Errorf("Result: %v", again)
	}
}
