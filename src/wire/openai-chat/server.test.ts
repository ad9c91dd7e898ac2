// The server side of the OpenAI wire: requests, responses, and the format of every error.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assemble } from '../../core/assembler.ts';
import { classifyFailure, errorTable, SimpleAgentsError, type ErrorKind } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import type { Block } from '../../core/message.ts';
import type { EncodeResponseOptions } from '../wire.ts';
import { openaiChat } from './client.ts';
import { openaiChatServer } from './server.ts';

const least = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const decode = (more: object) => openaiChatServer.decodeRequest({ ...least, ...more });
const origin = { wire: 'openai-chat' };

describe('a request', () => {
  test('with the required fields only', () => {
    assert.deepEqual(openaiChatServer.decodeRequest(least), {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stream: false,
    });
  });

  test('with every field', () => {
    const { messages: _messages, ...rest } = decode({
      max_tokens: 1,
      max_completion_tokens: 9,
      tools: [
        { type: 'function', function: { name: 'look', description: 'Looks', strict: true } },
        { type: 'custom', custom: { name: 'other' } },
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      reasoning_effort: 'high',
      temperature: 1.5,
      top_p: 0.9,
      stop: 'a',
      seed: 7,
      user: 'someone',
      stream: true,
      stream_options: { include_usage: true },
      logit_bias: { 5: 1 },
    });
    assert.deepEqual(rest, {
      model: 'm',
      maxTokens: 9,
      tools: [
        { name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} }, strict: true },
        { type: 'opaque', origin, data: { type: 'custom', custom: { name: 'other' } } },
      ],
      toolChoice: { name: 'look' },
      parallelToolCalls: false,
      responseFormat: { type: 'json-schema', name: 'n', schema: { type: 'object' }, strict: true },
      reasoning: { effort: 'high' },
      temperature: 1.5,
      topP: 0.9,
      stop: ['a'],
      seed: 7,
      user: 'someone',
      stream: true,
      extra: { 'openai-chat': { logit_bias: { 5: 1 } } },
    });
  });

  test('collects the results of one turn, with the next user content', () => {
    const { messages } = decode({
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'a' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'x', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
            { id: 'y', type: 'function', function: { name: 'look', arguments: '{"at' } },
          ],
        },
        { role: 'tool', tool_call_id: 'x', content: 'one' },
        { role: 'tool', tool_call_id: 'y', content: [{ type: 'text', text: 'two' }] },
        { role: 'user', content: 'b' },
        { role: 'user', content: 'c' },
      ],
    });
    assert.deepEqual(messages, [
      {
        role: 'system',
        content: [{ type: 'text', text: 'Be brief.' }],
        extra: { wire: 'openai-chat', members: { item: { role: 'developer' } } },
      },
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', id: 'x', name: 'look', input: { at: 1 } },
          {
            type: 'tool-call',
            id: 'y',
            name: 'look',
            input: null,
            raw: '{"at',
            error: 'the arguments are not valid JSON',
          },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool-result', callId: 'x', content: [{ type: 'text', text: 'one' }] },
          { type: 'tool-result', callId: 'y', content: [{ type: 'text', text: 'two' }] },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'c' }] },
    ]);
  });

  test('with images, audio, files and cache markers', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      { type: 'file', file: { file_id: 'file_1' } },
      { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
    ];
    assert.deepEqual(decode({ messages: [{ role: 'user', content }] }).messages[0]?.content, [
      { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, detail: 'low' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      { type: 'audio', format: 'wav', data: 'AAAA' },
      { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
      { type: 'document', source: { kind: 'file', id: 'file_1' } },
      { type: 'text', text: 'a', cache: { ttl: '30m' } },
      { type: 'text', text: 'b', cache: {} },
    ]);
  });

  test('with an assistant’s reasoning and refusal', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm', signature: 's' },
      { type: 'reasoning.encrypted', data: 'r' },
    ];
    const assistant = { role: 'assistant', content: 'Yes', refusal: 'No', reasoning_details: details };
    assert.deepEqual(decode({ messages: [assistant] }).messages[0]?.content, [
      { type: 'reasoning', text: 'Hm', signature: 's', origin },
      { type: 'reasoning', text: '', redacted: 'r', origin },
      { type: 'text', text: 'Yes' },
      { type: 'text', text: 'No', extra: { wire: 'openai-chat', members: { item: { type: 'refusal' } } } },
    ]);
  });

  const wrong: readonly (readonly [expected: string, body: unknown])[] = [
    ['the request body must be an object', null],
    ['model: must be a string', { ...least, model: 7 }],
    ['messages: required field is missing', { model: 'm' }],
    [
      'messages.0.role: must be one of "system", "developer", "user", "assistant", "tool"',
      { ...least, messages: [{ role: 'function' }] },
    ],
    ['messages.0.tool_call_id: required field is missing', { ...least, messages: [{ role: 'tool', content: 'a' }] }],
    [
      'messages.0.content.0.image_url.url: must be a URL or data:TYPE;base64,DATA',
      { ...least, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,x' } }] }] },
    ],
    ['tool_choice: must be one of "auto", "none", "required"', { ...least, tool_choice: 'any' }],
    ['response_format.json_schema: required field is missing', { ...least, response_format: { type: 'json_schema' } }],
    ['temperature: must be a number', { ...least, temperature: '1' }],
    ['stop.0: must be a string', { ...least, stop: [7] }],
  ];
  for (const [expected, body] of wrong) {
    test(`that is invalid: ${expected}`, () => {
      assert.throws(
        () => openaiChatServer.decodeRequest(body),
        (error) => error instanceof SimpleAgentsError && error.kind === 'bad-request' && error.message === expected,
      );
    });
  }
});

/** The chunks of a stream, without the terminator. */
function write(options: EncodeResponseOptions, ...events: StreamEvent[]): unknown[] {
  const encoder = openaiChatServer.encodeStream(options);
  const text = events.map((event) => encoder.push(event)).join('');
  assert.ok(text.endsWith('data: [DONE]\n\n'));
  return text
    .split('\n\n')
    .slice(0, -2)
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as unknown);
}

describe('a response', () => {
  const start: StreamEvent = { type: 'message-start', id: 'c1', model: 'm' };
  const end: StreamEvent = {
    type: 'message-end',
    stopReason: 'tool-calls',
    usage: { input: 1, output: 2, cacheRead: 3 },
  };

  test('as a stream numbers its calls, and has usage only on request', () => {
    const calls: StreamEvent[] = [
      { type: 'tool-call-start', index: 3, id: 'x', name: 'look' },
      { type: 'tool-call-delta', index: 3, json: '{}' },
      { type: 'block-end', index: 7, block: { type: 'tool-call', id: 'y', name: 'look', input: { at: 1 } } },
    ];
    const chunks = write({ created: 5, includeUsage: true }, start, ...calls, end);
    assert.deepEqual(chunks[0], {
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 5,
      model: 'm',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
    });
    const numbers = chunks.flatMap((chunk) => JSON.stringify(chunk).match(/"tool_calls":\[\{"index":(\d)/)?.[1] ?? []);
    assert.deepEqual(numbers, ['0', '0', '1', '1']);
    assert.deepEqual(chunks.at(-1), {
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 5,
      model: 'm',
      choices: [],
      usage: {
        prompt_tokens: 4,
        completion_tokens: 2,
        total_tokens: 6,
        prompt_tokens_details: { cached_tokens: 3 },
      },
    });
    assert.doesNotMatch(JSON.stringify(write({}, start, ...calls, end)), /"usage"/);
  });

  test('as a body has every block that this wire has', () => {
    const content: Block[] = [
      { type: 'reasoning', text: 'Hm', signature: 's' },
      { type: 'text', text: 'Hi', citations: [{ type: 'url_citation' }, { type: 'page_location' }] },
      { type: 'tool-call', id: 'x', name: 'look', input: { at: 1 } },
      { type: 'opaque', origin: { wire: 'anthropic-messages' }, data: {} },
    ];
    const events = content.map((block, index): StreamEvent => ({ type: 'block-end', index, block }));
    assert.deepEqual(openaiChatServer.encodeBody(assemble([start, ...events, end]), { created: 5 }), {
      id: 'c1',
      object: 'chat.completion',
      created: 5,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hi',
            refusal: null,
            reasoning_content: 'Hm',
            reasoning_details: [{ type: 'reasoning.text', text: 'Hm', signature: 's', index: 0 }],
            tool_calls: [{ id: 'x', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
            annotations: [{ type: 'url_citation' }],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 4,
        completion_tokens: 2,
        total_tokens: 6,
        prompt_tokens_details: { cached_tokens: 3 },
      },
    });
  });
});

describe('an error of the kind', () => {
  /** The kind that our own client decodes. Kinds that the wire does not have become errors of the provider. */
  const kinds: Readonly<Record<ErrorKind, readonly [string, string | null, again: ErrorKind, inStream?: ErrorKind]>> = {
    'bad-request': ['invalid_request_error', null, 'bad-request'],
    'context-overflow': ['invalid_request_error', 'context_length_exceeded', 'context-overflow'],
    auth: ['invalid_request_error', 'invalid_api_key', 'auth'],
    quota: ['insufficient_quota', 'insufficient_quota', 'quota'],
    'not-found': ['invalid_request_error', 'model_not_found', 'not-found'],
    'rate-limit': ['rate_limit_error', 'rate_limit_exceeded', 'rate-limit'],
    overloaded: ['overloaded_error', null, 'overloaded'],
    upstream: ['server_error', null, 'upstream'],
    network: ['server_error', null, 'upstream'],
    timeout: ['timeout_error', null, 'timeout'],
    'bad-response': ['server_error', null, 'upstream'],
    healing: ['server_error', 'healing_failed', 'bad-request', 'upstream'],
    configuration: ['server_error', null, 'upstream'],
    internal: ['server_error', null, 'upstream'],
  };

  for (const [kind, [type, code, again, inStream = again]] of Object.entries(kinds)) {
    test(kind, () => {
      const error = new SimpleAgentsError(kind as ErrorKind, 'words', { field: 'messages.0' });
      const { status, body } = openaiChatServer.encodeError(error);
      assert.equal(status, errorTable[kind as ErrorKind].status);
      assert.deepEqual(body, { error: { message: 'words', type, param: 'messages.0', code } });
      const read = classifyFailure({ ...openaiChat.decodeError(body), status });
      assert.deepEqual([read.kind, read.message, read.field], [again, 'words', 'messages.0']);
      const decoder = openaiChat.decodeStream();
      decoder.push(new TextEncoder().encode(openaiChatServer.encodeStream().fail(error)));
      assert.equal(decoder.failure?.kind, inStream);
    });
  }
});
