// Plain bodies and errors of the Anthropic wire, and the ends of odd streams. Streams are in test/wire/cassettes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyFailure, type FailureReport } from '../../core/error.ts';
import { anthropicMessages } from './client.ts';

describe('a plain body', () => {
  test('is decoded to the same events as a stream', () => {
    const events = anthropicMessages.decodeBody(
      {
        id: 'msg_1',
        type: 'message',
        model: 'm1',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 's' },
          { type: 'text', text: 'Hi', citations: null },
          { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } },
          { type: 'new_kind', more: true },
        ],
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 },
        error: null,
      },
      { provider: 'one' },
    );
    const origin = { wire: 'anthropic-messages', provider: 'one' };
    assert.deepEqual(events, [
      { type: 'message-start', id: 'msg_1', model: 'm1' },
      { type: 'reasoning-delta', index: 0, text: 'Hm' },
      { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'Hm', signature: 's', origin } },
      { type: 'text-delta', index: 1, text: 'Hi' },
      { type: 'block-end', index: 1, block: { type: 'text', text: 'Hi' } },
      { type: 'tool-call-start', index: 2, id: 'a', name: 'look' },
      { type: 'tool-call-delta', index: 2, json: '{"at":1}' },
      { type: 'block-end', index: 2, block: { type: 'tool-call', id: 'a', name: 'look', input: { at: 1 } } },
      { type: 'block-end', index: 3, block: { type: 'opaque', origin, data: { type: 'new_kind', more: true } } },
      {
        type: 'message-end',
        stopReason: 'tool-calls',
        providerStopReason: 'tool_use',
        usage: { input: 1, output: 2, cacheRead: 3 },
      },
    ]);
  });

  const failures: readonly (readonly [expected: RegExp, body: unknown])[] = [
    [/^bad-response: the body is not a message/, {}],
    [/^bad-response: the body is not a message/, { content: 'words' }],
    [/^bad-response: the body is not a message/, null],
    [/^bad-response: the body does not have the expected shape/, { content: [null] }],
    [/^overloaded: Busy$/, { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }],
  ];
  for (const [expected, body] of failures) {
    test(`that fails: ${JSON.stringify(body)}`, () => {
      assert.throws(
        () => anthropicMessages.decodeBody(body),
        ({ kind, message }: { kind: string; message: string }) => expected.test(`${kind}: ${message}`),
      );
    });
  }
});

describe('an error body', () => {
  const cases: readonly (readonly [expected: FailureReport, body: unknown])[] = [
    [
      { type: 'authentication_error', message: 'No' },
      { type: 'error', error: { type: 'authentication_error', message: 'No' }, request_id: 'req_1' },
    ],
    [{ message: 'No' }, { error: 'No' }],
    [
      { type: 'x', message: 'the provider returned an error without a message' },
      { error: { type: 'x', message: null } },
    ],
    [{ message: '{"detail":1}' }, { error: { detail: 1 } }],
    [{ message: 'the provider returned an error without a message' }, {}],
    [{ message: 'the provider returned an error without a message' }, 'words'],
    [
      {
        type: 'invalid_request_error',
        message: 'prompt is too long: 9 tokens > 8 maximum',
        code: 'context_length_exceeded',
      },
      { error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' } },
    ],
  ];
  for (const [expected, body] of cases) {
    test(JSON.stringify(body), () => assert.deepEqual(anthropicMessages.decodeError(body), expected));
  }

  test('reports a prompt that is too long as context overflow', () => {
    const report = anthropicMessages.decodeError({
      error: { type: 'invalid_request_error', message: 'prompt is too long' },
    });
    assert.equal(classifyFailure({ ...report, status: 400 }).kind, 'context-overflow');
  });
});

function frames(...events: object[]): Uint8Array {
  return new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

describe('a stream without its beginning', () => {
  test('still begins', () => {
    const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    const begin = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } };
    for (const [events, expected] of [
      [[stop], ['message-start', 'message-end']],
      [
        [begin, stop],
        ['message-start', 'text-delta', 'block-end', 'message-end'],
      ],
    ] as const) {
      const decoder = anthropicMessages.decodeStream();
      assert.deepEqual(
        decoder.push(frames(...events, { type: 'message_stop' })).map(({ type }) => type),
        expected,
      );
      assert.equal(decoder.done, true);
    }
  });
});
