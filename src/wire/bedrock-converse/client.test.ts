// Plain responses of the Converse wire. The cassettes have its streams.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { failsWith } from '../../../test/support/fails-with.ts';
import { bedrockConverse } from './client.ts';

function body(content: readonly object[], more: object = {}): object {
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
  return { output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage, ...more };
}

function decode(value: unknown): () => unknown {
  return () => bedrockConverse.decodeBody(value);
}

test('a response has the id and the model of its request', () => {
  const options = { requestId: 'r', model: 'm', provider: 'bedrock' };
  const [start, , , end] = bedrockConverse.decodeBody(body([{ text: 'Hi' }]), options);
  assert.deepEqual(start, { type: 'message-start', id: 'r', model: 'm' });
  assert.deepEqual(end?.type === 'message-end' && end.usage, { input: 1, output: 2 });
});

test('a response that is not complete or not readable is an error', () => {
  assert.throws(decode({}), failsWith('bad-response', /has no output/));
  assert.throws(decode('text'), failsWith('bad-response', /has no output/));
  assert.throws(decode(body([], { stopReason: undefined })), failsWith('network', /without a stop reason/));
  assert.throws(decode(body([], { stopReason: 'malformed_tool_use' })), failsWith('upstream', /malformed_tool_use/));
});
