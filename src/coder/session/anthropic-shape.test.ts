// Messages of every kind survive encoding in Anthropic's format, and files of other tools can be read.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Block, Message } from '../../core/message.ts';
import { decodeMessage, decodeUsage, encodeMessage } from './anthropic-shape.ts';

const string = fc.string({ unit: 'grapheme', maxLength: 12 });
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<never>;
const object = fc.dictionary(string, json, { maxKeys: 3 }) as fc.Arbitrary<never>;
const cache = fc.oneof(fc.constant({}), fc.record({ ttl: fc.constantFrom('5m', '1h') }));
const origin = fc.record(
  { wire: fc.constantFrom('anthropic-messages', 'openai-chat'), provider: string },
  { requiredKeys: ['wire'] },
);
const source = fc.oneof(
  fc.record({ kind: fc.constant('base64' as const), mediaType: string, data: fc.base64String() }),
  fc.record({ kind: fc.constant('url' as const), url: string }),
  fc.record({ kind: fc.constant('file' as const), id: string }),
);
const textBlock = fc.record(
  { type: fc.constant('text' as const), text: string, citations: fc.array(json, { maxLength: 2 }), cache },
  { requiredKeys: ['type', 'text'] },
);
const image = fc.record(
  { type: fc.constant('image' as const), source, detail: fc.constantFrom('auto' as const, 'high' as const), cache },
  { requiredKeys: ['type', 'source'] },
);
const document = fc.record(
  {
    type: fc.constant('document' as const),
    source: fc.oneof(source, fc.record({ kind: fc.constant('text' as const), text: string })),
    title: string,
    cache,
  },
  { requiredKeys: ['type', 'source'] },
);
const kinds: fc.Arbitrary<Block>[] = [
  textBlock,
  image,
  document,
  fc.record(
    { type: fc.constant('audio' as const), format: string, data: string, id: string, transcript: string, cache },
    { requiredKeys: ['type', 'format', 'data'] },
  ),
  fc.record(
    {
      type: fc.constant('reasoning' as const),
      text: fc.oneof(fc.constant(''), string),
      signature: string,
      redacted: string,
      origin,
    },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record(
    {
      type: fc.constant('tool-call' as const),
      id: string,
      name: string,
      input: fc.oneof(object, json),
      raw: string,
      error: string,
      flags: fc.array(fc.record({ kind: string, path: fc.array(fc.oneof(string, fc.nat())) }), { maxLength: 2 }),
      cache,
    },
    { requiredKeys: ['type', 'id', 'name', 'input'] },
  ),
  fc.record(
    {
      type: fc.constant('tool-result' as const),
      callId: string,
      content: fc.array(fc.oneof(textBlock, image, document), { maxLength: 3 }),
      isError: fc.boolean(),
      cache,
    },
    { requiredKeys: ['type', 'callId', 'content'] },
  ),
  fc.record({ type: fc.constant('opaque' as const), origin, data: fc.oneof(json, object) }),
  fc
    .record({
      type: fc.constant('opaque' as const),
      origin,
      data: fc.record({
        type: fc.constantFrom('server_tool_use', 'text', 'thinking'),
        text: string,
        'simple_agents': fc.constantFrom(undefined as never, 'theirs'),
      }) as fc.Arbitrary<never>,
    })
    .map((block) => JSON.parse(JSON.stringify(block)) as Block),
];
const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const),
  content: fc.array(fc.oneof(...kinds), { maxLength: 4 }),
});

/** As a file keeps it. */
const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('every message survives a round trip', () => {
  fc.assert(
    fc.property(message, (said) => {
      const plain = stored(said);
      assert.deepEqual(decodeMessage(stored(encodeMessage(said, 'msg_1'))), plain);
    }),
    { numRuns: 3_000 },
  );
});

describe('the shape', () => {
  const answer = {
    id: 'msg_x',
    model: 'm',
    usage: { input: 7, output: 3, cacheRead: 5, cacheWrite: 2 },
    stopReason: 'tool-calls' as const,
  };

  test('is that of an answer of the API', () => {
    const said: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', signature: 's' },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', id: 't', name: 'Read', input: { path: 'a' } },
      ],
    };
    assert.deepEqual(encodeMessage(said, 'ours', answer), {
      id: 'msg_x',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't', name: 'Read', input: { path: 'a' } },
      ],
      'stop_reason': 'tool_use',
      usage: {
        'input_tokens': 7,
        'output_tokens': 3,
        'cache_creation_input_tokens': 2,
        'cache_read_input_tokens': 5,
      },
    });
  });

  test('always has an id and the four counts, even without reported usage', () => {
    const said: Message = { role: 'assistant', content: [{ type: 'text', text: '[Interrupted]' }] };
    const { id, usage } = encodeMessage(said, 'ours') as { id: string; usage: object };
    assert.equal(id, 'ours');
    assert.deepEqual(Object.values(usage), [0, 0, 0, 0]);
    assert.deepEqual(decodeUsage(usage), { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  });

  test('of arguments that are not an object is an object all the same', () => {
    const said: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', id: 't', name: 'Read', input: null, raw: '{"a', error: 'cut' }],
    };
    const { content } = encodeMessage(said, 'ours') as { content: Record<string, unknown>[] };
    assert.deepEqual(content[0]?.['input'], {});
    assert.deepEqual(decodeMessage(stored(encodeMessage(said, 'ours'))), said);
  });
});

test('what is not ours to say is not taken for ours', () => {
  const said = {
    type: 'text',
    text: 'words',
    'simple_agents': { block: { type: 'tool-call', id: 'x' }, text: 'others' },
  };
  const called = {
    type: 'tool_use',
    id: 't',
    name: 'Read',
    input: {},
    'simple_agents': { type: 'text', name: 'Bash' },
  };
  assert.deepEqual(decodeMessage({ role: 'assistant', content: [said, called] })?.content, [
    { type: 'text', text: 'words' },
    { type: 'tool-call', id: 't', name: 'Read', input: {} },
  ]);
});

test('what others write is read as well', () => {
  assert.deepEqual(decodeMessage({ role: 'user', content: 'Hello' }), {
    role: 'user',
    content: [{ type: 'text', text: 'Hello' }],
  });
  const result = { type: 'tool_result', 'tool_use_id': 't', content: 'seen' };
  assert.deepEqual(decodeMessage({ role: 'user', content: [result, 7, null] }), {
    role: 'user',
    content: [{ type: 'tool-result', callId: 't', content: [{ type: 'text', text: 'seen' }] }],
  });
  for (const wrong of [undefined, null, 7, 'x', [], {}, { role: 'user' }, { role: 'robot', content: [] }]) {
    assert.equal(decodeMessage(wrong), undefined);
  }
});
