// The official `openai` package, unmodified, as a client of the gateway, in front of every kind of upstream.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as openai from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';

import { clientScript, pixel, startGatewayStack, upstreams, type GatewayStack } from '../support/gateway-stack.ts';

type Body = Omit<openai.OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;
type Call = openai.OpenAI.ChatCompletionMessageToolCall;

const person = z.object({ name: z.string(), age: z.number().int() });
const weather = tool('get_weather', { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
const time = tool('get_time', { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] });

let stack: GatewayStack;
let client: openai.OpenAI;
before(async () => {
  stack = await startGatewayStack({ simulate: { script: clientScript } });
  client = new openai.OpenAI({ apiKey: 'any', baseURL: `${stack.url}/v1`, maxRetries: 0 });
});
after(() => stack.close());

function tool(name: string, parameters: Record<string, unknown>): openai.OpenAI.ChatCompletionFunctionTool {
  return { type: 'function', function: { name, parameters } };
}

function ask(model: string, content: string, more: Partial<Body> = {}): Body {
  return { model, messages: [{ role: 'user', content }], ...more };
}

function fail(model: string, status: number): Promise<unknown> {
  return client.chat.completions.create(ask(model, `status ${status}`));
}

function open(model: string, content: string) {
  return client.chat.completions.create({ ...ask(model, content), stream: true });
}

function toCall(call: Call): unknown {
  return call.type === 'function' && [call.id, call.function.name, JSON.parse(call.function.arguments)];
}

const bothCalls = [
  ['call_1', 'get_weather', { city: 'Paris, the capital of France' }],
  ['call_2', 'get_time', { zone: 'Europe/Paris, also called CET' }],
];

for (const { name, model, path } of upstreams) {
  describe(`openai, in front of ${name}`, () => {
    test('text and usage', async () => {
      const completion = await client.chat.completions.create(ask(model, 'Count to 3'));
      const [choice] = completion.choices;
      assert.equal(choice?.message.content, '1, 2, 3');
      assert.equal(choice.finish_reason, 'stop');
      assert.ok((completion.usage?.prompt_tokens ?? 0) > 0 && (completion.usage?.completion_tokens ?? 0) > 0);
      assert.match(completion._request_id ?? '', /^req_/u);
      assert.equal(stack.simulator.requests.at(-1)?.path, path);
    });

    test('a stream, with usage only on request', async () => {
      for (const options of [{ stream_options: { include_usage: true } }, {}]) {
        const stream = await client.chat.completions.create({ ...ask(model, 'Count to 3'), stream: true, ...options });
        let said = '';
        let usage: openai.OpenAI.CompletionUsage | null | undefined;
        for await (const chunk of stream) {
          said += chunk.choices[0]?.delta.content ?? '';
          usage = chunk.usage ?? usage;
        }
        assert.equal(said, '1, 2, 3');
        assert.equal((usage?.completion_tokens ?? 0) > 0, 'stream_options' in options);
      }
    });

    test('a tool call, its result and the final text', async () => {
      const asked = ask(model, 'What is the weather in Paris?', { tools: [weather] });
      const first = await client.chat.completions.create(asked);
      const message = first.choices[0]!.message;
      const [call] = message.tool_calls ?? [];
      assert.ok(call?.type === 'function');
      assert.deepEqual(toCall(call), [call.id, 'get_weather', { city: 'Paris' }]);
      assert.equal(first.choices[0]?.finish_reason, 'tool_calls');
      const result = { role: 'tool', tool_call_id: call.id, content: '21 °C' } as const;
      const messages = [...asked.messages, message, result];
      const second = await client.chat.completions.create({ ...asked, messages });
      assert.match(second.choices[0]?.message.content ?? '', /get_weather answered: 21 °C/u);
    });

    test('several tool calls at once, streamed interleaved and plain', async () => {
      const asked = ask(model, 'both, please', { tools: [weather, time] });
      const whole = await client.chat.completions.create(asked);
      assert.deepEqual(whole.choices[0]?.message.tool_calls?.map(toCall), bothCalls);
      const streamed = await client.chat.completions.stream(asked).finalChatCompletion();
      assert.deepEqual(streamed.choices[0]?.message.tool_calls?.map(toCall), bothCalls);
      assert.equal(streamed.choices[0]?.finish_reason, 'tool_calls');
    });

    // Bytes that pass keep the order of the upstream.
    if (name !== 'openai') {
      test('strict tools with the streaming helper, which accepts one call at a time', async () => {
        const tools = [
          zodFunction({ name: 'get_weather', parameters: z.object({ city: z.string() }) }),
          zodFunction({ name: 'get_time', parameters: z.object({ zone: z.string() }) }),
        ];
        const stream = client.chat.completions.stream(ask(model, 'both, please', { tools }));
        const done: unknown[] = [];
        let partials = 0;
        stream.on('tool_calls.function.arguments.delta', () => void partials++);
        stream.on('tool_calls.function.arguments.done', (call) => done.push([call.index, call.parsed_arguments]));
        await stream.finalChatCompletion();
        assert.deepEqual(done, [
          [0, { city: 'Paris, the capital of France' }],
          [1, { zone: 'Europe/Paris, also called CET' }],
        ]);
        // Google's models send a call when it is complete.
        assert.ok(partials > (name === 'google' ? 1 : 4), `${partials} partials`);
      });
    }

    test('runTools, to the final text, plain and streamed', async () => {
      const asked: string[] = [];
      const runnable = zodFunction({
        name: 'get_weather',
        parameters: z.object({ city: z.string() }),
        function({ city }) {
          asked.push(city);
          return `21 °C in ${city}`;
        },
      });
      const body = ask(model, 'What is the weather in Paris?');
      const answer = await client.chat.completions.runTools({ ...body, tools: [runnable] }).finalContent();
      const streamed = client.chat.completions.runTools({ ...body, stream: true, tools: [runnable] });
      for (const text of [answer, await streamed.finalContent()]) assert.match(text ?? '', /21 °C in Paris/u);
      assert.deepEqual(asked, ['Paris', 'Paris']);
    });

    test('an image', async () => {
      const content = [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      ] as const;
      const messages = [{ role: 'user', content: [...content] }] satisfies Body['messages'];
      const completion = await client.chat.completions.create({ model, messages });
      assert.match(completion.choices[0]?.message.content ?? '', /You attached 1: image \(image\/png\)/u);
      const stream = client.chat.completions.stream({ model, messages });
      assert.match((await stream.finalContent()) ?? '', /You attached 1: image \(image\/png\)/u);
    });

    test('structured output, parsed, plain and streamed', async () => {
      const asked = { ...ask(model, 'Invent a person'), response_format: zodResponseFormat(person, 'person') };
      const parsed = (await client.chat.completions.parse(asked)).choices[0]?.message.parsed;
      assert.ok(person.safeParse(parsed).success);
      const stream = client.chat.completions.stream(asked);
      let growing = '';
      stream.on('content', (delta) => (growing += delta));
      const final = (await stream.finalChatCompletion()).choices[0]?.message;
      assert.deepEqual(final?.parsed, parsed);
      assert.deepEqual(JSON.parse(growing), parsed);
    });

    test('errors of the right classes', async () => {
      await assert.rejects(fail(model, 400), openai.BadRequestError);
      await assert.rejects(fail(model, 401), openai.AuthenticationError);
      await assert.rejects(fail(model, 403), openai.PermissionDeniedError);
      await assert.rejects(fail(model, 404), openai.NotFoundError);
      await assert.rejects(fail(model, 429), openai.RateLimitError);
      for (const status of [500, 503, 529]) await assert.rejects(fail(model, status), openai.InternalServerError);
      const wrong = ask(model, 'x', { temperature: 'warm' as unknown as number });
      await assert.rejects(client.chat.completions.create(wrong), (error) => {
        assert.ok(error instanceof openai.BadRequestError);
        assert.match(error.message, /temperature/u);
        assert.match(error.requestID ?? '', /^req_/u);
        return true;
      });
    });

    test('an error before a stream begins is a status, one in the middle is an error of the stream', async () => {
      await assert.rejects(open(model, 'status 429'), openai.RateLimitError);
      for (const trouble of ['break in the middle', 'cut in the middle']) {
        const stream = await open(model, trouble);
        let said = '';
        await assert.rejects(async () => {
          for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? '';
        }, openai.APIError);
        assert.match(said, /^one/u);
      }
    });
  });
}

test('openai: models, and an unknown name', async () => {
  const listed = await client.models.list();
  assert.deepEqual(
    listed.data.map(({ id }) => id),
    upstreams.map(({ model }) => model),
  );
  assert.equal((await client.models.retrieve('openai/simulated')).id, 'openai/simulated');
  await assert.rejects(client.models.retrieve('nobody/nothing'), openai.NotFoundError);
  await assert.rejects(client.chat.completions.create(ask('nobody/nothing', 'x')), openai.NotFoundError);
});
