// `POST /v1/embeddings`: the official client in front of the gateway, in front of `simulate`.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';

import { OpenAIEmbeddings } from '@langchain/openai';
import { createOpenAI } from '@ai-sdk/openai';
import { embedMany } from 'ai';
import { APIError } from 'openai';

import { startGateway, startSimulated, type GatewayTestOptions } from '../support/gateway-server.ts';

const model = 'text-embedding-3-small';

async function start(context: TestContext, options: GatewayTestOptions = {}) {
  const simulated = await startSimulated(context);
  const gateway = await startGateway(context, simulated.url, options);
  return { ...gateway, simulated };
}

describe('/v1/embeddings', () => {
  test('answers as floats and as base64, with usage, target and cost', async (context) => {
    const { post, openai, simulated } = await start(context);
    const response = await post('/v1/embeddings', { model, input: ['one', 'two'], dimensions: 16 });
    const body = (await response.json()) as { data: { embedding: number[]; index: number }[]; usage: object };
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-simple-agents-target'), 'openai');
    assert.equal(response.headers.get('x-simple-agents-cost'), '0.00000004');
    assert.deepEqual(
      body.data.map(({ index }) => index),
      [0, 1],
    );
    assert.deepEqual(body.usage, { prompt_tokens: 2, total_tokens: 2 });
    // The client asks for base64.
    const decoded = await openai.embeddings.create({ model, input: ['one', 'two'], dimensions: 16 });
    assert.deepEqual(
      decoded.data.map(({ embedding }) => embedding),
      body.data.map(({ embedding }) => embedding),
    );
    assert.equal(simulated.requests.length, 2);
  });

  test('works with the AI SDK and langchain', async (context) => {
    const { url } = await start(context);
    const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' });
    const { embeddings } = await embedMany({ model: provider.embedding(model), values: ['a', 'b', 'c'] });
    assert.equal(embeddings.length, 3);
    const langchain = new OpenAIEmbeddings({ model, apiKey: 'key', configuration: { baseURL: `${url}/v1` } });
    const vectors = await langchain.embedDocuments(['a', 'b', 'c']);
    assert.deepEqual(
      vectors.map((vector) => vector.map(Math.fround)),
      embeddings,
    );
  });

  test('is logged, counted and protected like other calls', async (context) => {
    const records: Record<string, unknown>[] = [];
    const logger = {
      level: 'info',
      debug() {},
      error() {},
      warn() {},
      info: (record: object) => records.push({ ...record }),
    };
    const keys = [hash('sha256', 'secret-of-the-client')];
    const { post, events, simulated } = await start(context, { keys, logger });
    const refused = await post('/v1/embeddings', { model, input: 'a' });
    assert.equal(refused.status, 401);
    assert.equal(simulated.requests.length, 0);
    const authorization = 'Bearer secret-of-the-client';
    const response = await post('/v1/embeddings', { model, input: 'a' }, { authorization });
    assert.equal(response.status, 200);
    const record = records.find(({ type }) => type === 'call');
    assert.equal(record?.['outcome'], 'complete');
    assert.equal(record?.['inputTokens'], 1);
    assert.equal(record?.['target'], `openai/${model}`);
    assert.equal(events.at(-1)?.type, 'call-end');
  });

  test('uses the cache on request of the configuration', async (context) => {
    const { post, simulated } = await start(context, { gateway: { cache: { enabled: true } } });
    const first = await post('/v1/embeddings', { model, input: 'a' });
    await first.text();
    const second = await post('/v1/embeddings', { model, input: 'a' });
    assert.equal(second.headers.get('x-simple-agents-cache'), 'hit');
    assert.equal(second.headers.get('x-simple-agents-cost'), '0');
    const skipped = await post('/v1/embeddings', { model, input: 'a' }, { 'x-simple-agents-cache': 'off' });
    assert.equal(skipped.status, 200);
    assert.equal(simulated.requests.length, 2);
  });

  const wrong: readonly (readonly [string, unknown, string | null])[] = [
    ['no input', { model }, 'input'],
    ['a deep input', { model, input: [[['a']]] }, 'input.0.0'],
    ['a number', { model, input: 7 }, 'input'],
    ['a lone surrogate', { model, input: ['a', '\uD800'] }, 'input.1'],
    ['half a dimension', { model, input: 'a', dimensions: 0.5 }, 'dimensions'],
    ['a list as body', [], null],
  ];
  for (const [name, body, param] of wrong) {
    test(`rejects ${name} with 400 and the field, without a call`, async (context) => {
      const { post, simulated } = await start(context);
      const response = await post('/v1/embeddings', body);
      const { error } = (await response.json()) as { error: { param: string | null; type: string } };
      assert.equal(response.status, 400);
      assert.equal(error.param, param);
      assert.equal(error.type, 'invalid_request_error');
      assert.equal(simulated.requests.length, 0);
    });
  }

  const failures: readonly (readonly [string, Record<string, string>, number])[] = [
    ['is overloaded', { 'x-simulate-status': '503' }, 503],
    ['limits', { 'x-simulate-status': '429' }, 429],
    ['resets the connection', { 'x-simulate-reset': 'true' }, 502],
    ['cuts its response', { 'x-simulate-cut-at': '40' }, 502],
    ['sends garbage', { 'x-simulate-garbage': '100' }, 502],
  ];
  for (const [name, headers, status] of failures) {
    test(`reports an upstream that ${name}`, async (context) => {
      const simulated = await startSimulated(context);
      const providers = [{ name: 'openai', type: 'openai', apiKey: 'k', baseUrl: `${simulated.url}/v1`, headers }];
      const { openai } = await startGateway(context, simulated.url, { gateway: { providers } });
      await assert.rejects(
        openai.embeddings.create({ model, input: 'a' }),
        (error) => error instanceof APIError && error.status === status,
      );
    });
  }

  test('reports a dead upstream and a vendor without embeddings', async (context) => {
    const { post } = await startGateway(context, 'http://127.0.0.1:9');
    const dead = await post('/v1/embeddings', { model, input: 'a' });
    assert.equal(dead.status, 502);
    const none = await post('/v1/embeddings', { model: 'anthropic/claude-x', input: 'a' });
    assert.equal(none.status, 404);
    assert.match(await none.text(), /anthropic has no embeddings/);
  });
});
