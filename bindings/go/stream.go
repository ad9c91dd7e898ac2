package simpleagents

import (
	"context"
	"encoding/json"
	"io"
	"iter"
)

// Event is one event of a model's response, see src/core/event.ts. Which fields are set depends on Type.
type Event struct {
	// Type is "message-start", "text-delta", "reasoning-delta", "tool-call-start", "tool-call-delta", "block-end",
	// "message-end" or "notice".
	Type  string `json:"type"`
	Index int    `json:"index"`
	ID    string `json:"id"`
	Model string `json:"model"`
	Text  string `json:"text"`
	Name  string `json:"name"`
	// JSON is a fragment of a tool call's arguments.
	JSON string `json:"json"`
	// Block is the complete block.
	Block      json.RawMessage `json:"block"`
	StopReason string          `json:"stopReason"`
	Usage      *Usage          `json:"usage"`
	Kind       string          `json:"kind"`
	Detail     string          `json:"detail"`
}

// Stream is an answer that arrives in pieces. The request is made by the first loop, or by Result. Leaving the loop
// cancels it. A stream is for one goroutine at a time.
type Stream struct {
	reader streamReader
}

// OpenStream returns the answer in pieces. It runs the tools of the request.
func (client *Client) OpenStream(ctx context.Context, request Request) *Stream {
	return &Stream{newStreamReader(ctx, client, request)}
}

// Texts are the pieces of the text. An error is the last element.
func (stream *Stream) Texts() iter.Seq2[string, error] {
	return readAll(&stream.reader, func(item streamItem) (string, bool) {
		return item.Event.Text, item.Event.Type == "text-delta"
	})
}

// Events are all events. An error is the last element.
func (stream *Stream) Events() iter.Seq2[Event, error] {
	return readAll(&stream.reader, func(item streamItem) (Event, bool) {
		return item.Event, item.Event.Type != ""
	})
}

// Result is the complete answer. It reads the rest of the stream first.
func (stream *Stream) Result() (*Result, error) {
	return stream.reader.finish()
}

// TypedStream is an answer of a type that arrives in pieces. As for Stream, leaving the loop cancels the request.
type TypedStream[T any] struct {
	reader streamReader
}

// StreamAs returns an answer of a type while it grows.
func StreamAs[T any](ctx context.Context, client *Client, request Request) *TypedStream[T] {
	request, err := withSchemaOf[T](request)
	stream := &TypedStream[T]{newStreamReader(ctx, client, request)}
	if err != nil {
		stream.reader.err = err
	}
	return stream
}

// Partials are the value as far as it has arrived. What was shown does not change; strings and lists may grow. Fields
// that have not arrived have their zero value. The last element is the complete value, or an error. A partial value
// that the type cannot hold yet, such as the beginning of a date, is skipped.
func (stream *TypedStream[T]) Partials() iter.Seq2[T, error] {
	return stream.partials(true)
}

// LivePartials are as Partials, but values appear a little earlier and may be corrected.
func (stream *TypedStream[T]) LivePartials() iter.Seq2[T, error] {
	return stream.partials("live")
}

func (stream *TypedStream[T]) partials(mode any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stream.reader.partials = mode
		readAll(&stream.reader, func(item streamItem) (T, bool) {
			var value T
			isReadable := item.Partial != nil && json.Unmarshal(item.Partial, &value) == nil
			return value, isReadable
		})(yield)
	}
}

// Result is the complete answer. It reads the rest of the stream first.
func (stream *TypedStream[T]) Result() (*TypedResult[T], error) {
	result, err := stream.reader.finish()
	if err != nil {
		return nil, err
	}
	return typed[T](result)
}

// streamItem is a result of `read-stream`, see src/embed/protocol.ts.
type streamItem struct {
	Event      Event           `json:"event"`
	Partial    json.RawMessage `json:"partial"`
	Completion *completion     `json:"completion"`
}

// streamReader reads a stream call by call, so a program that reads slowly slows down the provider. Between two loops
// no stream is open.
type streamReader struct {
	ctx    context.Context
	client *Client
	chat   *conversation
	// partials is what the engine expects: nothing for events, true or "live".
	partials any
	// handle is the number of the open stream in the engine; 0 if there is none.
	handle int
	result *Result
	err    error
}

func newStreamReader(ctx context.Context, client *Client, request Request) streamReader {
	chat, err := newConversation(request)
	return streamReader{ctx: ctx, client: client, chat: chat, err: err}
}

// readAll closes the stream when the loop ends, also by a panic.
func readAll[V any](reader *streamReader, toValue func(streamItem) (V, bool)) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		defer reader.close()
		for {
			item, err := reader.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				var none V
				yield(none, err)
				return
			}
			if value, isShown := toValue(item); isShown && !yield(value, nil) {
				return
			}
		}
	}
}

// finish reads to the end.
func (reader *streamReader) finish() (*Result, error) {
	defer reader.close()
	for {
		if _, err := reader.next(); err == io.EOF {
			return reader.result, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// next is the next item, or io.EOF. An error stays the error of the stream.
func (reader *streamReader) next() (streamItem, error) {
	if reader.err != nil {
		return streamItem{}, reader.err
	}
	if reader.result != nil {
		return streamItem{}, io.EOF
	}
	item, err := reader.read()
	if err != nil {
		reader.err = err
		reader.close()
		return streamItem{}, err
	}
	if reader.result != nil {
		return streamItem{}, io.EOF
	}
	return item, nil
}

func (reader *streamReader) read() (streamItem, error) {
	if reader.handle == 0 {
		if err := reader.open(); err != nil {
			return streamItem{}, err
		}
	}
	var item streamItem
	call := engineCall{Call: "read-stream", Stream: reader.handle}
	if err := reader.client.call(reader.ctx, call, &item); err != nil {
		return streamItem{}, err
	}
	if item.Completion == nil {
		return item, nil
	}
	// The engine closes a stream that has ended.
	reader.handle = 0
	isDone, err := reader.chat.take(reader.ctx, *item.Completion)
	if err == nil && isDone {
		reader.result = reader.chat.result()
	}
	return item, err
}

// open does no I/O, and must not leave a stream behind that nobody knows.
func (reader *streamReader) open() error {
	if err := contextError(reader.ctx); err != nil {
		return err
	}
	var opened struct {
		Stream int `json:"stream"`
	}
	call := engineCall{Call: "open-stream", Input: reader.chat.input(), Partials: reader.partials}
	err := reader.client.call(context.WithoutCancel(reader.ctx), call, &opened)
	reader.handle = opened.Stream
	return err
}

// close cancels the request if it is still running.
func (reader *streamReader) close() {
	if reader.handle != 0 {
		engine().send(engineCall{Call: "close-stream", Stream: reader.handle})
		reader.handle = 0
	}
	if reader.result == nil && reader.err == nil {
		reader.err = badRequest("stream: was left before its end, so it has no more pieces and no result")
	}
}
