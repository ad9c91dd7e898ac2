// The cache key: independent of the order of members, dependent on everything that may change a response.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { text, type Block } from '../../core/message.ts';
import type { ChatRequest } from '../../core/request.ts';
import { cacheKeyOf } from './cache-key.ts';

const image: Block = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } };

const request: ChatRequest = {
  model: 'fast',
  messages: [
    { role: 'system', content: [text('Be brief.')] },
    { role: 'user', content: [text('What is this?'), image] },
    { role: 'user', content: [{ type: 'tool-result', callId: 'c1', content: [text('42')] }] },
  ],
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: { cache: {} } } }],
  toolChoice: 'auto',
  parallelToolCalls: true,
  responseFormat: { type: 'json-schema', schema: { type: 'object', properties: { a: { type: 'string' } } } },
  maxTokens: 10,
  temperature: 0.5,
  topP: 0.9,
  stop: ['END'],
  seed: 1,
  reasoning: { effort: 'low' },
  extra: { 'openai-chat': { 'logit_bias': { 5: 1 } } },
};
const sha256 = (words: string) => hash('sha256', words);
const identity = { provider: 'one', model: 'm' };

const keyOf = (change: Partial<ChatRequest> = {}, behind: unknown = identity) =>
  cacheKeyOf({ ...request, ...change }, { identity: behind }, sha256);

const ask = (...words: readonly string[]) => keyOf({ messages: [{ role: 'user', content: words.map(text) }] });

/** The same value, with the members of every object in another order. */
function shuffled(value: unknown, pick: (count: number) => number): unknown {
  if (Array.isArray(value)) return value.map((entry) => shuffled(entry, pick));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const moved: [string, unknown][] = [];
  while (entries.length > 0) moved.push(...entries.splice(pick(entries.length), 1));
  return Object.fromEntries(moved.map(([name, part]) => [name, shuffled(part, pick)]));
}

describe('the key', () => {
  test('is a SHA-256 in hexadecimal', () => assert.match(keyOf(), /^[0-9a-f]{64}$/));

  test('depends on the version of the API that the client asks for, and not on its format', () => {
    const wire = 'anthropic-messages';
    assert.equal(keyOf({ client: { wire } }), keyOf());
    assert.equal(keyOf({ client: { wire: 'openai-chat' } }), keyOf());
    assert.notEqual(keyOf({ client: { wire, version: '2026-10-21' } }), keyOf());
  });

  test('does not depend on the order of members, anywhere', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const pick = (count: number): number => (numbers.next().value ?? 0) % count;
        assert.equal(
          cacheKeyOf(shuffled(request, pick) as ChatRequest, { identity: shuffled(identity, pick) }, sha256),
          keyOf(),
        );
      }),
    );
  });

  test('does not depend on fields that cannot change a response', () => {
    const cache = { ttl: '5m' };
    const [system, user, result] = request.messages;
    const marked = [
      { ...system, content: [{ ...text('Be brief.'), cache }] },
      { ...user, content: [text('What is this?'), { ...image, cache }] },
      { ...result, content: [{ type: 'tool-result', callId: 'c1', content: [{ ...text('42'), cache }], cache }] },
    ] as ChatRequest['messages'];
    const asking = { ...request.extra?.['openai-chat'], 'logprobs': true, 'top_logprobs': 3 };
    for (const change of [
      { stream: false },
      { user: 'someone' },
      { messages: marked },
      { tools: request.tools?.map((tool) => ({ ...tool, cache })) },
      { extra: { 'openai-chat': asking } },
    ] as readonly Partial<ChatRequest>[]) {
      assert.equal(keyOf(change), keyOf(), JSON.stringify(Object.keys(change)));
    }
  });

  test('changes with every field that may change a response', () => {
    const [tool] = request.tools ?? [];
    const changes: readonly Partial<ChatRequest>[] = [
      { model: 'slow' },
      { messages: request.messages.slice(1) },
      { messages: request.messages.toReversed() },
      { messages: [{ role: 'user', content: [text('What is this?')] }] },
      { messages: [{ role: 'user', content: [{ ...image, detail: 'low' }] }] },
      { tools: [] },
      { tools: [{ ...tool, name: 'see' } as never] },
      // A parameter with the same name as our marker is still a parameter.
      { tools: [{ ...tool, inputSchema: { type: 'object', properties: {} } } as never] },
      { tools: [{ ...tool, inputSchema: { type: 'object', properties: { cache: { type: 'string' } } } } as never] },
      { toolChoice: 'none' },
      { toolChoice: { name: 'look' } },
      { parallelToolCalls: false },
      { responseFormat: { type: 'json' } },
      { maxTokens: 11 },
      { temperature: 0.6 },
      { topP: 1 },
      { stop: ['STOP'] },
      { stop: ['E', 'ND'] },
      { seed: 2 },
      { reasoning: { effort: 'high' } },
      { reasoning: { budgetTokens: 100 } },
      { extra: { 'openai-chat': { 'logit_bias': { 5: 2 } } } },
      { extra: { 'anthropic-messages': { 'logit_bias': { 5: 1 } } } },
      ...Object.keys(request).map((name) => ({ [name]: name === 'messages' ? [] : undefined })),
    ];
    const keys = [keyOf(), keyOf({}, { provider: 'two', model: 'm' }), ...changes.map((change) => keyOf(change))];
    assert.equal(new Set(keys).size, keys.length);
  });

  test('distinguishes long texts, also those that are not well-formed', () => {
    const long = 'x'.repeat(5000);
    const texts = [long, `${long}x`, `${long}\ud800`, `${long}\ud801`, `${long}\ufffd`];
    const keys = texts.map((words) => ask(words));
    assert.equal(new Set(keys).size, texts.length);
  });

  test('distinguishes any two texts, however they are split', () => {
    const textual = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(textual, textual, textual, textual, (a, b, c, d) => {
        assert.equal(ask(a, b) === ask(c, d), a === c && b === d);
        if (a !== '' && b !== '') assert.notEqual(ask(a, b), ask(a + b));
      }),
    );
  });
});
