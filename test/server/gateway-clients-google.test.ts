// The official `@google/genai` package, unmodified, as a client of the gateway, in front of every kind of upstream.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  ApiError,
  FunctionCallingConfigMode,
  GoogleGenAI,
  type CallableTool,
  type FunctionCall,
  type GenerateContentConfig,
} from '@google/genai';

import { clientScript, pixel, startGatewayStack, upstreams, type GatewayStack } from '../support/gateway-stack.ts';

function declare(name: string, member: string) {
  const schema = { type: 'object', properties: { [member]: { type: 'string' } }, required: [member] };
  return { name, parametersJsonSchema: schema };
}

const weather = { functionDeclarations: [declare('get_weather', 'city')] };
const both = { functionDeclarations: [declare('get_weather', 'city'), declare('get_time', 'zone')] };
const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
};

let stack: GatewayStack;
let client: GoogleGenAI;
before(async () => {
  stack = await startGatewayStack({ simulate: { script: clientScript } });
  client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: stack.url } });
});
after(() => stack.close());

function ask(model: string, contents: string, config: GenerateContentConfig = {}) {
  return client.models.generateContent({ model, contents, config });
}

function toCall({ name, args }: FunctionCall): unknown {
  return [name, args];
}

function choose(functionCallingConfig: object): GenerateContentConfig {
  return { tools: [both], toolConfig: { functionCallingConfig } };
}

function checkPerson(text = ''): void {
  const value = JSON.parse(text) as { name: unknown; age: unknown };
  assert.deepEqual([typeof value.name, Number.isInteger(value.age)], ['string', true]);
}

async function fail(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

for (const { name, model, path } of upstreams) {
  describe(`@google/genai, in front of ${name}`, () => {
    test('text and usage', async () => {
      const response = await ask(model, 'Count to 3');
      assert.equal(response.text, '1, 2, 3');
      assert.equal(response.candidates?.[0]?.finishReason, 'STOP');
      const { promptTokenCount = 0, candidatesTokenCount = 0 } = response.usageMetadata ?? {};
      assert.ok(promptTokenCount > 0 && candidatesTokenCount > 0);
      assert.equal(stack.simulator.requests.at(-1)?.path, path);
    });

    test('a stream, with usage at its end', async () => {
      const stream = await client.models.generateContentStream({ model, contents: 'Count to 5' });
      let said = '';
      let last;
      for await (const chunk of stream) {
        said += chunk.text ?? '';
        last = chunk;
      }
      assert.equal(said, '1, 2, 3, 4, 5');
      assert.equal(last?.candidates?.[0]?.finishReason, 'STOP');
      assert.ok((last.usageMetadata?.totalTokenCount ?? 0) > 0);
    });

    test('a system instruction, and a limit', async () => {
      const response = await ask(model, 'Count to 100', { systemInstruction: 'Be brief.', maxOutputTokens: 20 });
      assert.equal(response.candidates?.[0]?.finishReason, 'MAX_TOKENS');
    });

    test('a call, its result and the final text, in a chat, plain and streamed', async () => {
      for (const isStream of [false, true]) {
        const chat = client.chats.create({ model, config: { tools: [weather] } });
        const calls: FunctionCall[] = [];
        const send = async (message: Parameters<typeof chat.sendMessage>[0]['message']): Promise<string> => {
          if (!isStream) {
            const response = await chat.sendMessage({ message });
            calls.push(...(response.functionCalls ?? []));
            return response.text ?? '';
          }
          let said = '';
          for await (const chunk of await chat.sendMessageStream({ message })) {
            calls.push(...(chunk.functionCalls ?? []));
            said += chunk.text ?? '';
          }
          return said;
        };
        await send('What is the weather in Paris?');
        assert.deepEqual(calls.map(toCall), [['get_weather', { city: 'Paris' }]]);
        const id = calls[0]?.id ?? '';
        const said = await send({ functionResponse: { id, name: 'get_weather', response: { output: '21 °C' } } });
        assert.match(said, /get_weather answered: 21 °C/u);
      }
    });

    test('parallel calls, whose results have the names only', async () => {
      const first = await ask(model, 'both, please', { tools: [both] });
      assert.deepEqual(first.functionCalls?.map(toCall), [
        ['get_weather', { city: 'Paris, the capital of France' }],
        ['get_time', { zone: 'Europe/Paris, also called CET' }],
      ]);
      const results = ['get_weather', 'get_time'].map((called) => ({
        functionResponse: { name: called, response: { output: `${called} result` } },
      }));
      const contents = [
        { role: 'user', parts: [{ text: 'both, please' }] },
        first.candidates![0]!.content!,
        { role: 'user', parts: results },
      ];
      const second = await client.models.generateContent({ model, contents, config: { tools: [both] } });
      assert.match(second.text ?? '', /get_weather result.*get_time result/su);
    });

    test('automatic function calling', async () => {
      const tool: CallableTool = {
        tool: () => Promise.resolve(weather),
        callTool: (calls) =>
          Promise.resolve(
            calls.map(({ id = '', name: called = '' }) => ({
              functionResponse: { id, name: called, response: { degrees: 21 } },
            })),
          ),
      };
      const response = await ask(model, 'What is the weather in Paris?', { tools: [tool] });
      assert.match(response.text ?? '', /get_weather answered: .*degrees/u);
    });

    test('a forced function, and none', async () => {
      const forced = choose({ mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_time'] });
      assert.equal((await ask(model, 'Hello', forced)).functionCalls?.[0]?.name, 'get_time');
      const none = await ask(model, 'The weather?', choose({ mode: FunctionCallingConfigMode.NONE }));
      assert.equal(none.functionCalls, undefined);
    });

    test('structured output, plain and streamed', async () => {
      const config = { responseMimeType: 'application/json', responseJsonSchema: person };
      checkPerson((await ask(model, 'Invent a person', config)).text);
      let streamed = '';
      const stream = await client.models.generateContentStream({ model, contents: 'Invent a person', config });
      for await (const chunk of stream) streamed += chunk.text ?? '';
      checkPerson(streamed);
    });

    test('thoughts, which come back with the conversation', async () => {
      const config = { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 }, maxOutputTokens: 8000 };
      const chat = client.chats.create({ model, config: { ...config, tools: [weather] } });
      const first = await chat.sendMessage({ message: 'What is the weather in Paris?' });
      const [call] = first.functionCalls ?? [];
      assert.equal(call?.name, 'get_weather');
      const parts = first.candidates?.[0]?.content?.parts ?? [];
      // The chat format has no way to ask for reasoning that can be read, and Converse has one only for known models.
      if (!['openai', 'openai-compatible', 'bedrock'].includes(name))
        assert.ok(parts.some(({ thoughtSignature }) => thoughtSignature));
      const message = { functionResponse: { id: call.id ?? '', name: 'get_weather', response: { output: '21 °C' } } };
      assert.match((await chat.sendMessage({ message })).text ?? '', /21 °C/u);
    });

    test('an image', async () => {
      const contents = [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: pixel } }];
      const response = await client.models.generateContent({ model, contents });
      assert.match(response.text ?? '', /image/u);
    });

    test('errors with Google’s status', async () => {
      const expected = [
        [400, 400, 'INVALID_ARGUMENT'],
        [401, 401, 'UNAUTHENTICATED'],
        [404, 404, 'NOT_FOUND'],
      ] as const;
      for (const [upstream, status, word] of expected) {
        const error = await fail(ask(model, `status ${upstream}`));
        assert.equal(error.status, status);
        assert.match(error.message, new RegExp(word));
      }
    });

    test('an error and a cut in the middle of a stream', async () => {
      for (const prompt of ['break in the middle', 'cut in the middle']) {
        const stream = await client.models.generateContentStream({ model, contents: prompt });
        await assert.rejects(async () => {
          for await (const chunk of stream) assert.ok(chunk);
        }, ApiError);
      }
    });
  });
}

test('the list of models, one model, and the count of tokens', async () => {
  const names: (string | undefined)[] = [];
  for await (const { name } of await client.models.list()) names.push(name);
  assert.deepEqual(
    names,
    upstreams.map(({ model }) => `models/${model}`),
  );
  assert.equal((await client.models.get({ model: 'google/simulated' })).name, 'models/google/simulated');
  for (const { model } of upstreams) {
    const { totalTokens } = await client.models.countTokens({ model, contents: 'Count these tokens' });
    assert.ok((totalTokens ?? 0) > 0);
  }
});

test('embeddings of OpenAI and of Google', async () => {
  for (const provider of ['openai', 'google']) {
    const model = `${provider}/text-embedding-3-small`;
    const config = { outputDimensionality: 64 };
    const several = await client.models.embedContent({ model, contents: ['Hello', 'world'], config });
    assert.deepEqual(
      several.embeddings?.map(({ values }) => values?.length),
      [64, 64],
    );
    const response = await fetch(`${stack.url}/v1beta/models/${model}:embedContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: { parts: [{ text: 'Hello' }] } }),
    });
    const { embedding } = (await response.json()) as { embedding: { values: number[] } };
    assert.equal(embedding.values.length, 1536);
  }
});
