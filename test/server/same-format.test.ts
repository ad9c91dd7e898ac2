// Responses of a provider that speaks the client's format, when the request asks for JSON: a valid whole response passes
// byte for byte, another one is healed.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { startGateway } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';

/** A provider that answers everything with one body. */
async function startAnswering(context: TestContext, body: string, type = 'application/json') {
  const upstream = await startHttpServer(context, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  return startGateway(context, upstream.origin);
}

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
const named = { name: 'answer', schema };
const valid = '{ "a" : 1.0,\n "b": 12345678901234567890 }';

const annotations = [
  { type: 'url_citation', url_citation: { url: 'https://a.example', start_index: 0, end_index: 1 } },
];
const usage = {
  prompt_tokens: 5,
  completion_tokens: 3,
  total_tokens: 8,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 2 },
};

function chatBody(content: string, more: object = {}): string {
  const message = { role: 'assistant', content, refusal: null, annotations, newer: { kept: 1 }, ...more };
  const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' };
  return JSON.stringify(
    { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage },
    null,
    1,
  );
}

function responsesBody(content: string): string {
  const part = { type: 'output_text', text: content, annotations: [], logprobs: [], newer: 1 };
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] };
  const counts = { input_tokens: 5, output_tokens: 3, total_tokens: 8, output_tokens_details: { newer: 1 } };
  return JSON.stringify({
    id: 'resp_1',
    object: 'response',
    model: 'm',
    status: 'completed',
    output: [item],
    usage: counts,
  });
}

function anthropicBody(content: string): string {
  const block = { type: 'text', text: content, citations: null, newer: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [block], newer: 2 };
  return JSON.stringify({
    ...message,
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 3, newer: 3 },
  });
}

function googleBody(content: string): string {
  const candidate = {
    content: { role: 'model', parts: [{ text: content, newer: 1 }] },
    finishReason: 'STOP',
    avgLogprobs: 1,
  };
  return JSON.stringify({ candidates: [candidate], usageMetadata: { promptTokenCount: 5, newer: 2 }, responseId: 'r' });
}

const messages = [{ role: 'user', content: 'Hello' }];
const chat = { model: 'openai/m', messages };
type Format = readonly [path: string, request: object, bodyOf: (content: string) => string];

const formats: Readonly<Record<string, Format>> = {
  'json_object': ['/v1/chat/completions', { ...chat, response_format: { type: 'json_object' } }, chatBody],
  'json_schema': [
    '/v1/chat/completions',
    { ...chat, response_format: { type: 'json_schema', json_schema: named } },
    chatBody,
  ],
  'messages': [
    '/v1/messages',
    { model: 'anthropic/m', max_tokens: 9, messages, output_config: { format: { type: 'json_schema', schema } } },
    anthropicBody,
  ],
  'generateContent': [
    '/v1beta/models/google/m:generateContent',
    {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
    },
    googleBody,
  ],
};

describe('a whole response in JSON, from the same format', () => {
  for (const [name, [path, request, bodyOf]] of Object.entries(formats)) {
    test(`passes byte for byte if it is valid: ${name}`, async (context) => {
      const { post, events } = await startAnswering(context, bodyOf(valid));
      const response = await post(path, request);
      assert.equal(await response.text(), bodyOf(valid));
      assert.equal(response.headers.get('x-simple-agents-healing'), null);
      const end = events.find((event) => event.type === 'call-end');
      assert.deepEqual([end?.outcome, end?.usage.input], ['complete', 5]);
    });

    test(`is healed if it is not: ${name}`, async (context) => {
      const { post } = await startAnswering(context, bodyOf('Here: {a: 1,}'));
      const text = await (await post(path, request)).text();
      assert.ok(text.includes(JSON.stringify('{"a":1}')), text);
    });
  }

  test('differs only in its ids on the Responses route', async (context) => {
    const { post } = await startAnswering(context, responsesBody(valid));
    const format = { type: 'json_schema', ...named };
    const response = await post('/v1/responses', { model: 'responses/m', input: 'Hello', text: { format } });
    const received = (await response.json()) as { id: string };
    assert.deepEqual({ ...received, id: 'resp_1' }, JSON.parse(responsesBody(valid)));
  });

  test('passes with tool calls, and with a refusal', async (context) => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"x": 1}' }, newer: 1 };
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    for (const more of [
      { content: null, tool_calls: [call] },
      { content: null, refusal: 'No.' },
    ]) {
      const body = chatBody('', more);
      const { post } = await startAnswering(context, body);
      const [path, request] = formats['json_schema'] as Format;
      assert.equal(await (await post(path, { ...request, tools })).text(), body);
    }
  });

  test('needs a valid value, not only JSON', async (context) => {
    const { post } = await startAnswering(context, chatBody('{"a": "7"}'));
    const [path, request] = formats['json_schema'] as Format;
    assert.match(await (await post(path, request)).text(), /\{\\"a\\":7\}/);
  });
});

test('a streamed response in JSON keeps its annotations and the details of its usage', async (context) => {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const deltas = [{ role: 'assistant', content: '' }, { content: '{"a": ' }, { content: '1}' }, { annotations }];
  const frames = [
    ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...head, choices: [], usage },
  ];
  const body = `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`;
  const { post } = await startAnswering(context, body, 'text/event-stream');
  const [path, request] = formats['json_schema'] as Format;
  const asked = { ...request, stream: true, stream_options: { include_usage: true } };
  const lines = (await (await post(path, asked)).text()).split('\n').filter((line) => line.startsWith('data: {'));
  const chunks = lines.map((line) => JSON.parse(line.slice(6)) as Record<string, never>);
  assert.deepEqual(
    chunks.flatMap(({ choices }) => choices?.[0]?.['delta']?.['annotations'] ?? []),
    annotations,
  );
  assert.deepEqual(chunks.at(-1)?.['usage'], usage);
});
