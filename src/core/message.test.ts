// Reading messages: text, calls, arguments, and where a block may be sent back to.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { argumentsOf, mayReturnTo, text, textOf, toolCallsOf, type Block, type ToolCallBlock } from './message.ts';

const call: ToolCallBlock = { type: 'tool-call', id: 'call_1', name: 'look', input: { at: 'it' } };
const content: readonly Block[] = [
  { type: 'reasoning', text: 'hidden' },
  text('Hello, '),
  call,
  { type: 'image', source: { kind: 'url', url: 'https://example.com/cat.png' } },
  text('world'),
];

test('the text of a message consists of its text blocks only', () => {
  assert.equal(textOf(content), 'Hello, world');
  assert.equal(textOf([]), '');
});

test('the calls of a message keep their order', () => {
  const second = { ...call, id: 'call_2' };
  assert.deepEqual(toolCallsOf([...content, second]), [call, second]);
});

describe('the arguments of a call', () => {
  const cases: readonly (readonly [what: string, call: ToolCallBlock, expected: string])[] = [
    ['are its input', call, '{"at":"it"}'],
    ['are its healed input', { ...call, raw: '{at: it}', flags: [{ kind: 'unquoted-key', path: [] }] }, '{"at":"it"}'],
    ['are what the model wrote when that was no JSON', { ...call, input: null, raw: '{"at', error: 'broken' }, '{"at'],
    ['are an empty object when a program gave none', { ...call, input: undefined }, '{}'],
    ['may be any JSON', { ...call, input: null }, 'null'],
  ];
  for (const [what, given, expected] of cases) test(what, () => assert.equal(argumentsOf(given), expected));
});

describe('a block with an origin may return', () => {
  const cases: readonly (readonly [what: string, expected: boolean, ...Parameters<typeof mayReturnTo>])[] = [
    ['anywhere, when it has none', true, undefined, 'openai-chat', 'groq'],
    ['to its wire', true, { wire: 'a' }, 'a', undefined],
    ['to its wire at any provider, when only the wire is known', true, { wire: 'a' }, 'a', 'one'],
    ['to its provider', true, { wire: 'a', provider: 'one' }, 'a', 'one'],
    ['to a target that is not known by name', true, { wire: 'a', provider: 'one' }, 'a', undefined],
    ['not to another provider', false, { wire: 'a', provider: 'one' }, 'a', 'two'],
    ['not to another wire', false, { wire: 'a', provider: 'one' }, 'b', 'one'],
  ];
  for (const [what, expected, origin, wire, provider] of cases) {
    test(what, () => assert.equal(mayReturnTo(origin, wire, provider), expected));
  }
});
