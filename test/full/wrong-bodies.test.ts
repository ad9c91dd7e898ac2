// Bodies with a wrong value: on every route that translates, each member at every depth of a complete body is replaced by
// each value. The gateway refuses the body, naming what is wrong, or serves it. It never has an internal error.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { pixel, startGatewayStack, type GatewayStack } from '../support/gateway-stack.ts';

const model = 'google/simulated';
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const dataUrl = `data:image/png;base64,${pixel}`;

const chat = {
  model,
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } },
        { type: 'image_url', image_url: { url: dataUrl, detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: 'x',
      reasoning_details: [{ type: 'reasoning.text', text: 'a', signature: 's', index: 0 }],
      images: [{ type: 'image_url', image_url: { url: dataUrl } }],
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'r' },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } }],
  tool_choice: { type: 'function', function: { name: 'f' } },
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
  max_tokens: 50,
  temperature: 0.5,
  top_p: 0.5,
  stop: ['z'],
  seed: 1,
  user: 'u',
  stream_options: { include_usage: true },
  stream: false,
  parallel_tool_calls: true,
  reasoning_effort: 'low',
  metadata: { a: 'b' },
  models: [model],
  plugins: [{ id: 'response-healing' }],
};

const messages = {
  model,
  max_tokens: 3000,
  system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '5m' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: 't' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 't', signature: 's' },
        { type: 'tool_use', id: 'c1', name: 'f', input: { city: 'a' } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'r' }], is_error: false }],
    },
  ],
  tools: [{ name: 'f', description: 'd', input_schema: schema }],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1024 },
  temperature: 1,
  top_p: 0.99,
  top_k: 5,
  stop_sequences: ['z'],
  metadata: { user_id: 'u' },
  output_config: { format: { type: 'json_schema', schema }, effort: 'low' },
};

const responses = {
  model,
  instructions: 'i',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Hi' },
        { type: 'input_image', image_url: dataUrl, detail: 'low' },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: 'e' },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'r' },
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: pixel },
  ],
  tools: [
    { type: 'function', name: 'f', description: 'd', parameters: schema, strict: true },
    { type: 'custom', name: 'g' },
  ],
  tool_choice: { type: 'function', name: 'f' },
  text: { format: { type: 'json_schema', name: 'n', schema, strict: true }, verbosity: 'low' },
  max_output_tokens: 50,
  temperature: 0.5,
  top_p: 0.5,
  user: 'u',
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  store: false,
  metadata: { a: 'b' },
  parallel_tool_calls: true,
  truncation: 'disabled',
  stream: false,
};

const gemini = {
  systemInstruction: { parts: [{ text: 's' }] },
  contents: [
    { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: pixel } }] },
    {
      role: 'model',
      parts: [
        { text: 't', thought: true },
        { functionCall: { id: 'c1', name: 'f', args: { city: 'a' } }, thoughtSignature: 'AA==' },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: 'r' } } }] },
  ],
  tools: [
    {
      functionDeclarations: [
        {
          name: 'f',
          description: 'd',
          parameters: { type: 'OBJECT', properties: { city: { type: 'STRING', nullable: true } }, required: ['city'] },
        },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  generationConfig: {
    temperature: 0.5,
    topP: 0.5,
    maxOutputTokens: 50,
    stopSequences: ['z'],
    seed: 1,
    thinkingConfig: { thinkingBudget: 100, includeThoughts: true },
    responseMimeType: 'application/json',
    responseJsonSchema: schema,
    candidateCount: 1,
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
};

const embedded = { content: { parts: [{ text: 'a' }] }, outputDimensionality: 8 };
const atModel = `/v1beta/models/${model}`;

const routes: Readonly<Record<string, object>> = {
  '/v1/chat/completions': chat,
  '/v1/messages': messages,
  '/v1/messages/count_tokens': { model, messages: messages.messages, system: 's', tools: messages.tools },
  '/v1/responses': responses,
  '/v1/responses/input_tokens': { model, input: 'Hi', tools: responses.tools },
  [`${atModel}:generateContent`]: gemini,
  [`${atModel}:countTokens`]: { generateContentRequest: { contents: gemini.contents } },
  [`${atModel}:embedContent`]: { ...embedded, taskType: 'RETRIEVAL_QUERY' },
  [`${atModel}:batchEmbedContents`]: { requests: [{ model: `models/${model}`, ...embedded }] },
  '/v1/embeddings': { model, input: ['a', 'b'], dimensions: 8, encoding_format: 'base64', user: 'u' },
  '/v1/completions': { model, prompt: 'Hi', max_tokens: 10, temperature: 0.5, stop: ['z'], echo: false, stream: false },
};

const wrong: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  1.5,
  1e300,
  true,
  '',
  'x',
  '\ud800',
  [],
  [1],
  [null],
  [[]],
  {},
  { a: 1 },
  [{}],
  { type: 'x' },
  { type: 'toString' },
  [{ type: 'text' }],
];

type Path = readonly (string | number)[];

function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value))
    yield* pathsIn(member, [...path, Array.isArray(value) ? Number(key) : key]);
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.with(Number(key), replaced(value[Number(key)], rest, by));
  const members = value as Record<string, unknown>;
  return { ...members, [key]: replaced(members[key], rest, by) };
}

describe('a wrong value in the body of', () => {
  let stack: GatewayStack;
  before(async () => {
    stack = await startGatewayStack({ gateway: { retry: false, breaker: false } });
  });
  after(() => stack.close());

  async function send(path: string, body: unknown): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
    const response = await fetch(stack.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  }

  async function check(path: string, body: unknown, label: string): Promise<void> {
    const { status, text } = await send(path, body);
    assert.ok(status < 500, `${label}: ${status} ${text}`);
    if (status < 400) return;
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    assert.ok(typeof error?.message === 'string' && error.message !== '', `${label}: ${text}`);
  }

  for (const [path, body] of Object.entries(routes)) {
    test(path, { timeout: 120_000 }, async () => {
      const whole = await send(path, body);
      assert.equal(whole.status, 200, whole.text);
      for (const at of pathsIn(body)) {
        const checks = wrong.map((value) =>
          check(path, replaced(body, at, value), `${at.join('.')} = ${JSON.stringify(value)}`),
        );
        await Promise.all(checks);
      }
    });
  }
});
