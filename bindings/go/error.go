package simpleagents

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Kind says why a call failed. It is an error itself, for errors.Is:
//
//	if errors.Is(err, simpleagents.ErrRateLimit) { … }
type Kind string

const (
	// ErrBadRequest means that the request is not valid.
	ErrBadRequest Kind = "bad-request"
	// ErrContextOverflow means that the conversation is too long for the model.
	ErrContextOverflow Kind = "context-overflow"
	// ErrAuth means that the API key is missing, wrong, or has no permission.
	ErrAuth Kind = "auth"
	// ErrQuota means that the account has no credit left or has reached its limit.
	ErrQuota Kind = "quota"
	// ErrNotFound means that there is no such model or address.
	ErrNotFound Kind = "not-found"
	// ErrRateLimit means too many requests.
	ErrRateLimit Kind = "rate-limit"
	// ErrOverloaded means that the provider is overloaded.
	ErrOverloaded Kind = "overloaded"
	// ErrUpstream means that the provider failed.
	ErrUpstream Kind = "upstream"
	// ErrNetwork means that the provider could not be reached, or that the connection was lost.
	ErrNetwork Kind = "network"
	// ErrTimeout means that the provider took too long, or that the deadline of the context has passed.
	ErrTimeout Kind = "timeout"
	// ErrBadResponse means that the server does not speak the expected protocol.
	ErrBadResponse Kind = "bad-response"
	// ErrHealing means that the text does not contain a value of the type. Value and Flags say what was found.
	ErrHealing Kind = "healing"
	// ErrConfiguration means that an option or the configuration file is wrong.
	ErrConfiguration Kind = "configuration"
	// ErrInternal means a bug in this package. Please report it.
	ErrInternal Kind = "internal"
	// ErrAborted means that the context was cancelled, or the client closed.
	ErrAborted Kind = "aborted"
	// ErrToolLoop means that the model still called tools after the last allowed round.
	ErrToolLoop Kind = "tool-loop"
)

// Error returns the name of the kind.
func (kind Kind) Error() string {
	return string(kind)
}

// Error is the error of every call. A field that is not known has its zero value.
type Error struct {
	Kind Kind
	// Message says what happened, where, and what to do.
	Message string
	// Retryable says whether the same call may succeed later.
	Retryable bool
	// Status is the provider's HTTP status.
	Status int
	// RetryAfter is how long the provider asked to wait.
	RetryAfter time.Duration
	// Target is the provider or model that failed.
	Target string
	// Field is the field or option that is wrong.
	Field string
	// Code is the provider's own name for the error.
	Code string
	// RequestID is the provider's id of the request, for support requests.
	RequestID string
	// Text is what the model wrote, if it could not be healed.
	Text string
	// Value is the value that was found in the text, although it is not usable.
	Value json.RawMessage
	// Flags are the changes that led to Value.
	Flags []Flag
	// Confidence is how sure healing is of Value, from 0 to 1.
	Confidence float64
	// cause is a context's error, or the error of encoding/json.
	cause error
}

// Error returns the message.
func (err *Error) Error() string {
	return err.Message
}

// Is reports whether the target is the kind of the error.
func (err *Error) Is(target error) bool {
	kind, isKind := target.(Kind)
	return isKind && kind == err.Kind
}

// Unwrap returns the error of the context, such as context.Canceled, or another cause.
func (err *Error) Unwrap() error {
	return err.cause
}

// toError reads an error of the engine.
func toError(reply []byte) error {
	var content struct {
		Error
		RetryAfterMs float64 `json:"retryAfterMs"`
	}
	if err := json.Unmarshal(reply, &content); err != nil {
		return unreadable(err)
	}
	content.RetryAfter = time.Duration(content.RetryAfterMs * float64(time.Millisecond))
	return &content.Error
}

// contextError is the error of a call whose context is done; nil if it is not.
func contextError(ctx context.Context) error {
	if ctx == nil {
		return badRequest("ctx: must not be nil")
	}
	cause := ctx.Err()
	if cause == nil {
		return nil
	}
	// A cause of the program's own may contain the error of the context already.
	if own := context.Cause(ctx); !errors.Is(own, cause) {
		cause = errors.Join(cause, own)
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		message := "the deadline of the context has passed"
		return &Error{Kind: ErrTimeout, Message: message, Retryable: true, cause: cause}
	}
	return &Error{Kind: ErrAborted, Message: "the context was cancelled", cause: cause}
}

func badRequest(message string) error {
	return &Error{Kind: ErrBadRequest, Message: message}
}
