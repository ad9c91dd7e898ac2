// What the simulated Responses API rejects, with the messages of the real one, over HTTP with the official SDK; and what it
// sends only on request.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as openai from 'openai';

import { createSimulateServer, type SimulateServer } from './server.ts';

type Create = openai.OpenAI.Responses.ResponseCreateParamsNonStreaming;

let server: SimulateServer;
let client: openai.OpenAI;
before(async () => {
  server = await createSimulateServer();
  client = new openai.OpenAI({ apiKey: 'key', baseURL: `${server.url}/v1`, maxRetries: 0 });
});
after(() => server.close());

const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
const result = { type: 'function_call_output', call_id: 'c', output: 'ok' };
const loose = { type: 'object', properties: { a: { type: 'string' } } };

describe('the simulated Responses API rejects', () => {
  const cases: readonly (readonly [what: string, more: object, param: string | null, message: RegExp])[] = [
    ['an unknown parameter', { messages: [] }, 'messages', /Unknown parameter: 'messages'/],
    ['a missing input', { input: undefined }, 'input', /Missing required parameter: 'input'/],
    ['a wrong type', { input: 5 }, 'input', /Invalid type for 'input'/],
    ['a role', { input: [{ role: 'tool', content: 'x' }] }, 'input[0].role', /Invalid value: 'tool'/],
    [
      'a chat content part',
      { input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      'input[0].content[0].type',
      /Invalid value: 'text'/,
    ],
    [
      'the user’s part in the assistant’s message',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      'input[0].content[0].type',
      /Invalid value: 'input_text'/,
    ],
    ['a call without output', { input: [call] }, 'input', /No tool output found for function call c\./],
    [
      'an output without call',
      { input: [result] },
      'input',
      /No tool call found for function call output with call_id c/,
    ],
    ['an id of another kind', { input: [{ ...call, id: 'msg_1' }, result] }, 'input[0].id', /begins with 'fc'/],
    ['a long id', { input: [{ ...call, id: `fc_${'x'.repeat(70)}` }, result] }, 'input[0].id', /maximum length 64/],
    [
      'an unknown item',
      { input: [{ type: 'item_reference', id: 'msg_9' }] },
      'input',
      /Item with id 'msg_9' not found/,
    ],
    ['a small limit', { max_output_tokens: 5 }, 'max_output_tokens', /Expected a value >= 16/],
    ['a temperature', { temperature: 3 }, 'temperature', /decimal above maximum/],
    ['an include', { include: ['everything'] }, 'include[0]', /Invalid value: 'everything'/],
    ['an effort', { reasoning: { effort: 'utmost' } }, 'reasoning.effort', /Invalid value: 'utmost'/],
    [
      'a chat tool',
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      'tools[0].function',
      /Unknown parameter/,
    ],
    [
      'a schema that is not strict',
      { tools: [{ type: 'function', name: 'f', parameters: loose, strict: true }] },
      'tools[0].parameters',
      /'additionalProperties' is required/,
    ],
    ['a choice without its tool', { tool_choice: { type: 'function', name: 'f' } }, 'tool_choice', /'f' not found/],
    [
      'a format without a name',
      { text: { format: { type: 'json_schema', schema: {} } } },
      'text.format.name',
      /Missing/,
    ],
    ['JSON without the word', { text: { format: { type: 'json_object' } } }, 'input', /must contain the word 'json'/],
    ['stream options without a stream', { stream_options: {} }, 'stream_options', /only allowed when 'stream'/],
    ['an unknown previous response', { previous_response_id: 'resp_9' }, 'previous_response_id', /'resp_9' not found/],
    ['an id that is not one', { previous_response_id: 'x' }, 'previous_response_id', /begins with 'resp'/],
  ];
  for (const [what, more, param, message] of cases) {
    test(what, async () => {
      const body = { model: 'simulated', input: 'Hi', ...more } as Create;
      await assert.rejects(client.responses.create(body), (error: openai.APIError) => {
        assert.equal(error.param, param);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test('a request without a key', async () => {
    const stranger = new openai.OpenAI({ apiKey: 'invalid', baseURL: `${server.url}/v1`, maxRetries: 0 });
    await assert.rejects(stranger.responses.create({ model: 'm', input: 'Hi' }), { status: 401 });
    await assert.rejects(stranger.responses.retrieve('resp_1'), { status: 401 });
  });
});

describe('the simulated Responses API', () => {
  test('accepts a schema that is not strict if the tool does not say that it is', async () => {
    for (const strictness of [{ strict: false }, { strict: null }, {}]) {
      const tools = [{ type: 'function', name: 'f', parameters: loose, ...strictness }];
      const { status } = await client.responses.create({ model: 'm', input: 'Hi', tools } as Create);
      assert.equal(status, 'completed');
    }
  });

  test('shows and encrypts reasoning only on request', async () => {
    const basic = { model: 'm', input: 'Hi', reasoning: { effort: 'low' as const } };
    const shown = { ...basic, reasoning: { effort: 'low' as const, summary: 'auto' as const } };
    const include = ['reasoning.encrypted_content' as const];
    for (const [body, hasSummary, isEncrypted] of [
      [basic, false, false],
      [shown, true, false],
      [{ ...shown, include }, true, true],
      [{ ...basic, include }, false, true],
    ] as const) {
      const { output } = await client.responses
        .stream({ ...body, include: [...('include' in body ? body.include : [])] })
        .finalResponse();
      const [item] = output;
      assert.ok(item?.type === 'reasoning');
      assert.deepEqual([item.summary.length > 0, Boolean(item.encrypted_content)], [hasSummary, isEncrypted]);
    }
  });

  test('continues, retrieves and deletes a stored response', async () => {
    const first = await client.responses.create({ model: 'm', input: 'Count to 2' });
    const next = await client.responses.create({ model: 'm', input: 'Hello', previous_response_id: first.id });
    assert.equal(next.previous_response_id, first.id);
    assert.ok((next.usage?.input_tokens ?? 0) > (first.usage?.input_tokens ?? 0));
    assert.deepEqual((await client.responses.retrieve(first.id)).output, first.output);
    await client.responses.delete(first.id);
    await assert.rejects(client.responses.retrieve(first.id), { status: 404 });
  });

  test('counts tokens', async () => {
    const count = await client.responses.inputTokens.count({ model: 'm', input: 'Hello you' });
    assert.equal(count.object, 'response.input_tokens');
    assert.ok(count.input_tokens > 0);
  });
});
