// LangChain with its OpenAI and its Anthropic package, unmodified, as a client of the gateway, in front of every kind of
// upstream.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, type AIMessage, type AIMessageChunk } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

import { clientScript, pixel, startGatewayStack, upstreams, type GatewayStack } from '../support/gateway-stack.ts';

const person = z.object({ name: z.string(), age: z.number().int() });
const weather = tool(({ city }: { city: string }) => `21 °C in ${city}`, {
  name: 'get_weather',
  description: 'The weather in a city.',
  schema: z.object({ city: z.string() }),
});
const time = tool(({ zone }: { zone: string }) => `noon in ${zone}`, {
  name: 'get_time',
  description: 'The time in a zone.',
  schema: z.object({ zone: z.string() }),
});

let stack: GatewayStack;
before(async () => {
  stack = await startGatewayStack({ simulate: { script: clientScript } });
});
after(() => stack.close());

const packages: Readonly<Record<string, (model: string) => ChatOpenAI | ChatAnthropic>> = {
  '@langchain/openai': (model) =>
    new ChatOpenAI({ model, apiKey: 'any', maxRetries: 0, configuration: { baseURL: `${stack.url}/v1` } }),
  '@langchain/anthropic': (model) =>
    new ChatAnthropic({ model, apiKey: 'any', maxRetries: 0, anthropicApiUrl: stack.url }),
};

const bothCalls = [
  ['call_1', 'get_weather', { city: 'Paris, the capital of France' }],
  ['call_2', 'get_time', { zone: 'Europe/Paris, also called CET' }],
];

function callsOf({ tool_calls: calls = [] }: AIMessage | AIMessageChunk): unknown[] {
  return calls.map(({ id, name, args }) => [id, name, args]);
}

function outputTokens({ usage_metadata: usage }: AIMessage | AIMessageChunk): number {
  return (usage as { output_tokens: number } | undefined)?.output_tokens ?? 0;
}

async function gather(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) whole = whole === undefined ? chunk : whole.concat(chunk);
  assert.ok(whole);
  return whole;
}

for (const [client, connect] of Object.entries(packages)) {
  for (const { name, model, path } of upstreams) {
    describe(`${client}, in front of ${name}`, () => {
      test('text and usage, plain and streamed', async () => {
        const whole = await connect(model).invoke('Count to 3');
        assert.equal(whole.text, '1, 2, 3');
        assert.ok(outputTokens(whole) > 0);
        assert.equal(stack.simulator.requests.at(-1)?.path, path);
        const streamed = await gather(await connect(model).stream('Count to 3'));
        assert.equal(streamed.text, '1, 2, 3');
        assert.ok(outputTokens(streamed) > 0);
      });

      test('a tool call, its result and the final text', async () => {
        const bound = connect(model).bindTools([weather]);
        const asked = new HumanMessage('What is the weather in Paris?');
        for (const first of [await bound.invoke([asked]), await gather(await bound.stream([asked]))]) {
          const [call] = first.tool_calls ?? [];
          assert.deepEqual(call?.args, { city: 'Paris' });
          const result = await weather.invoke(call);
          const second = await bound.invoke([asked, first, result]);
          assert.match(second.text, /21 °C in Paris/u);
        }
      });

      test('several tool calls at once, streamed interleaved and plain', async () => {
        const bound = connect(model).bindTools([weather, time]);
        assert.deepEqual(callsOf(await bound.invoke('both, please')), bothCalls);
        assert.deepEqual(callsOf(await gather(await bound.stream('both, please'))), bothCalls);
      });

      test('an image', async () => {
        const content = [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
        ];
        const message = new HumanMessage({ content });
        assert.match((await connect(model).invoke([message])).text, /You attached 1: image \(image\/png\)/u);
        assert.match(
          (await gather(await connect(model).stream([message]))).text,
          /You attached 1: image \(image\/png\)/u,
        );
      });

      test('structured output, by a schema and by a tool', async () => {
        const byTool = connect(model).withStructuredOutput(person, { name: 'person', method: 'functionCalling' });
        assert.ok(person.safeParse(await byTool.invoke('Invent a person')).success);
        const bySchema = connect(model).withStructuredOutput(person, { name: 'person', method: 'jsonSchema' });
        assert.ok(person.safeParse(await bySchema.invoke('Invent a person')).success);
        let last: unknown;
        for await (const partial of await bySchema.stream('Invent a person')) last = partial;
        assert.ok(person.safeParse(last).success);
      });

      test('errors with their status, before and in the middle of a stream', async () => {
        for (const status of [400, 401, 404, 429, 503]) {
          await assert.rejects(
            connect(model).invoke(`status ${status}`),
            (error: { status?: number }) => error.status === status,
          );
        }
        for (const trouble of ['break in the middle', 'cut in the middle']) {
          const stream = await connect(model).stream(trouble);
          await assert.rejects(gather(stream));
        }
      });
    });
  }
}
