// The Gemini API of the gateway beyond what the SDK shows: keys, bytes that pass unchanged, healing, and Vertex AI.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';

import { readProviderVariables, isVendorPresent } from '../../src/config/environment.ts';
import { createGateway } from '../../src/node.ts';
import { vendorNamed, type VendorRow } from '../../src/providers/vendors.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import { createUndiciTransport } from '../../src/transport/lazy-undici.ts';
import { vertexEmbeddings } from '../../src/wire/gemini/embedding.ts';
import { startBoth, startGateway, startSimulated } from '../support/gateway-server.ts';
import { readAsGoogleClients, textOf } from '../support/google-reader.ts';
import { readRequest, startHttpServer } from '../support/server.ts';

const contents = [{ role: 'user', parts: [{ text: 'Count to 3' }] }];
const path = (model: string, method: string): string => `/v1beta/models/${model}:${method}`;

interface Answer {
  readonly candidates: { readonly content: { readonly parts: Record<string, unknown>[] } }[];
}

test('the key may be in a header or in the query, and must be valid', async (context) => {
  const gateway = await startBoth(context, undefined, {
    keys: [{ name: 'k', hash: hash('sha256', 'secret'), scopes: ['call'] }],
  });
  const url = path('openai/m', 'generateContent');
  const statusOf = async (query: string, headers: Record<string, string> = {}): Promise<number> => {
    const response = await gateway.post(url + query, { contents }, headers);
    const text = await response.text();
    if (response.status === 401) assert.match(text, /"status":"UNAUTHENTICATED"/);
    return response.status;
  };
  assert.equal(await statusOf('?key=secret'), 200);
  assert.equal(await statusOf('', { 'x-goog-api-key': 'secret' }), 200);
  assert.equal(await statusOf(''), 401);
  assert.equal(await statusOf('?key=wrong'), 401);
  assert.equal(await statusOf('?key=wrong', { 'x-goog-api-key': 'secret' }), 401);
  // Only this wire has the key there.
  assert.equal((await gateway.post('/v1/chat/completions?key=secret', {})).status, 401);
});

describe('the same wire', () => {
  const frames =
    'data: {"candidates": [{"content": {"parts": [{"text": "Hi"}],"role": "model"},"index": 0}],"newField": 7}\r\n\r\n' +
    'data: {"candidates": [{"finishReason": "STOP","index": 0}],"responseId": "r"}\r\n\r\n';

  test('passes the bytes of a stream and of a body, and every field of the request', async (context) => {
    const sent: { url: string; body: unknown }[] = [];
    const body = '{"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}], "newField": 7}';
    const { origin } = await startHttpServer(context, (request, response) => {
      void readRequest(request).then((text) => {
        sent.push({ url: request.url ?? '', body: JSON.parse(text) });
        const isStream = request.url?.includes('alt=sse') ?? false;
        response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json; charset=UTF-8');
        response.end(isStream ? frames : body);
      });
    });
    const gateway = await startGateway(context, origin);
    const more = { contents, generationConfig: { topK: 3 }, newField: { a: 1 } };
    const streamed = await gateway.post(`${path('google/m', 'streamGenerateContent')}?alt=sse`, more);
    assert.equal(await streamed.text(), frames);
    const plain = await gateway.post(path('google/m', 'generateContent'), more);
    assert.equal(await plain.text(), body);
    assert.deepEqual(sent, [
      { url: '/v1beta/models/m:streamGenerateContent?alt=sse', body: more },
      { url: '/v1beta/models/m:generateContent', body: more },
    ]);
  });
});

test('a stream without alt=sse, an unknown method and an unknown field are clear errors', async (context) => {
  const gateway = await startBoth(context);
  const fail = async (url: string, body: object): Promise<[number, string]> => {
    const response = await gateway.post(url, body);
    const { error } = (await response.json()) as { error: { message: string } };
    return [response.status, error.message];
  };
  const [status, message] = await fail(path('openai/m', 'streamGenerateContent'), { contents });
  assert.deepEqual([status, message.startsWith('alt: ')], [400, true]);
  assert.match((await fail(path('openai/m', 'generateContnt'), { contents }))[1], /did you mean.*generateContent/);
  const refused = await fail(path('openai/m', 'generateContent'), { contents, cachedContent: 'cachedContents/1' });
  assert.deepEqual([refused[0], refused[1].startsWith('cachedContent: ')], [400, true]);
  const search = await fail(path('openai/m', 'generateContent'), { contents, tools: [{ googleSearch: {} }] });
  assert.deepEqual(search, [400, 'tools: this model does not support a tool of type "googleSearch"']);
  const tuned = await gateway.post(path('openai/m', 'generateContent'), { contents, generationConfig: { topK: 3 } });
  assert.deepEqual([tuned.status, tuned.headers.get('x-simple-agents-dropped')], [200, 'generationConfig.topK']);
});

test('damaged arguments are healed', async (context) => {
  const parameters = { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] };
  const script = parseScript({
    otherwise: 'reply',
    replies: [{ match: 'weather', toolCalls: [{ name: 'get_weather', rawInput: "{'city': 'Paris',}" }] }],
  });
  const gateway = await startBoth(context, script, { healTools: true });
  const tools = [{ functionDeclarations: [{ name: 'get_weather', parameters }] }];
  const ask = { contents: [{ parts: [{ text: 'weather' }] }], tools };
  for (const model of ['openai/m', 'responses/m']) {
    const response = await gateway.post(path(model, 'generateContent'), ask);
    const { candidates } = (await response.json()) as Answer;
    const [part] = candidates[0]?.content.parts ?? [];
    assert.deepEqual((part?.['functionCall'] as { args: unknown } | undefined)?.args, { city: 'Paris' });
  }
});

describe('Vertex AI', () => {
  const variables = { GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'europe-west4' };
  const provider = { name: 'vertex', type: 'vertex' };

  test('has its address from the project and the location', () => {
    const { baseUrl } = readProviderVariables(provider, variables);
    const expected =
      'https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google';
    assert.equal(baseUrl, expected);
    const global = readProviderVariables(provider, { ...variables, GOOGLE_CLOUD_LOCATION: 'global' });
    assert.match(global.baseUrl ?? '', /^https:\/\/aiplatform\.googleapis\.com\/v1\/projects\/p\/locations\/global\//);
    const row = vendorNamed('vertex') as VendorRow;
    assert.equal(isVendorPresent(row, variables), true);
    assert.equal(isVendorPresent(row, { GOOGLE_CLOUD_PROJECT: 'p' }), false);
  });

  test('is called with a token at the path of its publisher', async (context: TestContext) => {
    const { url, requests } = await startSimulated(context);
    const baseUrl = `${url}/v1/projects/p/locations/l/publishers/google`;
    const gateway = createGateway(
      { providers: [{ ...provider, apiKey: 'token-of-google', baseUrl }] },
      { transport: createUndiciTransport() },
    );
    context.after(() => gateway.close());
    const message = { role: 'user', content: [{ type: 'text', text: 'Count to 3' }] } as const;
    const request = { model: 'vertex/gemini-3-pro', messages: [message] };
    const stream = await gateway.open(request, new AbortController().signal);
    let said = '';
    for await (const event of stream) if (event.type === 'text-delta') said += event.text;
    assert.equal(said, '1, 2, 3');
    assert.ok(((await gateway.countTokens(request, new AbortController().signal)) ?? 0) > 0);
    const [first, second] = requests;
    assert.match(first?.path ?? '', /^\/v1\/projects\/p\/.*\/models\/gemini-3-pro:streamGenerateContent$/);
    assert.equal(first?.headers['authorization'], 'Bearer ***');
    assert.deepEqual(Object.keys(second?.body as object), ['contents']);
  });

  test('has embeddings in the form of its models', () => {
    const request = { model: 'gemini-embedding-001', inputs: ['a', 'b'], dimensions: 2, stream: false } as const;
    const options = { base64: false };
    assert.deepEqual(vertexEmbeddings.encode(request, options), {
      path: '/models/gemini-embedding-001:predict',
      body: { instances: [{ content: 'a' }, { content: 'b' }], parameters: { outputDimensionality: 2 } },
    });
    const predictions = [
      { embeddings: { values: [1, 2], statistics: { token_count: 3 } } },
      { embeddings: { values: [3, 4], statistics: { token_count: 3 } } },
    ];
    const decoded = vertexEmbeddings.decode({ predictions }, request);
    assert.deepEqual(
      [decoded.vectors, decoded.usage.input],
      [
        [
          [1, 2],
          [3, 4],
        ],
        6,
      ],
    );
    assert.throws(() => vertexEmbeddings.encode({ ...request, inputs: [[1, 2]] }, options), { field: 'input' });
  });
});

test('the key of AI Studio has two names', () => {
  const provider = { name: 'google', type: 'google' };
  assert.equal(readProviderVariables(provider, { GOOGLE_API_KEY: 'b' }).apiKey, 'b');
  assert.equal(readProviderVariables(provider, { GOOGLE_API_KEY: 'b', GEMINI_API_KEY: 'a' }).apiKey, 'a');
  assert.equal(readProviderVariables(provider, {}).keyEnv, 'GEMINI_API_KEY');
});

describe('one of several words (text/x.enum)', () => {
  const words = ['Positive', 'Negative', 'It is "mixed"'];
  const generationConfig = { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: words } };
  const question = [{ role: 'user', parts: [{ text: 'Judge this' }] }];

  async function ask(gateway: { readonly url: string }, model: string, isStream: boolean, more: object = {}) {
    const method = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const response = await fetch(gateway.url + path(model, method), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ contents: question, generationConfig, ...more }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const chunks = isStream ? readAsGoogleClients(text) : [JSON.parse(text) as Answer];
    return textOf(chunks as Parameters<typeof textOf>[0]);
  }

  for (const isStream of [false, true]) {
    test(`is the word itself at every model, ${isStream ? 'streamed' : 'plain'}`, async (context) => {
      const gateway = await startBoth(context);
      for (const model of ['openai/m', 'responses/m', 'anthropic/m', 'google/m'])
        assert.ok(words.includes(await ask(gateway, model, isStream)), model);
    });

    test(`is the word that a model wrote in its own way, ${isStream ? 'streamed' : 'plain'}`, async (context) => {
      const written = ['{"value": "Negative"}', '"Negative"', 'Negative', 'negative'];
      const replies = [...written, ...written].map((text) => ({ text }));
      const gateway = await startBoth(context, parseScript({ replies }));
      for (const model of ['openai/m', 'google/m'])
        for (const form of written) assert.equal(await ask(gateway, model, isStream), 'Negative', `${model}: ${form}`);
    });
  }

  test('reaches Google as it is, and others as a schema', async (context) => {
    const gateway = await startBoth(context);
    const sent = () => gateway.upstream.requests.at(-1)?.body as Record<string, Record<string, unknown>>;
    await ask(gateway, 'google/m', false);
    assert.deepEqual(sent()['generationConfig'], generationConfig);
    await ask(gateway, 'openai/m', false);
    assert.match(
      JSON.stringify(sent()['response_format']),
      /"properties":\{"value":\{"type":"string","enum":\["Positive"/,
    );
  });

  test('without words is an error that names the schema', async (context) => {
    const gateway = await startBoth(context);
    const wrong = [
      [{ responseMimeType: 'text/x.enum' }, 'generationConfig.responseSchema'],
      [{ ...generationConfig, responseSchema: { type: 'STRING' } }, 'generationConfig.responseSchema.enum'],
      [{ ...generationConfig, responseSchema: { type: 'STRING', enum: [] } }, 'generationConfig.responseSchema.enum'],
      [
        { ...generationConfig, responseSchema: { type: 'STRING', enum: [1] } },
        'generationConfig.responseSchema.enum.0',
      ],
    ] as const;
    for (const [config, field] of wrong) {
      const response = await gateway.post(path('openai/m', 'generateContent'), { contents, generationConfig: config });
      const { error } = (await response.json()) as { error: { message: string } };
      assert.deepEqual([response.status, error.message.split(': ')[0]], [400, field]);
    }
  });
});

test('thoughts of every model are sent only on request, and their signatures always', async (context) => {
  const gateway = await startBoth(context);
  for (const model of ['responses/m', 'anthropic/m', 'google/m']) {
    for (const method of ['generateContent', 'streamGenerateContent?alt=sse']) {
      for (const spelling of ['includeThoughts', 'include_thoughts']) {
        for (const isShown of [true, false, undefined]) {
          const thinkingConfig = { thinkingBudget: 2048, [spelling]: isShown };
          const name = spelling === 'includeThoughts' ? 'generationConfig' : 'generation_config';
          const body = { contents, [name]: { thinkingConfig, maxOutputTokens: 8000 } };
          const text = await (await gateway.post(path(model, method), body)).text();
          const where = `${model} ${method} ${spelling} ${isShown}`;
          assert.equal(text.includes('"thought":true'), isShown === true, where);
          assert.equal(/"text":"[^"]*simulated/.test(text), isShown === true, where);
          assert.match(text, /"thoughtSignature":"[A-Za-z0-9+/]+=*"/, where);
        }
      }
    }
  }
});
