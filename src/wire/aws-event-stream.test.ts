// The binary event stream: cut at every byte, damaged at every byte, and bounded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { decodeMessage, encodeMessage, EventStreamDecoder, type EventStreamMessage } from './aws-event-stream.ts';

const message: EventStreamMessage = {
  headers: {
    ':event-type': { type: 'string', value: 'contentBlockDelta' },
    ':message-type': { type: 'string', value: 'event' },
    'n': { type: 'long', value: -5n },
  },
  payload: new TextEncoder().encode('{"delta":{"text":"é😀"}}'),
};
const bytes = encodeMessage(message);

test('messages are the same for every cut', () => {
  const twice = Uint8Array.from([...bytes, ...bytes]);
  for (let cut = 0; cut <= twice.length; cut++) {
    const decoder = new EventStreamDecoder();
    const messages = [...decoder.push(twice.subarray(0, cut)), ...decoder.push(twice.subarray(cut))];
    assert.deepEqual(messages, [message, message]);
    assert.equal(decoder.isCut, false);
  }
  const single = new EventStreamDecoder();
  const messages = Array.from(twice, (byte) => single.push(Uint8Array.of(byte))).flat();
  assert.deepEqual(messages, [message, message]);
});

test('a stream that ends in a message is cut', () => {
  const decoder = new EventStreamDecoder();
  assert.deepEqual(decoder.push(bytes.subarray(0, -1)), []);
  assert.equal(decoder.isCut, true);
});

test('a changed byte is an error, wherever it is', () => {
  for (let at = 0; at < bytes.length; at++) {
    const damaged = bytes.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    assert.throws(() => decodeMessage(damaged), failsWith('bad-response', /^malformed event stream: /));
  }
});

test('text instead of an event stream is an error at once', () => {
  const decoder = new EventStreamDecoder();
  const text = new TextEncoder().encode('{"message":"forbidden"}');
  assert.deepEqual(decoder.push(text), []);
  assert.ok(failsWith('bad-response', /checksum of a message prelude/)(decoder.failure));
});

test('a message that is too long is an error before it arrives', () => {
  const huge = encodeMessage({ headers: {}, payload: new Uint8Array(17 * 1024 * 1024) });
  const decoder = new EventStreamDecoder();
  assert.deepEqual(decoder.push(huge.subarray(0, 100)), []);
  assert.ok(failsWith('bad-response', /longer than \d+ bytes/)(decoder.failure));
});

test('messages before a damaged one are not lost', () => {
  const damaged = Uint8Array.from([...bytes, ...bytes]);
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  for (let cut = 0; cut <= damaged.length; cut++) {
    const decoder = new EventStreamDecoder();
    const messages = [...decoder.push(damaged.subarray(0, cut)), ...decoder.push(damaged.subarray(cut))];
    assert.deepEqual(messages, [message]);
    assert.equal(decoder.failure?.kind, 'bad-response');
    assert.deepEqual(decoder.push(bytes), []);
  }
});
