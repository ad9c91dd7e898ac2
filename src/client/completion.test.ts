// A finished answer, ours and in the first lines of OpenAI's shape.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assemble } from '../core/assembler.ts';
import type { Notice } from '../core/event.ts';
import { toCompletion } from './completion.ts';

test('an answer has its words, calls, counts, and who gave it', () => {
  const message = assemble([
    { type: 'message-start', id: 'msg_1', model: 'm' },
    { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'Hm' } },
    { type: 'block-end', index: 1, block: { type: 'text', text: 'Hello, ' } },
    { type: 'block-end', index: 2, block: { type: 'tool-call', id: 'a', name: 'look', input: {} } },
    { type: 'block-end', index: 3, block: { type: 'text', text: 'world' } },
    { type: 'message-end', stopReason: 'tool-calls', usage: { input: 1, output: 2 } },
  ]);
  const notice: Notice = { type: 'notice', kind: 'loss', detail: 'the seed was left out' };
  const completion = toCompletion(message, 'openai', [notice]);
  assert.equal(completion.text, 'Hello, world');
  assert.equal(completion.choices[0].message.content, 'Hello, world');
  assert.equal(completion.choices[0].message.role, 'assistant');
  assert.deepEqual(completion.toolCalls, [{ type: 'tool-call', id: 'a', name: 'look', input: {} }]);
  assert.deepEqual(completion.usage, { input: 1, output: 2 });
  assert.deepEqual(
    [completion.stopReason, completion.model, completion.target, completion.message, completion.notices],
    ['tool-calls', 'm', 'openai', message, [notice]],
  );
});
