// A request of a client at a provider of the same wire: what is decoded and encoded again is what the client sent. A member
// that nothing here knows is put into every object of a request, one at a time, and has to arrive.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { isRecord } from '../../src/core/json.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { anthropicMessagesServer } from '../../src/wire/anthropic-messages/server.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { openaiChatServer } from '../../src/wire/openai-chat/server.ts';
import { openaiResponses } from '../../src/wire/openai-responses/client.ts';
import { openaiResponsesServer } from '../../src/wire/openai-responses/server.ts';
import type { WireClient, WireServer } from '../../src/wire/wire.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const image = 'data:image/png;base64,iVBORw0KGgo=';

interface Case {
  readonly client: WireClient;
  readonly server: WireServer;
  readonly body: Readonly<Record<string, unknown>>;
  /** Objects that the gateway understands completely, so that it builds them anew. */
  readonly closed: RegExp;
}

const cases: readonly Case[] = [
  {
    client: openaiChat,
    server: openaiChatServer,
    closed:
      /^(?:tool_choice|response_format|tools\.0$|messages\.2\.content\.2$|messages\.\d+\.content\.\d+\.(?:image_url|input_audio|file)$)/,
    body: {
      model: 'm',
      stream: false,
      max_completion_tokens: 9,
      temperature: 0.5,
      stop: ['x', 'y'],
      logit_bias: { '1': 2 },
      metadata: { k: 'v' },
      prediction: { type: 'content', content: 'x' },
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'r', schema, strict: true } },
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } },
        { type: 'custom', custom: { name: 'c', format: { type: 'text' } } },
      ],
      messages: [
        { role: 'developer', content: 'Be brief.', name: 'dev' },
        {
          role: 'system',
          content: [
            { type: 'text', text: 's' },
            { type: 'text', text: 't' },
          ],
        },
        {
          role: 'user',
          name: 'bob',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: image, detail: 'low' } },
            { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
            { type: 'file', file: { file_id: 'f1' } },
            { type: 'newer', newer: { a: 1 } },
          ],
        },
        {
          role: 'assistant',
          content: 'Hm',
          audio: { id: 'a1' },
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 12345678901234567890 }' } },
            { id: 'c2', type: 'custom', custom: { name: 'c', input: 'x' } },
            { id: 'c3', type: 'function', function: { name: 'f', arguments: '{bad' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
        { role: 'tool', tool_call_id: 'c3', content: 'ok' },
        { role: 'user', name: 'eve', content: 'Go' },
        { role: 'assistant', content: null, refusal: 'Never' },
        { role: 'user', content: 'Bye' },
      ],
    },
  },
  {
    client: anthropicMessages,
    server: anthropicMessagesServer,
    closed:
      /^(?:metadata|tool_choice|output_config\.format)$|^messages\.\d+$|\.source$|content\.0\.(?:thinking|data)|^messages\.1\.content\.[01]$/,
    body: {
      model: 'm',
      stream: false,
      max_tokens: 9,
      top_k: 3,
      metadata: { user_id: 'u' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
      context_management: { edits: [] },
      system: [
        { type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'text', text: 't' },
      ],
      tools: [
        { name: 'f', description: 'd', input_schema: schema, cache_control: { type: 'ephemeral' } },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See', cache_control: { type: 'ephemeral' } },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'document', title: 't', citations: { enabled: true }, source: { type: 'file', file_id: 'f1' } },
            { type: 'newer', a: { b: 1 } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'th', signature: 'sig' },
            { type: 'redacted_thinking', data: 'red' },
            { type: 'text', text: 'Hm', citations: [{ type: 'char_location', cited_text: 'x' }] },
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
            { type: 'tool_use', id: 'c1', name: 'f', input: { a: '1' }, cache_control: { type: 'ephemeral' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: [{ type: 'text', text: 'p' }] },
            { type: 'text', text: 'Go' },
          ],
        },
      ],
    },
  },
  {
    client: openaiResponses,
    server: openaiResponsesServer,
    closed: /^(?:tool_choice|text\.format)$/,
    body: {
      model: 'm',
      stream: false,
      instructions: 'i',
      max_output_tokens: 20,
      store: false,
      include: ['reasoning.encrypted_content'],
      metadata: { k: 'v' },
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'r', schema, strict: true } },
      tool_choice: { type: 'function', name: 'f' },
      tools: [
        { type: 'function', name: 'f', parameters: schema },
        { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
        { type: 'web_search', search_context_size: 'low' },
      ],
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'dev' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: image, detail: 'low' },
            { type: 'input_file', file_id: 'f2' },
            { type: 'newer', a: { b: 1 } },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'th' }], encrypted_content: 'enc' },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hm' }],
        },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a": 12345678901234567890 }' },
        { type: 'custom_tool_call', id: 'ct_1', call_id: 'c2', name: 'c', input: 'x' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
        { type: 'function_call_output', call_id: 'c1', output: 'ok', status: 'completed' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'fine' },
        { type: 'item_reference', id: 'x_1' },
      ],
    },
  },
];

type Path = readonly (string | number)[];

function objectsIn(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => objectsIn(item, [...path, index]));
  if (!isRecord(value)) return [];
  return [path, ...Object.entries(value).flatMap(([name, member]) => objectsIn(member, [...path, name]))];
}

function withNewer(body: object, path: Path): Record<string, unknown> {
  const copy = structuredClone(body) as Record<string, unknown>;
  const place = path.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], copy);
  (place as Record<string, unknown>)['newer_member'] = { kept: [1, null] };
  return copy;
}

for (const { client, server, body, closed } of cases) {
  const passed = (sent: unknown): unknown => client.encodeRequest(server.decodeRequest(sent), { provider: 'p' }).body;

  describe(`a request of ${client.name} at the same wire`, () => {
    test('arrives as it was sent', () => assert.deepEqual(passed(body), body));

    for (const path of objectsIn(body)) {
      const place = path.join('.');
      if (closed.test(place)) continue;
      test(`keeps an unknown member of ${place || 'the body'}`, () => {
        const sent = withNewer(body, path);
        assert.deepEqual(passed(sent), sent);
      });
    }
  });
}
