// What each API rejects, with its messages, over HTTP; and that valid requests pass.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { signatureOf } from '../model/events.ts';
import { createSimulateServer, type SimulateServer } from './server.ts';

type Body = Readonly<Record<string, unknown>>;
type Expected = string | RegExp;

const user = (content: unknown = 'Hi'): Body => ({ role: 'user', content });
const assistant = (content: unknown = 'Hello'): Body => ({ role: 'assistant', content });
const toolUse = (id: string, input: unknown = {}): Body => ({ type: 'tool_use', id, name: 'f', input });
const toolResult = (id: string, content: unknown = 'ok'): Body => ({ type: 'tool_result', tool_use_id: id, content });
const toolCall = (id: string, more: Body = {}): Body => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{}', ...more },
});
const result = (id: string): Body => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const schema = { type: 'object', properties: {} };
const text = (words: string, more: Body = {}): Body => ({ type: 'text', text: words, ...more });
const marked = { cache_control: { type: 'ephemeral' } };

let server: SimulateServer;
before(async () => {
  server = await createSimulateServer();
});
after(() => server.close());

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<{ status: number; error: Body }> {
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const { error = {} } = (await response.json()) as { error?: Body };
  return { status: response.status, error };
}

function assertSaid(error: Body, expected: Expected): void {
  if (typeof expected === 'string') assert.equal(error['message'], expected);
  else assert.match(String(error['message']), expected);
}

describe('the Anthropic API', () => {
  const headers = { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
  const base: Body = { model: 'simulated', max_tokens: 100, messages: [user()] };
  const tools = [{ name: 'f', input_schema: schema }];
  const send = (body: unknown, given: Record<string, string> = headers): Promise<{ status: number; error: Body }> =>
    post('/v1/messages', body, given);

  const refused: readonly (readonly [string, Body, Expected])[] = [
    ['no model', { model: undefined }, 'model: Field required'],
    ['no limit', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['no messages', { messages: undefined }, 'messages: Field required'],
    ['an empty list', { messages: [] }, 'messages: at least one message is required'],
    ['a limit of 0', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    ['a limit that is no number', { max_tokens: '5' }, 'max_tokens: Input should be a valid integer'],
    ['an unknown field', { max_tokenz: 1 }, 'max_tokenz: Extra inputs are not permitted'],
    ['a hot temperature', { temperature: 1.1 }, 'temperature: range: 0..1'],
    [
      'a temperature at a new model',
      { model: 'claude-opus-5', temperature: 0.5 },
      '`temperature` is deprecated for this model.',
    ],
    ['`top_k` at a new model', { model: 'claude-opus-5', top_k: 1 }, '`top_k` is deprecated for this model.'],
    [
      'a budget at a new model',
      { model: 'claude-opus-5', thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000 },
      /^"thinking.type.enabled" is not supported/u,
    ],
    [
      'no thinking at a model that always thinks',
      { model: 'claude-opus-5-5', thinking: { type: 'disabled' } },
      /^"thinking.type.disabled" is not/u,
    ],
    [
      'a forced tool at a new model',
      { model: 'claude-opus-5-5', tools, tool_choice: { type: 'any' } },
      'tool_choice: type "tool" and "any" are not supported for this model.',
    ],
    ['a blank stop sequence', { stop_sequences: [' '] }, /must contain non-whitespace/u],
    ['an assistant first', { messages: [assistant(), user()] }, 'messages: first message must use the "user" role'],
    [
      'two users in a row',
      { messages: [user(), user()] },
      'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    ],
    ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }, /^messages: Unexpected role "tool"/u],
    [
      'empty content',
      { messages: [user('')] },
      'messages.0: all messages must have non-empty content except for the optional final assistant message',
    ],
    ['an empty text block', { messages: [user([text('')])] }, 'messages: text content blocks must be non-empty'],
    [
      'a blank text block',
      { messages: [user([text(' \n')])] },
      'messages: text content blocks must contain non-whitespace text',
    ],
    [
      'an unknown block',
      { messages: [user([{ type: 'smell' }])] },
      /^messages\.0\.content\.0: Input tag 'smell' found using 'type'/u,
    ],
    [
      'trailing whitespace at the end',
      { messages: [user(), assistant('So ')] },
      'messages: final assistant content cannot end with trailing whitespace',
    ],
    [
      'an unanswered call',
      { messages: [user(), assistant([toolUse('a')]), user()], tools },
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    ],
    [
      'a result after text',
      { messages: [user(), assistant([toolUse('a')]), user([text('x'), toolResult('a')])] },
      /^messages\.1: `tool_use` ids were found without/u,
    ],
    [
      'a call at the end',
      { messages: [user(), assistant([toolUse('a')])] },
      /^messages\.1: `tool_use` ids were found without/u,
    ],
    [
      'a result without a tool call',
      { messages: [user([toolResult('a')])] },
      /^messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: a\./u,
    ],
    [
      'a result twice',
      { messages: [user(), assistant([toolUse('a')]), user([toolResult('a'), toolResult('a')])] },
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    ],
    [
      'a call id twice',
      { messages: [user(), assistant([toolUse('a'), toolUse('a')]), user([toolResult('a')])] },
      'messages: `tool_use` ids must be unique',
    ],
    ['a call by the user', { messages: [user([toolUse('a')])] }, /can only be in `assistant` messages/u],
    [
      'an odd call id',
      { messages: [user(), assistant([toolUse('a:b')]), user([toolResult('a:b')])] },
      /tool_use\.id: String should match pattern/u,
    ],
    [
      'arguments that are no object',
      { messages: [user(), assistant([toolUse('a', [])]), user([toolResult('a')])] },
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    ],
    [
      'an empty error result',
      { messages: [user(), assistant([toolUse('a')]), user([{ ...toolResult('a', ''), is_error: true }])] },
      /content cannot be empty if `is_error` is true/u,
    ],
    [
      'a tool name with a dot',
      { tools: [{ name: 'a.b', input_schema: schema }] },
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    ['two tools of one name', { tools: [...tools, ...tools] }, 'tools: Tool names must be unique.'],
    ['a tool without a schema', { tools: [{ name: 'f' }] }, 'tools.0.custom.input_schema: Field required'],
    [
      'a schema without a type',
      { tools: [{ name: 'f', input_schema: {} }] },
      'tools.0.custom.input_schema.type: Field required',
    ],
    [
      'a choice without tools',
      { tool_choice: { type: 'auto' } },
      'tool_choice may only be specified while providing tools',
    ],
    [
      'a choice of an unknown tool',
      { tools, tool_choice: { type: 'tool', name: 'g' } },
      "Tool 'g' not found in provided tools",
    ],
    [
      'a small thinking budget',
      { thinking: { type: 'enabled', budget_tokens: 1023 }, max_tokens: 2000 },
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    ],
    [
      'a budget beyond the limit',
      { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 2000 },
      /^`max_tokens` must be greater than `thinking.budget_tokens`\./u,
    ],
    [
      'thinking with a temperature',
      { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000, temperature: 0 },
      /^`temperature` may only be set to 1/u,
    ],
    [
      'thinking with a forced tool',
      { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000, tools, tool_choice: { type: 'any' } },
      'Thinking may not be enabled when tool_choice forces tool use.',
    ],
    [
      'a thought that was lost',
      {
        thinking: { type: 'enabled', budget_tokens: 1024 },
        max_tokens: 2000,
        messages: [user(), assistant([toolUse('a')]), user([toolResult('a')])],
      },
      /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`/u,
    ],
    [
      'a thought that was changed',
      {
        messages: [
          user(),
          assistant([{ type: 'thinking', thinking: 'b', signature: signatureOf('a') }, text('x')]),
          user(),
        ],
      },
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    [
      'five cache markers',
      { system: [text('s', marked)], messages: [user([1, 2, 3, 4].map((number) => text(`${number}`, marked)))] },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'an odd cache marker',
      { system: [text('s', { cache_control: { type: 'forever' } })] },
      "cache_control.type: Input should be 'ephemeral'",
    ],
    [
      'an image of a kind it cannot see',
      { messages: [user([{ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'AA==' } }])] },
      /media_type: Input should be 'image\/jpeg', 'image\/png', 'image\/gif' or 'image\/webp'/u,
    ],
    [
      'an open schema',
      { output_config: { format: { type: 'json_schema', schema } } },
      /'additionalProperties' must be explicitly set to false/u,
    ],
  ];
  for (const [name, change, expected] of refused) {
    test(`rejects ${name}`, async () => {
      const { status, error } = await send({ ...base, ...change });
      assert.equal(status, 400);
      assert.equal(error['type'], 'invalid_request_error');
      assertSaid(error, expected);
    });
  }

  test('accepts valid requests: calls with results, a prefilled response, its own thinking, images, four markers', async () => {
    const messages = [
      user([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        text('look', marked),
      ]),
      assistant([{ type: 'thinking', thinking: 'hm', signature: signatureOf('hm') }, toolUse('a'), toolUse('b')]),
      user([toolResult('b', [text('ok', marked)]), { ...toolResult('a'), ...marked }, text('and now?')]),
      assistant('The answer is'),
    ];
    const { status, error } = await send({ ...base, messages, tools: [{ ...tools[0], ...marked }], temperature: 1 });
    assert.deepEqual(error, {});
    assert.equal(status, 200);
  });

  test('requires a key and a version, and has no model that begins with unknown', async () => {
    const keyless = await send(base, { 'anthropic-version': '2023-06-01' });
    assert.deepEqual(
      [keyless.status, keyless.error],
      [401, { type: 'authentication_error', message: 'x-api-key header is required' }],
    );
    assert.equal((await send(base, { ...headers, 'x-api-key': 'invalid' })).status, 401);
    assert.equal((await send(base, { ...headers, 'x-api-key': 'bad-key' })).status, 401);
    assertSaid((await send(base, { 'x-api-key': 'key' })).error, 'anthropic-version: header is required');
    const unknown = await send(base, { 'x-api-key': 'key', 'anthropic-version': '2023-10-01' });
    assertSaid(unknown.error, 'anthropic-version: "2023-10-01" is not a valid version');
  });

  test('a version refuses what it removed, also where tokens are counted', async () => {
    const latest = { ...headers, 'anthropic-version': '2026-10-21' };
    assertSaid((await send({ ...base, temperature: 1 }, latest)).error, 'temperature: Extra inputs are not permitted');
    assert.equal((await send({ ...base, temperature: 1 })).status, 200);
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
    const counted = { model: 'simulated', messages: [user(), assistant([document]), user()] };
    const answer = await post('/v1/messages/count_tokens', counted, latest);
    assertSaid(answer.error, /^messages\.1\.content\.0: `document`/u);
    assert.equal((await post('/v1/messages/count_tokens', counted, headers)).status, 200);
    const unknown = await send({ ...base, model: 'unknown-5' });
    assert.deepEqual([unknown.status, unknown.error], [404, { type: 'not_found_error', message: 'model: unknown-5' }]);
  });
});

describe('the OpenAI API', () => {
  const headers = { authorization: 'Bearer key' };
  const base: Body = { model: 'simulated', messages: [user()] };
  const tools = [{ type: 'function', function: { name: 'f', parameters: schema } }];
  const send = (body: unknown, given: Record<string, string> = headers): Promise<{ status: number; error: Body }> =>
    post('/v1/chat/completions', body, given);
  const closed = { ...schema, additionalProperties: false };
  const format = (json: Body): Body => ({ response_format: { type: 'json_schema', json_schema: json } });
  const image = (url: string): Body => ({ messages: [user([{ type: 'image_url', image_url: { url } }])] });

  const refused: readonly (readonly [string, Body, Expected, (string | null)?, (string | null)?])[] = [
    ['no model', { model: undefined }, 'you must provide a model parameter'],
    [
      'no messages',
      { messages: undefined },
      "Missing required parameter: 'messages'.",
      'messages',
      'missing_required_parameter',
    ],
    ['an empty list', { messages: [] }, /^Invalid 'messages': empty array\./u, 'messages', 'empty_array'],
    ['an unknown field', { max_tokenz: 1 }, 'Unrecognized request argument supplied: max_tokenz'],
    [
      'a hot temperature',
      { temperature: 3 },
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
      'temperature',
      'decimal_above_max_value',
    ],
    [
      'a temperature in words',
      { temperature: 'hot' },
      "Invalid type for 'temperature': expected a decimal, but got a string instead.",
      'temperature',
      'invalid_type',
    ],
    [
      'no choice at all',
      { n: 0 },
      "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0 instead.",
      'n',
      'integer_below_min_value',
    ],
    [
      'two limits',
      { max_tokens: 1, max_completion_tokens: 1 },
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      null,
      'invalid_parameter_combination',
    ],
    [
      'the old limit for a reasoning model',
      { model: 'o3', max_tokens: 5 },
      /^Unsupported parameter: 'max_tokens'/u,
      'max_tokens',
      'unsupported_parameter',
    ],
    [
      'five stop sequences',
      { stop: ['a', 'b', 'c', 'd', 'e'] },
      /^Invalid 'stop': array too long\./u,
      'stop',
      'array_above_max_length',
    ],
    [
      'stream options without a stream',
      { stream_options: { include_usage: true } },
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    ],
    [
      'an unknown role',
      { messages: [{ role: 'robot', content: 'x' }] },
      /^Invalid value: 'robot'\. Supported values are: 'system'/u,
      'messages[0].role',
      'invalid_value',
    ],
    [
      'no content',
      { messages: [user(null)] },
      "Invalid value for 'content': expected a string, got null.",
      'messages.[0].content',
    ],
    [
      'an empty list of calls',
      { messages: [user(), { ...assistant(), tool_calls: [] }] },
      /^Invalid 'messages\[1\]\.tool_calls': empty array\./u,
      'messages[1].tool_calls',
      'empty_array',
    ],
    [
      'a result without a tool call',
      { messages: [user(), result('a')] },
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      'messages.[1].role',
    ],
    [
      'a result for another call',
      { messages: [user(), { ...assistant(null), tool_calls: [toolCall('a')] }, result('b')] },
      "Invalid parameter: 'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
      'messages.[2].tool_call_id',
    ],
    [
      'an unanswered call',
      { messages: [user(), { ...assistant(null), tool_calls: [toolCall('a'), toolCall('b')] }, result('a'), user()] },
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
      'messages.[3].role',
    ],
    [
      'a call at the end',
      { messages: [user(), { ...assistant(null), tool_calls: [toolCall('a')] }] },
      /did not have response messages: a$/u,
      'messages.[1].role',
    ],
    [
      'arguments that are no text',
      { messages: [user(), { ...assistant(null), tool_calls: [toolCall('a', { arguments: {} })] }, result('a')] },
      "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
      'messages[1].tool_calls[0].function.arguments',
      'invalid_type',
    ],
    ['an empty list of tools', { tools: [] }, /^Invalid 'tools': empty array\./u, 'tools', 'empty_array'],
    [
      'a tool name with a dot',
      { tools: [{ type: 'function', function: { name: 'a.b' } }] },
      /^Invalid 'tools\[0\]\.function\.name': string does not match pattern\./u,
      'tools[0].function.name',
      'invalid_value',
    ],
    [
      'parameters that are no object',
      { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'string' } } }] },
      `Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`,
      'tools[0].function.parameters',
      'invalid_function_parameters',
    ],
    [
      'an open strict function',
      { tools: [{ type: 'function', function: { name: 'f', parameters: schema, strict: true } }] },
      /^Invalid schema for function 'f': In context=\(\), 'additionalProperties' is required/u,
      'tools[0].function.parameters',
      'invalid_function_parameters',
    ],
    [
      'a choice without tools',
      { tool_choice: 'auto' },
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
    ],
    [
      'a choice of an unknown tool',
      { tools, tool_choice: { type: 'function', function: { name: 'g' } } },
      "Tool choice 'g' not found in 'tools' parameter.",
      'tool_choice',
    ],
    [
      'a format without a name',
      format({ schema }),
      "Missing required parameter: 'response_format.json_schema.name'.",
      'response_format.json_schema.name',
      'missing_required_parameter',
    ],
    [
      'an open strict format',
      format({ name: 'x', schema, strict: true }),
      "Invalid schema for response_format 'x': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      'response_format',
    ],
    [
      'a strict format with optional members',
      format({
        name: 'x',
        strict: true,
        schema: { ...closed, properties: { a: { ...closed, properties: { b: {} } } }, required: ['a'] },
      }),
      "Invalid schema for response_format 'x': In context=('properties', 'a'), 'required' is required to be supplied and to be an array including every key in properties. Missing 'b'.",
      'response_format',
    ],
    [
      'a JSON format that no message mentions',
      { response_format: { type: 'json_object' } },
      /^'messages' must contain the word 'json'/u,
      'messages',
    ],
    [
      'an image that is no image',
      image('data:application/pdf;base64,AA=='),
      /^Invalid 'messages\[0\]\.content\[0\]\.image_url\.url'\. Expected a base64-encoded data URL with an image MIME type/u,
      'messages[0].content[0].image_url.url',
      'invalid_value',
    ],
    [
      'an image at no address',
      image('cat.png'),
      /Expected a valid URL/u,
      'messages[0].content[0].image_url.url',
      'invalid_value',
    ],
  ];
  for (const [name, change, expected, param = null, code = null] of refused) {
    test(`rejects ${name}`, async () => {
      const { status, error } = await send({ ...base, ...change });
      assert.equal(status, 400);
      assertSaid(error, expected);
      assert.deepEqual([error['type'], error['param'], error['code']], ['invalid_request_error', param, code]);
    });
  }

  test('accepts valid requests: calls with results in any order, images, strict formats', async () => {
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      user([text('look'), { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } }]),
      { ...assistant(null), tool_calls: [toolCall('a'), toolCall('b')] },
      result('b'),
      result('a'),
      user([{ type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }]),
    ];
    const strict = format({
      name: 'x',
      strict: true,
      schema: { ...closed, properties: { b: { type: 'string' } }, required: ['b'] },
    });
    const { status, error } = await send({ ...base, ...strict, messages, tools, tool_choice: 'none', temperature: 2 });
    assert.deepEqual(error, {});
    assert.equal(status, 200);
  });

  test('requires a key, and has no model that begins with unknown', async () => {
    const keyless = await send(base, {});
    assert.deepEqual([keyless.status, keyless.error['code']], [401, 'invalid_api_key']);
    const wrong = await send(base, { authorization: 'Bearer bad-secret' });
    assert.deepEqual([wrong.status, wrong.error['code']], [401, 'invalid_api_key']);
    assert.doesNotMatch(JSON.stringify(wrong.error), /bad-secret/u);
    const unknown = await send({ ...base, model: 'unknown-5' });
    assert.deepEqual([unknown.status, unknown.error['code']], [404, 'model_not_found']);
    assertSaid(unknown.error, 'The model `unknown-5` does not exist or you do not have access to it.');
  });
});
