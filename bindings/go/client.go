package simpleagents

import (
	"context"
	"iter"
	"runtime"
	"sync/atomic"
)

// Client is a client of one provider, or of all that the environment has keys for. It is safe for concurrent use.
type Client struct {
	// handle is the number of the client in the engine.
	handle   int
	isClosed atomic.Bool
}

// NewClient makes a client for a provider: "openai", "anthropic", …, or "simulated", which needs neither key nor
// network. If the key is empty, the provider's environment variable is used. If the provider is empty, the
// configuration file and the keys in the environment decide. Close the client to free its connections early; the
// garbage collector does it too.
func NewClient(provider, apiKey string, options ...ClientOption) (*Client, error) {
	settings := map[string]any{}
	for name, value := range map[string]string{"provider": provider, "apiKey": apiKey} {
		if value != "" {
			settings[name] = value
		}
	}
	for _, option := range options {
		option(settings)
	}
	var opened struct {
		Client int `json:"client"`
	}
	call := engineCall{Call: "open-client", Options: settings}
	if err := engine().call(context.Background(), call, &opened); err != nil {
		return nil, err
	}
	client := &Client{handle: opened.Client}
	runtime.SetFinalizer(client, (*Client).release)
	return client, nil
}

// Close closes the connections. Calls in progress fail. Closing a client twice does nothing.
func (client *Client) Close() error {
	if client == nil || client.handle == 0 || !client.isClosed.CompareAndSwap(false, true) {
		return nil
	}
	runtime.SetFinalizer(client, nil)
	return engine().call(context.Background(), engineCall{Call: "close-client", Client: client.handle}, nil)
}

// release is the finalizer. It does not wait.
func (client *Client) release() {
	engine().send(engineCall{Call: "close-client", Client: client.handle})
}

// Complete returns the text of the answer. If the model is empty, the client's model is used.
func (client *Client) Complete(messages []Message, model string) (string, error) {
	return client.CompleteContext(context.Background(), messages, model)
}

// CompleteContext is Complete with a context. When the context is done, the request ends.
func (client *Client) CompleteContext(ctx context.Context, messages []Message, model string) (string, error) {
	result, err := client.Chat(ctx, Request{Messages: messages, Model: model})
	if err != nil {
		return "", err
	}
	return result.Text, nil
}

// Chat returns the answer with its usage, cost, flags and confidence. It runs the tools of the request.
func (client *Client) Chat(ctx context.Context, request Request) (*Result, error) {
	chat, err := newConversation(request)
	if err != nil {
		return nil, err
	}
	for {
		var answer completion
		if err := client.call(ctx, engineCall{Call: "complete", Input: chat.input()}, &answer); err != nil {
			return nil, err
		}
		isDone, err := chat.take(ctx, answer)
		if err != nil {
			return nil, err
		}
		if isDone {
			return chat.result(), nil
		}
	}
}

// ChatAs returns an answer of a type. The type's JSON Schema is sent to the model, and the answer is healed to match
// it.
func ChatAs[T any](ctx context.Context, client *Client, request Request) (*TypedResult[T], error) {
	request, err := withSchemaOf[T](request)
	if err != nil {
		return nil, err
	}
	result, err := client.Chat(ctx, request)
	if err != nil {
		return nil, err
	}
	return typed[T](result)
}

// Stream returns the pieces of the answer's text. Leaving the loop cancels the request. An error is the last element.
//
//	for piece, err := range client.Stream(ctx, messages, model) { … }
//
// Each loop over the sequence makes a new request. OpenStream also has events and the result.
func (client *Client) Stream(ctx context.Context, messages []Message, model string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		client.OpenStream(ctx, Request{Messages: messages, Model: model}).Texts()(yield)
	}
}

// call adds the client to a call and waits for its result.
func (client *Client) call(ctx context.Context, call engineCall, result any) error {
	if client == nil || client.handle == 0 {
		return badRequest("client: must be created with NewClient")
	}
	if client.isClosed.Load() {
		return badRequest("client: is closed")
	}
	// The garbage collector must not close it during the call.
	defer runtime.KeepAlive(client)
	call.Client = client.handle
	return engine().call(ctx, call, result)
}
