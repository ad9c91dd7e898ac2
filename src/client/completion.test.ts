// A completion, with the first fields of OpenAI's shape.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assemble } from '../core/assembler.ts';
import type { Notice } from '../core/event.ts';
import { toCompletion, withCost } from './completion.ts';

test('a completion has the text, the calls, the usage and the target', () => {
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

test('a completion has a cost, which is 0 for a cached one and unknown after a continuation', () => {
  const message = assemble([
    { type: 'message-start', id: 'msg_1', model: 'm' },
    { type: 'message-end', stopReason: 'end', usage: { input: 1, output: 2 } },
  ]);
  const costAfter = (...kinds: readonly Notice['kind'][]) => {
    const notices = kinds.map((kind): Notice => ({ type: 'notice', kind, detail: '' }));
    return withCost(toCompletion(message, 'openai', notices), ({ usage }) => usage.output).cost;
  };
  assert.deepEqual(
    [costAfter(), costAfter('loss'), costAfter('cached'), costAfter('shared'), costAfter('continuation')],
    [2, 2, 0, 0, undefined],
  );
});
