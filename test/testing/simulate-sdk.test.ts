// The official SDKs, unmodified, as clients of the simulator.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as anthropic from '@anthropic-ai/sdk';
import * as openai from 'openai';

import { parseScript } from '../../src/testing/model/script.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 150 } },
  required: ['name', 'age'],
  additionalProperties: false,
} as const;
const citySchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const twoCalls = parseScript({
  replies: [
    {
      interleave: true,
      toolCalls: [
        { name: 'get_weather', id: 'call_1', input: { city: 'Paris, the capital of France' } },
        { name: 'get_time', id: 'call_2', input: { zone: 'Europe/Paris, also called CET' } },
      ],
    },
  ],
});

let server: SimulateServer;
before(async () => {
  server = await createSimulateServer();
});
after(() => server.close());

function openaiClient(apiKey = 'key'): openai.OpenAI {
  return new openai.OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
}

function say(content: string): openai.OpenAI.ChatCompletionMessageParam[] {
  return [{ role: 'user', content }];
}

function functionTool(name: string, parameters: Record<string, unknown>): openai.OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, parameters } };
}

interface Slip {
  readonly key?: string;
  /** The status that the simulator responds with. */
  readonly status?: number;
  /** What is wrong with the request. */
  readonly change?: object;
}

function askOpenai({ key, status, change }: Slip): Promise<unknown> {
  const body = { model: 'simulated', messages: say('x'), ...change };
  return openaiClient(key).chat.completions.create(body, { headers: statusHeader(status) });
}

async function readOpenai(headers: Record<string, string>): Promise<void> {
  const body = { model: 'simulated', messages: say('Count to 9'), stream: true } as const;
  const stream = await openaiClient().chat.completions.create(body, { headers });
  for await (const chunk of stream) assert.ok(chunk.id);
}

function anthropicClient(apiKey = 'key'): anthropic.Anthropic {
  return new anthropic.Anthropic({ apiKey, baseURL: server.url, maxRetries: 0 });
}

const weather: anthropic.Anthropic.Tool = { name: 'get_weather', input_schema: { ...citySchema, required: ['city'] } };
const time: anthropic.Anthropic.Tool = { name: 'get_time', input_schema: { type: 'object', properties: {} } };

function basic(
  content: anthropic.Anthropic.UserMessageParam['content'],
): anthropic.Anthropic.MessageCreateParamsNonStreaming {
  return { model: 'simulated', max_tokens: 500, messages: [{ role: 'user', content }] };
}

function askAnthropic({ key, status, change }: Slip): Promise<unknown> {
  const body = { ...basic('x'), ...change };
  return anthropicClient(key).messages.create(body, { headers: statusHeader(status) });
}

function readAnthropic(headers: Record<string, string>): Promise<anthropic.Anthropic.Message> {
  return anthropicClient().messages.stream(basic('Count to 9'), { headers }).finalMessage();
}

function statusHeader(status: number | undefined): Record<string, string> {
  return status === undefined ? {} : { 'x-simulate-status': String(status) };
}

describe('the openai package', () => {
  test('text and usage', async () => {
    const completion = await openaiClient().chat.completions.create({
      model: 'simulated',
      messages: say('Count to 3'),
    });
    assert.equal(completion.choices[0]?.message.content, '1, 2, 3');
    assert.equal(completion.choices[0]?.finish_reason, 'stop');
    assert.ok((completion.usage?.total_tokens ?? 0) > 0);
    assert.match(completion._request_id ?? '', /^req_/u);
  });

  test('a stream', async () => {
    const stream = await openaiClient().chat.completions.create({
      model: 'simulated',
      messages: say('Count to 3'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let said = '';
    let usage: openai.OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      said += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    assert.equal(said, '1, 2, 3');
    assert.ok((usage?.completion_tokens ?? 0) > 0);
  });

  test('a tool call, its result, and the final text', async () => {
    const tools = [functionTool('get_weather', citySchema)];
    const asked = say('What is the weather in Paris?');
    const first = await openaiClient().chat.completions.create({ model: 'simulated', messages: asked, tools });
    const message = first.choices[0]!.message;
    const call = message.tool_calls![0]!;
    assert.ok(call.type === 'function');
    assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ['get_weather', { city: 'Paris' }]);
    assert.equal(first.choices[0]?.finish_reason, 'tool_calls');
    const second = await openaiClient().chat.completions.create({
      model: 'simulated',
      messages: [...asked, message, { role: 'tool', tool_call_id: call.id, content: '21 °C' }],
      tools,
    });
    assert.match(second.choices[0]?.message.content ?? '', /get_weather answered: 21 °C/u);
  });

  test('several tool calls, interleaved in one stream', async () => {
    server.playScript(twoCalls);
    const runner = openaiClient().chat.completions.stream({
      model: 'simulated',
      messages: say('both, please'),
      tools: [functionTool('get_weather', citySchema), functionTool('get_time', { type: 'object', properties: {} })],
    });
    const calls = (await runner.finalChatCompletion()).choices[0]?.message.tool_calls ?? [];
    server.playScript(undefined);
    assert.deepEqual(
      calls.map(
        (call) => call.type === 'function' && [call.id, call.function.name, JSON.parse(call.function.arguments)],
      ),
      [
        ['call_1', 'get_weather', { city: 'Paris, the capital of France' }],
        ['call_2', 'get_time', { zone: 'Europe/Paris, also called CET' }],
      ],
    );
  });

  test('an image', async () => {
    const completion = await openaiClient().chat.completions.create({
      model: 'simulated',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ],
        },
      ],
    });
    assert.match(completion.choices[0]?.message.content ?? '', /You attached 1: image \(image\/png\)/u);
  });

  test('structured output', async () => {
    const completion = await openaiClient().chat.completions.parse({
      model: 'simulated',
      messages: say('Invent a person'),
      response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true, schema: { ...person } } },
    });
    const value = JSON.parse(completion.choices[0]?.message.content ?? '') as { name: string; age: number };
    assert.equal(typeof value.name, 'string');
    assert.ok(Number.isInteger(value.age));
  });

  test('models', async () => {
    const models = await openaiClient().models.list();
    assert.ok(models.data.some(({ id }) => id === 'simulated'));
  });

  test('errors of the right classes', async () => {
    await assert.rejects(askOpenai({ key: 'invalid' }), openai.AuthenticationError);
    await assert.rejects(askOpenai({ change: { temperature: 9 } }), openai.BadRequestError);
    await assert.rejects(askOpenai({ change: { temperature: 9 } }), {
      code: 'decimal_above_max_value',
      param: 'temperature',
    });
    await assert.rejects(askOpenai({ change: { model: 'unknown-model' } }), openai.NotFoundError);
    await assert.rejects(askOpenai({ status: 403 }), openai.PermissionDeniedError);
    await assert.rejects(askOpenai({ status: 429 }), openai.RateLimitError);
    await assert.rejects(askOpenai({ status: 500 }), openai.InternalServerError);
    await assert.rejects(askOpenai({ status: 503 }), openai.InternalServerError);
  });

  test('an error in the middle of a stream, and a connection that is cut', async () => {
    await assert.rejects(readOpenai({ 'x-simulate-error-after-events': '2' }), openai.APIError);
    await assert.rejects(readOpenai({ 'x-simulate-cut-at': '300' }));
    const reset = openaiClient().chat.completions.create(
      { model: 'simulated', messages: say('x') },
      { headers: { 'x-simulate-reset': 'true' } },
    );
    await assert.rejects(reset, openai.APIConnectionError);
  });

  test('its own retries, after the time in Retry-After', async () => {
    server.playScript(parseScript({ replies: [{ fault: { status: 429, retryAfter: '0' } }, { text: 'at last' }] }));
    const patient = new openai.OpenAI({ apiKey: 'key', baseURL: `${server.url}/v1`, maxRetries: 1 });
    const completion = await patient.chat.completions.create({ model: 'simulated', messages: say('x') });
    server.playScript(undefined);
    assert.equal(completion.choices[0]?.message.content, 'at last');
  });
});

describe('the @anthropic-ai/sdk package', () => {
  test('text and usage', async () => {
    const message = await anthropicClient().messages.create(basic('Count to 3'));
    assert.deepEqual(message.content, [{ type: 'text', text: '1, 2, 3' }]);
    assert.equal(message.stop_reason, 'end_turn');
    assert.ok(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
  });

  test('a stream', async () => {
    const stream = anthropicClient().messages.stream(basic('Count to 3'));
    let said = '';
    stream.on('text', (text) => (said += text));
    const message = await stream.finalMessage();
    assert.equal(said, '1, 2, 3');
    assert.deepEqual(message.content, [{ type: 'text', text: '1, 2, 3' }]);
    assert.ok(message.usage.output_tokens > 0);
  });

  test('thinking, a tool call, its result, and the final text', async () => {
    const asked: anthropic.Anthropic.MessageCreateParamsNonStreaming = {
      ...basic('What is the weather in Paris?'),
      max_tokens: 2000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [weather],
    };
    const first = await anthropicClient().messages.stream(asked).finalMessage();
    assert.deepEqual(
      first.content.map(({ type }) => type),
      ['thinking', 'text', 'tool_use'],
    );
    const call = first.content.find((block) => block.type === 'tool_use')!;
    assert.deepEqual(call.input, { city: 'Paris' });
    const second = await anthropicClient().messages.create({
      ...asked,
      messages: [
        ...asked.messages,
        { role: 'assistant', content: first.content as anthropic.Anthropic.ContentBlockParam[] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: '21 °C' }] },
      ],
    });
    const answer = second.content.find((block) => block.type === 'text');
    assert.match(answer?.text ?? '', /get_weather answered: 21 °C/u);
  });

  test('several tool calls, interleaved in one stream', async () => {
    server.playScript(twoCalls);
    const message = await anthropicClient()
      .messages.stream({ ...basic('both'), tools: [weather, time] })
      .finalMessage();
    server.playScript(undefined);
    assert.deepEqual(
      message.content.map((block) => block.type === 'tool_use' && [block.id, block.name, block.input]),
      [
        ['call_1', 'get_weather', { city: 'Paris, the capital of France' }],
        ['call_2', 'get_time', { zone: 'Europe/Paris, also called CET' }],
      ],
    );
    assert.equal(message.stop_reason, 'tool_use');
  });

  test('an image', async () => {
    const message = await anthropicClient().messages.create(
      basic([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        { type: 'text', text: 'What is this?' },
      ]),
    );
    assert.match(
      message.content[0]?.type === 'text' ? message.content[0].text : '',
      /You attached 1: image \(image\/png\)/u,
    );
  });

  test('structured output', async () => {
    const message = await anthropicClient().messages.create({
      ...basic('Invent a person'),
      output_config: { format: { type: 'json_schema', schema: { ...person } } },
    });
    const [block] = message.content;
    const value = JSON.parse(block?.type === 'text' ? block.text : '') as { name: string; age: number };
    assert.equal(typeof value.name, 'string');
    assert.ok(Number.isInteger(value.age));
  });

  test('token counts and models', async () => {
    const { messages, model } = basic('Hello');
    assert.ok((await anthropicClient().messages.countTokens({ model, messages })).input_tokens > 0);
    const models = await anthropicClient().models.list();
    assert.ok(models.data.some(({ id }) => id === 'simulated'));
  });

  test('errors of the right classes', async () => {
    await assert.rejects(askAnthropic({ key: 'invalid' }), anthropic.AuthenticationError);
    await assert.rejects(askAnthropic({ change: { temperature: 9 } }), anthropic.BadRequestError);
    await assert.rejects(askAnthropic({ change: { model: 'unknown-model' } }), anthropic.NotFoundError);
    await assert.rejects(askAnthropic({ status: 403 }), anthropic.PermissionDeniedError);
    await assert.rejects(askAnthropic({ status: 429 }), anthropic.RateLimitError);
    await assert.rejects(askAnthropic({ status: 500 }), anthropic.InternalServerError);
    await assert.rejects(askAnthropic({ status: 529 }), (error) => {
      assert.ok(error instanceof anthropic.InternalServerError);
      assert.equal(error.status, 529);
      assert.equal(error.type, 'overloaded_error');
      assert.match(error.requestID ?? '', /^req_/u);
      return true;
    });
  });

  test('an error in the middle of a stream, and a connection that is cut', async () => {
    await assert.rejects(readAnthropic({ 'x-simulate-error-after-events': '3' }), anthropic.APIError);
    await assert.rejects(readAnthropic({ 'x-simulate-cut-at': '500' }));
    await assert.rejects(readAnthropic({ 'x-simulate-reset': 'true' }), anthropic.APIConnectionError);
  });
});
