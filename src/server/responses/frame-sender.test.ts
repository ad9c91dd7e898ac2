// Frames of the WebSocket mode, made from server-sent events: one for each event, with what HTTP has in headers and
// comments, and one event that ends the response.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';

import type { WebSocket } from 'ws';

import { FrameSender } from './frame-sender.ts';

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  readonly frames: unknown[] = [];
  readonly callbacks: (() => void)[] = [];

  send(text: string, callback: () => void): void {
    this.frames.push(JSON.parse(text));
    this.callbacks.push(callback);
  }
}

function create() {
  const socket = new FakeSocket();
  return { socket, sender: new FrameSender(socket as unknown as WebSocket) };
}

test('events that arrive in pieces are one frame each, without comments and the end marker', () => {
  const { socket, sender } = create();
  const bytes = new TextEncoder().encode(
    'event: a\ndata: {"type":"a"}\n\n: x\n\ndata: {"type":"ü"}\n\ndata: [DONE]\n\n',
  );
  for (const byte of bytes) sender.writeBytes(new Uint8Array([byte]));
  sender.end();
  assert.deepEqual(socket.frames, [{ type: 'a' }, { type: 'ü' }]);
});

test('headers and comments are members of the next event', () => {
  const { socket, sender } = create();
  sender.headers['x-simple-agents-target'] = 'a/b';
  sender.write('data: {"type":"a"}\n\n');
  sender.write('data: {"type":"b"}\n\n');
  sender.write(': x-simple-agents-healed: quotes\n: x-simple-agents-cost: 0.01\n\n');
  sender.write('data: {"type":"c"}\n\n');
  assert.deepEqual(socket.frames, [
    { type: 'a', headers: { 'x-simple-agents-target': 'a/b' } },
    { type: 'b' },
    { type: 'c', headers: { 'x-simple-agents-healed': 'quotes', 'x-simple-agents-cost': '0.01' } },
  ]);
});

test('an error event is sent at the end, unless a failed response follows it', () => {
  const { socket, sender } = create();
  sender.write('data: {"type":"error"}\n\ndata: {"type":"response.failed"}\n\n');
  sender.end();
  assert.deepEqual(socket.frames, [{ type: 'response.failed' }]);
  sender.write('data: {"type":"a","text":"\\"error\\""}\n\ndata: {"type":"error"}\n\n');
  assert.equal(socket.frames.length, 2);
  sender.end();
  assert.deepEqual(socket.frames.at(-1), { type: 'error' });
});

test('a full buffer is drained when the client has read, or has left', async () => {
  for (const finish of ['read', 'left'] as const) {
    const { socket, sender } = create();
    sender.write('data: {"type":"a"}\n\n');
    socket.bufferedAmount = 1_000_000;
    assert.equal(sender.isFull, true);
    const drained = sender.drained();
    if (finish === 'read') socket.bufferedAmount = 0;
    if (finish === 'read') socket.callbacks[0]?.();
    else socket.emit('close');
    await drained;
    assert.equal(socket.listenerCount('close'), 0);
  }
});
