// Vercel's AI SDK with its OpenAI and its Anthropic provider, unmodified, as a client of the gateway, in front of every
// kind of upstream.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, isStepCount, Output, streamText, tool, type LanguageModel } from 'ai';
import { z } from 'zod';

import { clientScript, pixel, startGatewayStack, upstreams, type GatewayStack } from '../support/gateway-stack.ts';

const person = z.object({ name: z.string(), age: z.number().int() });

const place = z.object({ city: z.string().min(20), days: z.number().int(), note: z.string().min(40) });
const trip = z.object({ title: z.string().min(30), places: z.array(place).min(3) });

let stack: GatewayStack;
before(async () => {
  // It warns with every call that it does not know the model's output limit.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  stack = await startGatewayStack({ simulate: { script: clientScript } });
});
after(() => stack.close());

const providers: Readonly<Record<string, (model: string) => LanguageModel>> = {
  '@ai-sdk/openai, chat': (model) => createOpenAI({ apiKey: 'any', baseURL: `${stack.url}/v1` }).chat(model),
  '@ai-sdk/openai': (model) => createOpenAI({ apiKey: 'any', baseURL: `${stack.url}/v1` })(model),
  '@ai-sdk/anthropic': (model) => createAnthropic({ apiKey: 'any', baseURL: `${stack.url}/v1` })(model),
};

function makeTools() {
  const asked: string[] = [];
  const tools = {
    get_weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute({ city }) {
        asked.push(city);
        return `21 °C in ${city}`;
      },
    }),
    get_time: tool({
      inputSchema: z.object({ zone: z.string() }),
      execute({ zone }) {
        asked.push(zone);
        return `noon in ${zone}`;
      },
    }),
  };
  return { asked, tools, maxRetries: 0, stopWhen: isStepCount(3) };
}

for (const [client, connect] of Object.entries(providers)) {
  for (const { name, model, path } of upstreams) {
    describe(`${client}, in front of ${name}`, () => {
      test('text and usage, plain and streamed', async () => {
        const whole = await generateText({ model: connect(model), prompt: 'Count to 3' });
        assert.equal(whole.text, '1, 2, 3');
        assert.equal(whole.finishReason, 'stop');
        assert.ok((whole.usage.inputTokens ?? 0) > 0 && (whole.usage.outputTokens ?? 0) > 0);
        assert.equal(stack.simulator.requests.at(-1)?.path, path);
        const streamed = streamText({ model: connect(model), prompt: 'Count to 3' });
        let said = '';
        for await (const delta of streamed.textStream) said += delta;
        assert.equal(said, '1, 2, 3');
        assert.ok(((await streamed.usage).outputTokens ?? 0) > 0);
      });

      test('a tool, run to the final text, plain and streamed', async () => {
        const { asked, ...options } = makeTools();
        const prompt = 'What is the weather in Paris?';
        const whole = await generateText({ model: connect(model), prompt, ...options });
        assert.match(whole.text, /21 °C in Paris/u);
        const streamed = streamText({ model: connect(model), prompt, ...options });
        assert.match(await streamed.text, /21 °C in Paris/u);
        assert.deepEqual(asked, ['Paris', 'Paris']);
      });

      test('several tools at once, streamed interleaved and plain', async () => {
        const { asked, ...options } = makeTools();
        const both = ['Paris, the capital of France', 'Europe/Paris, also called CET'];
        const whole = await generateText({ model: connect(model), prompt: 'both, please', ...options });
        const streamed = streamText({ model: connect(model), prompt: 'both, please', ...options });
        for (const text of [whole.text, await streamed.text]) {
          assert.match(text, /get_weather answered: 21 °C in Paris/u);
          assert.match(text, /get_time answered: noon in Europe/u);
        }
        assert.deepEqual(asked.toSorted(), [...both, ...both].toSorted());
      });

      test('an image', async () => {
        const image = { type: 'file', mediaType: 'image/png', data: pixel } as const;
        const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'And this?' }, image] }];
        const { text } = await generateText({ model: connect(model), messages });
        assert.match(text, /You attached 1: image \(image\/png\)/u);
        assert.match(
          await streamText({ model: connect(model), messages }).text,
          /You attached 1: image \(image\/png\)/u,
        );
      });

      test('structured output, plain and streamed', async () => {
        const options = { model: connect(model), prompt: 'Invent a person', output: Output.object({ schema: person }) };
        const { output } = await generateText(options);
        assert.ok(person.safeParse(output).success);
        const streamed = streamText(options);
        let last: unknown;
        for await (const partial of streamed.partialOutputStream) last = partial;
        assert.deepEqual(last, output);
        assert.deepEqual(await streamed.output, output);
      });

      // It forces a tool call whose arguments are the value.
      if (client === '@ai-sdk/anthropic') {
        test('streamed structured output grows as it arrives', async () => {
          const { partialOutputStream } = streamText({
            model: connect(model),
            prompt: 'Invent a trip',
            output: Output.object({ schema: trip }),
          });
          const partials: unknown[] = [];
          for await (const partial of partialOutputStream) partials.push(partial);
          // Google’s models send a call when it is complete, and one of the packages asks for the output as a call.
          assert.ok(partials.length >= (name === 'google' ? 1 : 10), `${partials.length} partials`);
          assert.ok(trip.safeParse(partials.at(-1)).success);
        });
      }

      test('errors with their status, before and in the middle of a stream', async () => {
        for (const [asked, told] of [
          [400, 400],
          [401, 401],
          [404, 404],
          [429, 429],
          [503, 503],
        ] as const) {
          await assert.rejects(
            Promise.resolve(generateText({ model: connect(model), prompt: `status ${asked}`, maxRetries: 0 })),
            (error) => APICallError.isInstance(error) && error.statusCode === told,
          );
        }
        for (const prompt of ['break in the middle', 'cut in the middle']) {
          const errors: unknown[] = [];
          const streamed = streamText({
            model: connect(model),
            prompt,
            maxRetries: 0,
            onError: ({ error }) => errors.push(error),
          });
          let said = '';
          for await (const part of streamed.fullStream) if (part.type === 'text-delta') said += part.text;
          assert.match(said, /^one/u);
          assert.equal(errors.length, 1, prompt);
        }
      });
    });
  }
}
