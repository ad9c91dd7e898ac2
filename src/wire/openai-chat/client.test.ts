// Plain bodies and errors of the OpenAI wire and its vendors. Streams are in test/wire/cassettes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyFailure, type FailureReport } from '../../core/error.ts';
import { openaiChat } from './client.ts';

describe('a plain body', () => {
  test('is decoded to the same events as a stream', () => {
    const events = openaiChat.decodeBody({
      id: 'c1',
      model: 'm1',
      choices: [{ message: { role: 'assistant', content: 'Hi', refusal: null }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    assert.deepEqual(events, [
      { type: 'message-start', id: 'c1', model: 'm1' },
      { type: 'text-delta', index: 0, text: 'Hi' },
      { type: 'block-end', index: 0, block: { type: 'text', text: 'Hi' } },
      { type: 'message-end', stopReason: 'end', providerStopReason: 'stop', usage: { input: 1, output: 2 } },
    ]);
  });

  test('with a call without a name gives a warning, and the call is ignored', () => {
    const calls = [{ id: 'a', type: 'function', function: { arguments: '{}' } }];
    const events = openaiChat.decodeBody({
      choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }],
    });
    assert.deepEqual(events.slice(1, -1), [
      { type: 'notice', kind: 'warning', detail: 'the provider sent the tool call a without a name; it was ignored' },
    ]);
  });

  describe('is summarized without being decoded', () => {
    const message = { role: 'assistant', content: 'Hi', refusal: null };
    const usage = { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
    const words: readonly object[] = [
      { choices: [{ index: 0, message, finish_reason: 'stop' }], usage },
      { choices: [{ message, finish_reason: 'length' }], usage: null },
      { choices: [{ message: { ...message, tool_calls: [] }, finish_reason: 'content_filter' }] },
    ];
    for (const body of words) {
      test(`as decoding would: ${JSON.stringify(body).slice(0, 80)}`, () => {
        const end = openaiChat.decodeBody(body).at(-1);
        assert.ok(end?.type === 'message-end');
        const { stopReason, usage: counted } = end;
        assert.deepEqual(openaiChat.summarizeBody?.(body), { stopReason, usage: counted });
      });
    }

    const others: readonly unknown[] = [
      'words',
      {},
      { choices: [] },
      { choices: 'none' },
      { error: 'It broke', choices: [{ message, finish_reason: 'stop' }] },
      { choices: [{ message, finish_reason: 'stop', error: 'It broke' }] },
      { choices: [{ message }] },
      { choices: [{ index: 1, message, finish_reason: 'stop' }] },
      { choices: [{ message: { ...message, content: '' }, finish_reason: 'stop' }] },
      { choices: [{ message: { ...message, refusal: 'No' }, finish_reason: 'stop' }] },
      { choices: [{ message: { ...message, tool_calls: [{ id: 'a' }] }, finish_reason: 'tool_calls' }] },
      {
        choices: [
          { message, finish_reason: 'stop' },
          { message, finish_reason: 'stop' },
        ],
      },
    ];
    for (const body of others) {
      test(`only if it has nothing but text: ${JSON.stringify(body)}`, () => {
        assert.equal(openaiChat.summarizeBody?.(body), undefined);
      });
    }
  });

  const failures: readonly (readonly [expected: RegExp, body: unknown])[] = [
    [/^bad-response: the body is not a chat completion/, {}],
    [/^bad-response: the body is not a chat completion/, { choices: [] }],
    [/^bad-response: the body is not a chat completion/, { choices: [{ finish_reason: 'stop' }] }],
    [/^bad-response: the body is not a chat completion/, 'words'],
    [/^rate-limit: Slow down$/, { error: { message: 'Slow down', code: 429 } }],
    [/^upstream: It broke$/, { error: 'It broke' }],
    [/^upstream: It broke$/, { choices: [{ error: { message: 'It broke', code: 502 }, message: { content: '' } }] }],
  ];
  for (const [expected, body] of failures) {
    test(`that fails: ${JSON.stringify(body)}`, () => {
      assert.throws(
        () => openaiChat.decodeBody(body),
        ({ kind, message }: { kind: string; message: string }) => expected.test(`${kind}: ${message}`),
      );
    });
  }
});

describe('an error body', () => {
  const cases: readonly (readonly [expected: FailureReport, body: unknown])[] = [
    [
      { message: 'No', type: 'invalid_request_error', code: 'model_not_found', field: 'model' },
      { error: { message: 'No', type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
    ],
    [{ message: 'No', type: 'x' }, { error: { message: 'No', type: 'x', param: null, code: null } }],
    [{ message: 'No', status: 502 }, { error: { message: 'No', code: 502 } }],
    [{ message: 'No' }, { error: 'No' }],
    [
      { message: 'No', type: 'BadRequestError', status: 400 },
      { object: 'error', message: 'No', type: 'BadRequestError', code: 400 },
    ],
    [{ message: 'No' }, { detail: 'No' }],
    [{ message: '[{"loc":["body","x"],"msg":"forbidden"}]' }, { detail: [{ loc: ['body', 'x'], msg: 'forbidden' }] }],
    [
      { message: '{"detail":[{"msg":"forbidden"}]}', type: 'invalid_request_error' },
      { object: 'error', message: { detail: [{ msg: 'forbidden' }] }, type: 'invalid_request_error', code: null },
    ],
    [{ message: 'No', status: 400 }, [{ error: { message: 'No', code: 400 } }]],
    [{ message: 'the provider returned an error without a message' }, {}],
    [{ message: 'the provider returned an error without a message' }, null],
    [{ message: 'the provider returned an error without a message' }, { error: {} }],
    [{ message: 'the provider returned an error without a message' }, { error: { message: '' } }],
  ];
  for (const [expected, body] of cases) {
    test(JSON.stringify(body), () => assert.deepEqual(openaiChat.decodeError(body), expected));
  }

  test('reports a prompt that is too long as context overflow', () => {
    const report = openaiChat.decodeError({ error: { message: 'Too long', code: 'context_length_exceeded' } });
    assert.equal(classifyFailure({ ...report, status: 400 }).kind, 'context-overflow');
  });
});
