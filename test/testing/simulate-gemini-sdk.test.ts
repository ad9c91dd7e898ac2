// The official `@google/genai` package, unmodified, as a client of the simulator.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  ApiError,
  FunctionCallingConfigMode,
  GoogleGenAI,
  type Content,
  type EmbedContentConfig,
  type GenerateContentConfig,
  type GenerateContentParameters,
} from '@google/genai';

import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const citySchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: citySchema }] }];
const model = 'gemini-3-simulated';

let server: SimulateServer;
before(async () => {
  server = await createSimulateServer();
});
after(() => server.close());

function client(apiKey = 'key', headers: Record<string, string> = {}): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: server.url, headers } });
}

function ask(contents: GenerateContentParameters['contents'], config: GenerateContentConfig = {}) {
  return client().models.generateContent({ model, contents, config });
}

async function fail(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

function detailsOf({ message }: ApiError): Record<string, unknown> {
  return (JSON.parse(message) as { error: Record<string, unknown> }).error;
}

/** Returns the message of the error. */
async function postInvalid(body: object): Promise<string> {
  const url = `${server.url}/v1beta/models/${model}:generateContent?key=k`;
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  assert.equal(response.status, 400);
  const { error } = (await response.json()) as { error: { message: string; status: string } };
  assert.equal(error.status, 'INVALID_ARGUMENT');
  return error.message;
}

function embed(contents: string | string[], config: EmbedContentConfig = {}) {
  return client().models.embedContent({ model: 'gemini-embedding-001', contents, config });
}

test('text, with its usage and the end', async () => {
  const response = await ask('Count to 3');
  assert.equal(response.text, '1, 2, 3');
  assert.equal(response.candidates?.[0]?.finishReason, 'STOP');
  assert.equal(response.modelVersion, model);
  assert.ok((response.usageMetadata?.promptTokenCount ?? 0) > 0);
  assert.ok((response.usageMetadata?.totalTokenCount ?? 0) > (response.usageMetadata?.promptTokenCount ?? 0));
});

test('a stream', async () => {
  const stream = await client().models.generateContentStream({ model, contents: 'Count to 9' });
  let said = '';
  let chunks = 0;
  let last: string | undefined;
  for await (const chunk of stream) {
    said += chunk.text ?? '';
    chunks += 1;
    last = chunk.candidates?.[0]?.finishReason;
  }
  assert.equal(said, '1, 2, 3, 4, 5, 6, 7, 8, 9');
  assert.equal(last, 'STOP');
  assert.ok(chunks > 3);
});

describe('tools', () => {
  test('a call, its result and the final text', async () => {
    const first = await ask('What is the weather in Paris?', { tools });
    const [call] = first.functionCalls ?? [];
    assert.deepEqual([call?.name, call?.args], ['get_weather', { city: 'Paris' }]);
    const said = first.candidates?.[0]?.content as Content;
    assert.ok(said.parts?.some((part) => part.functionCall !== undefined && part.thoughtSignature !== undefined));
    const result = { functionResponse: { id: call?.id ?? '', name: 'get_weather', response: { output: '21 °C' } } };
    const contents = [
      { role: 'user', parts: [{ text: 'What is the weather in Paris?' }] },
      said,
      { role: 'user', parts: [result] },
    ];
    assert.match((await ask(contents, { tools })).text ?? '', /get_weather answered: 21 °C/u);
    const unsigned = { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} } }] };
    await assert.rejects(ask([contents[0]!, unsigned, contents[2]!], { tools }), /thought_signature/);
  });

  test('the chat of the package keeps the history itself', async () => {
    const chat = client().chats.create({ model, config: { tools } });
    const first = await chat.sendMessage({ message: 'What is the weather in Paris?' });
    const [call] = first.functionCalls ?? [];
    const message = { functionResponse: { id: call?.id ?? '', name: 'get_weather', response: { output: '21 °C' } } };
    assert.match((await chat.sendMessage({ message })).text ?? '', /get_weather answered: 21 °C/u);
  });

  test('every mode', async () => {
    const mode = (functionCallingConfig: object) => ask('Hello', { tools, toolConfig: { functionCallingConfig } });
    const forced = await mode({ mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_weather'] });
    assert.equal(forced.functionCalls?.[0]?.name, 'get_weather');
    const none = await ask('What is the weather in Paris?', {
      tools,
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } },
    });
    assert.equal(none.functionCalls, undefined);
    await assert.rejects(mode({ mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['other'] }), /other/);
  });
});

describe('structured output', () => {
  const person = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
  };

  test('by JSON Schema, and by the schema of the package', async () => {
    const schemas = [
      { responseJsonSchema: person },
      {
        responseSchema: {
          type: 'OBJECT',
          properties: { name: { type: 'STRING' }, age: { type: 'INTEGER' } },
          required: ['name', 'age'],
        },
      },
    ];
    for (const schema of schemas) {
      const { text = '' } = await ask('A person', { responseMimeType: 'application/json', ...schema });
      const value = JSON.parse(text) as { name: unknown; age: unknown };
      assert.deepEqual([typeof value.name, Number.isInteger(value.age)], ['string', true]);
    }
  });

  test('is refused beside tools by an older model', async () => {
    const config = { tools, responseMimeType: 'application/json' };
    const older = client().models.generateContent({ model: 'gemini-2.5-flash', contents: 'x', config });
    await assert.rejects(older, /response mime type/);
  });
});

test('thinking is shown on request only', async () => {
  const shown = await ask('Think about it: 17 * 23?', {
    thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
  });
  const thoughts = (shown.candidates?.[0]?.content?.parts ?? []).filter(({ thought }) => thought);
  assert.ok(thoughts.length > 0 && (thoughts[0]?.text ?? '') !== '');
  const hidden = await ask('Think about it: 17 * 23?', { thinkingConfig: { thinkingBudget: 2048 } });
  assert.ok((hidden.candidates?.[0]?.content?.parts ?? []).every(({ thought }) => !thought));
});

test('an image, audio and a document', async () => {
  const parts = [
    { text: 'Look' },
    { inlineData: { mimeType: 'image/png', data: pixel } },
    { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
  ];
  assert.ok(((await ask([{ role: 'user', parts }])).text ?? '').length > 0);
});

test('the count of tokens, and the lists of models', async () => {
  const { totalTokens } = await client().models.countTokens({ model, contents: 'Count these tokens' });
  assert.ok((totalTokens ?? 0) > 0);
  const names: (string | undefined)[] = [];
  for await (const listed of await client().models.list()) names.push(listed.name);
  assert.ok(names.includes('models/simulated'));
  assert.equal((await client().models.get({ model: 'simulated' })).name, 'models/simulated');
});

test('embeddings, one and several', async () => {
  assert.equal((await embed('Hello')).embeddings?.[0]?.values?.length, 3072);
  assert.deepEqual(
    (await embed(['Hello', 'world'], { outputDimensionality: 64 })).embeddings?.map(({ values }) => values?.length),
    [64, 64],
  );
});

describe('errors', () => {
  test('of keys', async () => {
    const wrong = await fail(client('bad-key').models.generateContent({ model, contents: 'x' }));
    assert.deepEqual([wrong.status, detailsOf(wrong)['status']], [400, 'INVALID_ARGUMENT']);
    assert.match(wrong.message, /API_KEY_INVALID/);
    const response = await fetch(`${server.url}/v1beta/models/m:generateContent`, { method: 'POST', body: '{}' });
    assert.equal(response.status, 403);
    const inQuery = `${server.url}/v1beta/models/m:generateContent?key=k`;
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] });
    assert.equal((await fetch(inQuery, { method: 'POST', body })).status, 200);
  });

  test('of fields name the field', async () => {
    const contents = [{ parts: [{ text: 'Hi' }] }];
    assert.match(await postInvalid({ contents, nonsense: 1 }), /Unknown name "nonsense": Cannot find field/);
    assert.match(await postInvalid({ contents, generationConfig: { topZ: 1 } }), /"topZ" at 'generation_config'/);
    assert.match(
      await postInvalid({ contents, generationConfig: { topP: 'x' } }),
      /'generation_config.top_p' \(TYPE_NUMBER\)/,
    );
    assert.match(await postInvalid({}), /contents is not specified/);
    assert.match(await postInvalid({ contents: [{ parts: [{}] }] }), /must have one initialized field/);
    assert.match(await postInvalid({ contents, generationConfig: { temperature: 3 } }), /temperature/);
    const orphan = { parts: [{ functionResponse: { name: 'f', response: {} } }] };
    assert.match(await postInvalid({ contents: [orphan] }), /immediately after a function call turn/);
  });

  test('of models and of faults', async () => {
    const unknown = await fail(client().models.generateContent({ model: 'unknown-model', contents: 'x' }));
    assert.deepEqual([unknown.status, detailsOf(unknown)['status']], [404, 'NOT_FOUND']);
    const faulty = client('key', { 'x-simulate-status': '429', 'x-simulate-retry-after': '7' });
    const limited = await fail(faulty.models.generateContent({ model, contents: 'x' }));
    assert.equal(detailsOf(limited)['status'], 'RESOURCE_EXHAUSTED');
    assert.match(limited.message, /"retryDelay":"7s"/);
  });

  test('in the middle of a stream', async () => {
    const faulty = client('key', { 'x-simulate-error-after-events': '2' });
    const stream = await faulty.models.generateContentStream({ model, contents: 'Count to 9' });
    await assert.rejects(async () => {
      for await (const chunk of stream) assert.ok(chunk);
    }, /UNAVAILABLE/);
  });
});
