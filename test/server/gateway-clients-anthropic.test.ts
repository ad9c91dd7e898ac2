// The official `@anthropic-ai/sdk` package, unmodified, as a client of the gateway, in front of every kind of upstream.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';

import { clientScript, pixel, startGatewayStack, upstreams, type GatewayStack } from '../support/gateway-stack.ts';

type Body = Omit<anthropic.Anthropic.MessageCreateParamsNonStreaming, 'stream'>;
type Content = anthropic.Anthropic.UserMessageParam['content'];

const person = z.object({ name: z.string(), age: z.number().int() });
const weather = tool('get_weather', 'city');
const time = tool('get_time', 'zone');

let stack: GatewayStack;
let client: anthropic.Anthropic;
before(async () => {
  stack = await startGatewayStack({ simulate: { script: clientScript } });
  client = new anthropic.Anthropic({ apiKey: 'any', baseURL: stack.url, maxRetries: 0 });
});
after(() => stack.close());

function tool(name: string, field: string): anthropic.Anthropic.Tool {
  return { name, input_schema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] } };
}

function ask(model: string, content: Content, more: Partial<Body> = {}): Body {
  return { model, max_tokens: 500, messages: [{ role: 'user', content }], ...more };
}

function fail(model: string, status: number): Promise<unknown> {
  return client.messages.create(ask(model, `status ${status}`));
}

function textOf({ content }: { readonly content: readonly { readonly type: string }[] }): string {
  const block = content.find(({ type }) => type === 'text') as anthropic.Anthropic.TextBlock | undefined;
  return block?.text ?? '';
}

function callsOf({ content }: anthropic.Anthropic.Message): unknown[] {
  return content.filter((block) => block.type === 'tool_use').map(({ id, name, input }) => [id, name, input]);
}

const bothCalls = [
  ['call_1', 'get_weather', { city: 'Paris, the capital of France' }],
  ['call_2', 'get_time', { zone: 'Europe/Paris, also called CET' }],
];

for (const { name, model, path } of upstreams) {
  describe(`@anthropic-ai/sdk, in front of ${name}`, () => {
    test('text and usage', async () => {
      const message = await client.messages.create(ask(model, 'Count to 3'));
      assert.equal(textOf(message), '1, 2, 3');
      assert.equal(message.stop_reason, 'end_turn');
      assert.ok(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
      assert.match(message._request_id ?? '', /^req_/u);
      assert.equal(stack.simulator.requests.at(-1)?.path, path);
    });

    test('a stream, by its helper and by its events', async () => {
      const stream = client.messages.stream(ask(model, 'Count to 3'));
      let said = '';
      stream.on('text', (text) => (said += text));
      const message = await stream.finalMessage();
      assert.deepEqual([said, textOf(message)], ['1, 2, 3', '1, 2, 3']);
      assert.ok(message.usage.output_tokens > 0);
      const types = new Set<string>();
      for await (const { type } of await client.messages.create({ ...ask(model, 'Count to 3'), stream: true })) {
        types.add(type);
      }
      const needed = ['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'];
      for (const type of [...needed, 'message_delta', 'message_stop']) assert.ok(types.has(type), type);
    });

    test('a tool call, its result and the final text', async () => {
      const asked = ask(model, 'What is the weather in Paris?', { tools: [weather] });
      const first = await client.messages.create(asked);
      const call = first.content.find((block) => block.type === 'tool_use');
      assert.deepEqual(call?.input, { city: 'Paris' });
      assert.equal(first.stop_reason, 'tool_use');
      const result = { type: 'tool_result', tool_use_id: call.id, content: '21 °C' } as const;
      const messages: Body['messages'] = [
        ...asked.messages,
        { role: 'assistant', content: first.content as anthropic.Anthropic.ContentBlockParam[] },
        { role: 'user', content: [result] },
      ];
      const second = await client.messages.create({ ...asked, messages });
      assert.match(textOf(second), /get_weather answered: 21 °C/u);
    });

    test('several tool calls at once, streamed interleaved and plain', async () => {
      const asked = ask(model, 'both, please', { tools: [weather, time] });
      assert.deepEqual(callsOf(await client.messages.create(asked)), bothCalls);
      const streamed = await client.messages.stream(asked).finalMessage();
      assert.deepEqual(callsOf(streamed), bothCalls);
      assert.equal(streamed.stop_reason, 'tool_use');
    });

    test('the tool runner, to the final text, plain and streamed', async () => {
      const asked: string[] = [];
      const runnable = betaZodTool({
        name: 'get_weather',
        description: 'The weather in a city.',
        inputSchema: z.object({ city: z.string() }),
        run({ city }) {
          asked.push(city);
          return `21 °C in ${city}`;
        },
      });
      const body = { ...ask(model, 'What is the weather in Paris?'), tools: [runnable] };
      const whole = await client.beta.messages.toolRunner(body as never);
      assert.match(textOf(whole), /21 °C in Paris/u);
      const runner = client.beta.messages.toolRunner({ ...(body as object), stream: true } as never);
      assert.match(textOf(await runner.runUntilDone()), /21 °C in Paris/u);
      assert.deepEqual(asked, ['Paris', 'Paris']);
    });

    test('an image', async () => {
      const asked = ask(model, [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        { type: 'text', text: 'What is this?' },
      ]);
      assert.match(textOf(await client.messages.create(asked)), /You attached 1: image \(image\/png\)/u);
      const streamed = await client.messages.stream(asked).finalMessage();
      assert.match(textOf(streamed), /You attached 1: image \(image\/png\)/u);
    });

    test('structured output, parsed, plain and streamed', async () => {
      const asked = { ...ask(model, 'Invent a person'), output_config: { format: zodOutputFormat(person) } };
      const parsed = (await client.messages.parse(asked)).parsed_output;
      assert.ok(person.safeParse(parsed).success);
      const streamed = await client.messages.stream(asked).finalMessage();
      assert.deepEqual(streamed.parsed_output, parsed);
    });

    test('errors of the right classes', async () => {
      await assert.rejects(fail(model, 400), anthropic.BadRequestError);
      await assert.rejects(fail(model, 401), anthropic.AuthenticationError);
      await assert.rejects(fail(model, 403), anthropic.PermissionDeniedError);
      await assert.rejects(fail(model, 404), anthropic.NotFoundError);
      await assert.rejects(fail(model, 429), anthropic.RateLimitError);
      for (const status of [500, 503, 529]) await assert.rejects(fail(model, status), anthropic.InternalServerError);
      const wrong = { ...ask(model, 'x'), temperature: 'warm' };
      await assert.rejects(client.messages.create(wrong as Body), (error) => {
        assert.ok(error instanceof anthropic.BadRequestError);
        assert.equal(error.type, 'invalid_request_error');
        assert.match(error.message, /temperature/u);
        assert.match(error.requestID ?? '', /^req_/u);
        return true;
      });
    });

    test('an error before a stream begins is a status, one in the middle is an error of the stream', async () => {
      const refused = client.messages.create({ ...ask(model, 'status 429'), stream: true });
      await assert.rejects(refused, anthropic.RateLimitError);
      for (const trouble of ['break in the middle', 'cut in the middle']) {
        const stream = client.messages.stream(ask(model, trouble));
        let said = '';
        stream.on('text', (text) => (said += text));
        await assert.rejects(stream.finalMessage(), anthropic.APIError);
        assert.match(said, /^one/u);
      }
    });
  });
}

for (const { name, model } of upstreams.filter(({ path }) => path === '/v1/messages')) {
  test(`thinking has a signature that ${name} accepts again`, async () => {
    const asked = ask(model, 'What is the weather in Paris?', {
      max_tokens: 2000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [weather],
    });
    const first = await client.messages.stream(asked).finalMessage();
    assert.deepEqual(
      first.content.map(({ type }) => type),
      ['thinking', 'text', 'tool_use'],
    );
    const [call] = callsOf(first) as [string][];
    const second = await client.messages.create({
      ...asked,
      messages: [
        ...asked.messages,
        { role: 'assistant', content: first.content as anthropic.Anthropic.ContentBlockParam[] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call![0], content: '21 °C' }] },
      ],
    });
    assert.match(textOf(second), /get_weather answered: 21 °C/u);
  });
}

test('@anthropic-ai/sdk: token counts, models, and an unknown name', async () => {
  const { messages, model } = ask('openai/simulated', 'Hello');
  assert.ok((await client.messages.countTokens({ model, messages })).input_tokens > 0);
  const listed = await client.models.list();
  assert.deepEqual(
    listed.data.map(({ id }) => id),
    upstreams.map((upstream) => upstream.model),
  );
  assert.equal((await client.models.retrieve('openai/simulated')).id, 'openai/simulated');
  await assert.rejects(client.models.retrieve('nobody/nothing'), anthropic.NotFoundError);
  await assert.rejects(client.messages.create(ask('nobody/nothing', 'x')), anthropic.NotFoundError);
});
