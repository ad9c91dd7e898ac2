// The server side of the Anthropic wire: requests, responses, and the format of every error.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assemble } from '../../core/assembler.ts';
import { classifyFailure, errorTable, SimpleAgentsError, type ErrorKind } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import type { Block } from '../../core/message.ts';
import { anthropicMessages } from './client.ts';
import { anthropicMessagesServer } from './server.ts';

const least = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
const decode = (more: object) => anthropicMessagesServer.decodeRequest({ ...least, ...more });
const origin = { wire: 'anthropic-messages' };

describe('a request', () => {
  test('with the required fields only', () => {
    assert.deepEqual(anthropicMessagesServer.decodeRequest(least), {
      model: 'm',
      maxTokens: 9,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stream: false,
    });
  });

  test('with every field', () => {
    const request = decode({
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      tools: [
        { name: 'look', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['a'],
      metadata: { user_id: 'someone' },
      stream: true,
      top_k: 5,
    });
    const { messages, ...rest } = request;
    assert.deepEqual(messages[0], {
      role: 'system',
      content: [{ type: 'text', text: 'Be brief.', cache: { ttl: '1h' } }],
    });
    assert.deepEqual(rest, {
      model: 'm',
      maxTokens: 9,
      tools: [
        { name: 'look', inputSchema: { type: 'object' } },
        { type: 'opaque', origin, data: { type: 'web_search_20250305', name: 'web_search' } },
      ],
      toolChoice: 'required',
      parallelToolCalls: false,
      responseFormat: { type: 'json-schema', schema: { type: 'object' } },
      reasoning: { effort: 'high', budgetTokens: 2000 },
      temperature: 0.5,
      topP: 0.9,
      stop: ['a'],
      user: 'someone',
      stream: true,
      extra: {
        'anthropic-messages': {
          top_k: 5,
          temperature: 0.5,
          top_p: 0.9,
          thinking: { type: 'enabled', budget_tokens: 2000 },
          output_config: { effort: 'high' },
        },
      },
    });
  });

  test('with every type of block, kept for this wire', () => {
    const blocks = [
      { type: 'text', text: 'a' },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'b' }, title: 't' },
      { type: 'tool_result', tool_use_id: 'x', content: 'c', is_error: true },
      { type: 'tool_result', tool_use_id: 'y' },
      { type: 'thinking', thinking: 'd', signature: 's' },
      { type: 'redacted_thinking', data: 'r' },
      { type: 'tool_use', id: 'z', name: 'look', input: { at: 1 } },
      { type: 'new_kind', more: true },
    ];
    assert.deepEqual(decode({ messages: [{ role: 'user', content: blocks }] }).messages[0]?.content, [
      { type: 'text', text: 'a' },
      { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { kind: 'text', text: 'b' }, title: 't' },
      { type: 'tool-result', callId: 'x', content: [{ type: 'text', text: 'c' }], isError: true },
      { type: 'tool-result', callId: 'y', content: [] },
      { type: 'reasoning', text: 'd', signature: 's', origin },
      { type: 'reasoning', text: '', redacted: 'r', origin },
      { type: 'tool-call', id: 'z', name: 'look', input: { at: 1 } },
      { type: 'opaque', origin, data: { type: 'new_kind', more: true } },
    ]);
  });

  const thoughts: readonly (readonly [body: object, expected: object | undefined])[] = [
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
    [{ thinking: { type: 'adaptive' } }, undefined],
    [{ thinking: { type: 'new_kind' } }, undefined],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, { effort: 'low' }],
    [{ output_config: { effort: 'utmost' } }, undefined],
  ];
  for (const [body, expected] of thoughts) {
    test(`with ${JSON.stringify(body)}, which is kept for the same wire`, () => {
      const { reasoning, extra } = decode(body);
      assert.deepEqual({ reasoning, extra }, { reasoning: expected, extra: { 'anthropic-messages': body } });
    });
  }

  const wrong: readonly (readonly [expected: string, body: unknown])[] = [
    ['the request body must be an object', []],
    ['model: must be a string', { ...least, model: 5 }],
    ['max_tokens: required field is missing', { ...least, max_tokens: null }],
    ['max_tokens: must be greater than 0', { ...least, max_tokens: 0 }],
    ['messages: must be an array', { ...least, messages: 'Hi' }],
    ['messages.0.role: must be one of "user", "assistant", "system"', { ...least, messages: [{ role: 'tool' }] }],
    [
      'messages.0.content.0.text: required field is missing',
      { ...least, messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    ],
    ['tool_choice.type: required field is missing', { ...least, tool_choice: {} }],
    ['thinking.budget_tokens: required field is missing', { ...least, thinking: { type: 'enabled' } }],
    ['tools.0.input_schema: required field is missing', { ...least, tools: [{ name: 'look' }] }],
    ['stream: must be true or false', { ...least, stream: 'yes' }],
  ];
  for (const [expected, body] of wrong) {
    test(`that is invalid: ${expected}`, () => {
      assert.throws(
        () => anthropicMessagesServer.decodeRequest(body),
        (error) => error instanceof SimpleAgentsError && error.kind === 'bad-request' && error.message === expected,
      );
    });
  }
});

function write(...events: StreamEvent[]): string {
  const encoder = anthropicMessagesServer.encodeStream();
  return events.map((event) => encoder.push(event)).join('');
}

describe('a response', () => {
  const end: StreamEvent = { type: 'message-end', stopReason: 'end', usage: { input: 1, output: 2 } };

  test('as a stream has the same frames as Anthropic’s', () => {
    const text = write(
      { type: 'message-start', id: 'msg_1', model: 'm' },
      { type: 'notice', kind: 'warning', detail: 'not sent' },
      { type: 'text-delta', index: 5, text: 'Hi' },
      { type: 'block-end', index: 5, block: { type: 'text', text: 'Hi' } },
      end,
    );
    const names = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, event, data]) => {
      const { type, index } = JSON.parse(data ?? '') as { type: string; index?: number };
      assert.equal(type, event);
      return index === undefined ? type : `${type} ${index}`;
    });
    assert.deepEqual(names, [
      'message_start',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'message_delta',
      'message_stop',
    ]);
  });

  test('as a stream ends open blocks, and leaves out what this wire does not have', () => {
    const other: Block = { type: 'opaque', origin: { wire: 'other' }, data: { type: 'AAAA' } };
    const text = write(
      { type: 'block-end', index: 0, block: other },
      { type: 'text-delta', index: 1, text: 'Hi' },
      end,
    );
    assert.equal(text.match(/content_block_stop"/g)?.length, 1);
    assert.doesNotMatch(text, /AAAA/);
  });

  test('has a note in place of an image or audio, in a stream as in a body', () => {
    const image: Block = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } };
    const linked: Block = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } };
    const spoken: Block = { type: 'audio', format: 'wav', data: 'AAAA', transcript: 'Hello' };
    const blocks = [image, linked, spoken, { type: 'audio', format: 'wav', data: 'AAAA' } as Block];
    const events = blocks.map((block, index): StreamEvent => ({ type: 'block-end', index, block }));
    const notes = [
      '[image/png omitted: responses of this API cannot contain it]',
      '![image](https://example.com/a.png)',
      'Hello',
      '[audio omitted: responses of this API cannot contain it]',
    ];
    const deltas = [...write(...events, end).matchAll(/"text_delta","text":"(.*?)"\}/g)].map(([, note]) => note);
    assert.deepEqual(deltas, notes);
    const message = assemble([{ type: 'message-start', id: 'msg_1', model: 'm' }, ...events, end]);
    const { content } = anthropicMessagesServer.encodeBody(message) as { content: unknown };
    assert.deepEqual(
      content,
      notes.map((text) => ({ type: 'text', text })),
    );
  });

  test('as a body has every block', () => {
    const content: Block[] = [
      { type: 'reasoning', text: 'Hm', signature: 's' },
      { type: 'text', text: 'Hi', citations: [{ type: 'page_location' }, { type: 'url_citation' }] },
      { type: 'tool-call', id: 'a', name: 'look', input: { at: 1 } },
      { type: 'opaque', origin, data: { type: 'new_kind' } },
      { type: 'opaque', origin: { wire: 'other' }, data: { type: 'not_ours' } },
    ];
    const events = content.map((block, index): StreamEvent => ({ type: 'block-end', index, block }));
    const stop: StreamEvent = {
      type: 'message-end',
      stopReason: 'stop-sequence',
      stopSequence: '!',
      usage: { input: 1, output: 2 },
    };
    assert.deepEqual(
      anthropicMessagesServer.encodeBody(
        assemble([{ type: 'message-start', id: 'msg_1', model: 'm' }, ...events, stop]),
      ),
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 's' },
          { type: 'text', text: 'Hi', citations: [{ type: 'page_location' }] },
          { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } },
          { type: 'new_kind' },
        ],
        stop_reason: 'stop_sequence',
        stop_sequence: '!',
        usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      },
    );
  });
});

describe('an error of the kind', () => {
  /** The kind that our own client decodes. Kinds that the wire does not have become errors of the provider. */
  const kinds: Readonly<Record<ErrorKind, readonly [type: string, again: ErrorKind, inStream?: ErrorKind]>> = {
    'bad-request': ['invalid_request_error', 'bad-request'],
    'context-overflow': ['invalid_request_error', 'context-overflow'],
    auth: ['authentication_error', 'auth'],
    quota: ['billing_error', 'quota'],
    'not-found': ['not_found_error', 'not-found'],
    'rate-limit': ['rate_limit_error', 'rate-limit'],
    overloaded: ['overloaded_error', 'overloaded'],
    upstream: ['api_error', 'upstream'],
    network: ['api_error', 'upstream'],
    timeout: ['timeout_error', 'timeout'],
    'bad-response': ['api_error', 'upstream'],
    healing: ['api_error', 'bad-request', 'upstream'],
    configuration: ['api_error', 'upstream'],
    internal: ['api_error', 'upstream'],
  };

  for (const [kind, [type, again, inStream = again]] of Object.entries(kinds)) {
    test(kind, () => {
      const error = new SimpleAgentsError(kind as ErrorKind, 'words');
      const { status, body } = anthropicMessagesServer.encodeError(error);
      const message = kind === 'context-overflow' ? 'prompt is too long: words' : 'words';
      assert.equal(status, errorTable[kind as ErrorKind].status);
      assert.deepEqual(body, { type: 'error', error: { type, message } });
      assert.equal(classifyFailure({ ...anthropicMessages.decodeError(body), status }).kind, again);
      const decoder = anthropicMessages.decodeStream();
      decoder.push(new TextEncoder().encode(anthropicMessagesServer.encodeStream().fail(error)));
      assert.deepEqual([decoder.failure?.kind, decoder.failure?.message], [inStream, message]);
    });
  }
});

test('a thread is rejected with the code that makes the official SDK send the whole conversation', () => {
  assert.throws(
    () => decode({ thread: { type: 'continue', previous_message_id: 'msg_1' } }),
    (error: SimpleAgentsError) => {
      const { status, body } = anthropicMessagesServer.encodeError(error);
      const { details } = body['error'] as { details: unknown };
      assert.equal(status, 400);
      assert.deepEqual(details, { error_code: 'thread_unsupported_request', unsupported: ['thread'] });
      return true;
    },
  );
});
