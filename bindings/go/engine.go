package simpleagents

/*
#include <simple_agents.h>
#include <stdlib.h>
#include <string.h>

// The error belongs to the thread, and Go may continue on another one after each call.
static uint64_t start_call(const SAQueue *queue, const char *json, size_t length, char **error_out) {
  uint64_t id = sa_queue_start(queue, json, length);
  if (id == 0) *error_out = strdup(sa_get_last_error_json());
  return id;
}

static SAReply *take_reply(const SAQueue *queue, uint64_t *id_out, const char **json_out, size_t *length_out) {
  SAReply *reply = sa_queue_take(queue, -1);
  *id_out = sa_reply_get_id(reply);
  *json_out = sa_reply_get_json(reply, length_out);
  return reply;
}
*/
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"unsafe"
)

// engineCall is a call of the engine, see src/embed/protocol.ts.
type engineCall struct {
	Call     string          `json:"call"`
	Options  any             `json:"options,omitempty"`
	Client   int             `json:"client,omitempty"`
	Stream   int             `json:"stream,omitempty"`
	Input    any             `json:"input,omitempty"`
	Partials any             `json:"partials,omitempty"`
	Text     *string         `json:"text,omitempty"`
	Schema   json.RawMessage `json:"schema,omitempty"`
}

// replyQueue brings each reply to the goroutine that waits for it. One goroutine reads the native queue, which holds
// one thread of the system. It exists only while there are calls; the goroutines of the calls wait on channels.
type replyQueue struct {
	native *C.SAQueue
	mutex  sync.Mutex
	// waiting has an entry for each call without a reply. The channel is nil if the reply does not matter.
	waiting map[uint64]chan<- []byte
	// early has the replies that arrived before the id of their call was known.
	early     map[uint64][]byte
	isReading bool
}

// engine is the queue of this process. The engine behind it is started by the first call.
var engine = sync.OnceValue(func() *replyQueue {
	return &replyQueue{
		native:  C.sa_queue_new(),
		waiting: map[uint64]chan<- []byte{},
		early:   map[uint64][]byte{},
	}
})

// call waits for the result. If the context is done first, the call is cancelled, which also ends its HTTP request.
func (queue *replyQueue) call(ctx context.Context, call engineCall, result any) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	// With room for the reply, so that nothing blocks after the context is done.
	replies := make(chan []byte, 1)
	id, err := queue.start(call, replies)
	if err != nil {
		return err
	}
	select {
	case reply := <-replies:
		return readReply(reply, result)
	case <-ctx.Done():
		// Healing has an engine of its own, which cannot be interrupted.
		if call.Call != "heal" {
			C.sa_queue_cancel(queue.native, C.uint64_t(id))
		}
		return contextError(ctx)
	}
}

// send makes a call whose reply does not matter.
func (queue *replyQueue) send(call engineCall) {
	_, _ = queue.start(call, nil)
}

func (queue *replyQueue) start(call engineCall, replies chan<- []byte) (uint64, error) {
	text, err := json.Marshal(call)
	if err != nil {
		return 0, &Error{Kind: ErrBadRequest, Message: "the request has no JSON form: " + err.Error(), cause: err}
	}
	var failure *C.char
	data := (*C.char)(unsafe.Pointer(unsafe.SliceData(text)))
	id := uint64(C.start_call(queue.native, data, C.size_t(len(text)), &failure))
	if id == 0 {
		defer C.free(unsafe.Pointer(failure))
		return 0, toError([]byte(C.GoString(failure)))
	}
	queue.expect(id, replies)
	return id, nil
}

// expect makes sure that the reply of a call is read.
func (queue *replyQueue) expect(id uint64, replies chan<- []byte) {
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	if reply, isEarly := queue.early[id]; isEarly {
		delete(queue.early, id)
		deliver(replies, reply)
		return
	}
	queue.waiting[id] = replies
	if !queue.isReading {
		queue.isReading = true
		go queue.read()
	}
}

// read takes replies until no call waits for one.
func (queue *replyQueue) read() {
	for {
		id, reply := queue.take()
		if !queue.dispatch(id, reply) {
			return
		}
	}
}

func (queue *replyQueue) take() (uint64, []byte) {
	var id C.uint64_t
	var data *C.char
	var length C.size_t
	reply := C.take_reply(queue.native, &id, &data, &length)
	defer C.sa_reply_free(reply)
	return uint64(id), bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(data)), int(length)))
}

// dispatch reports whether other calls still wait.
func (queue *replyQueue) dispatch(id uint64, reply []byte) bool {
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	if replies, isWaiting := queue.waiting[id]; isWaiting {
		delete(queue.waiting, id)
		deliver(replies, reply)
	} else {
		queue.early[id] = reply
	}
	queue.isReading = len(queue.waiting) > 0
	return queue.isReading
}

func deliver(replies chan<- []byte, reply []byte) {
	if replies != nil {
		replies <- reply
	}
}

func readReply(reply []byte, result any) error {
	var content struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(reply, &content); err != nil {
		return unreadable(err)
	}
	if content.Error != nil {
		return toError(content.Error)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(content.Result, result); err != nil {
		return unreadable(err)
	}
	return nil
}

func unreadable(err error) error {
	return &Error{Kind: ErrInternal, Message: "the engine's reply cannot be read: " + err.Error(), cause: err}
}
