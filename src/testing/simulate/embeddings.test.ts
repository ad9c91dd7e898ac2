// The embeddings routes of `simulate`, judged by the official OpenAI client.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import OpenAI, { APIError } from 'openai';

import { createSimulateServer, type SimulateServer } from './server.ts';

let server: SimulateServer;
let openai: OpenAI;

before(async () => {
  server = await createSimulateServer();
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-simulated', maxRetries: 0 });
});
after(() => server.close());

function cosine(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

async function vectorsOf(input: string[]): Promise<number[][]> {
  const { data } = await openai.embeddings.create({ model: 'text-embedding-3-small', input });
  return data.map(({ embedding }) => embedding);
}

describe('simulated embeddings', () => {
  test('are the same for the same text, and near for texts that share words', async () => {
    const [cat = [], again = [], near = [], far = []] = await vectorsOf([
      'the cat sleeps',
      'the cat sleeps',
      'a cat sleeps',
      'quarterly revenue grew',
    ]);
    assert.deepEqual(cat, again);
    assert.equal(cat.length, 1536);
    assert.ok(Math.abs(cosine(cat, cat) - 1) < 1e-6);
    assert.ok(cosine(cat, near) > cosine(cat, far) + 0.3);
  });

  test('have the requested length and both encodings', async () => {
    const request = { model: 'text-embedding-3-large', input: 'a', dimensions: 64 };
    const plain = await openai.embeddings.create({ ...request, encoding_format: 'float' });
    // Without an encoding, the client asks for base64 and decodes it.
    const decoded = await openai.embeddings.create(request);
    assert.equal(plain.data[0]?.embedding.length, 64);
    assert.deepEqual(decoded.data[0]?.embedding, plain.data[0]?.embedding);
    assert.deepEqual(plain.usage, { prompt_tokens: 1, total_tokens: 1 });
    assert.deepEqual(server.requests.at(-1)?.body, { ...request, encoding_format: 'base64' });
  });

  test('accept tokens', async () => {
    const { data, usage } = await openai.embeddings.create({ model: 'm', input: [[1, 2], [3]] });
    assert.equal(data.length, 2);
    assert.equal(usage.prompt_tokens, 3);
  });

  const wrong: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['no model', { model: undefined }, /you must provide a model parameter/],
    ['no input', { input: undefined }, /Missing required parameter: 'input'/],
    ['an empty text', { input: '' }, /empty string/],
    ['an empty list', { input: [] }, /empty array/],
    ['null in a list', { input: ['a', null] }, /Invalid type for 'input'/],
    ['texts and tokens in a token list', { input: [1, 'a'] }, /'\$\.input' is invalid/],
    ['too many inputs', { input: Array(2049).fill('a') }, /maximum length 2048/],
    ['a long input', { input: 'word '.repeat(8000) }, /maximum context length is 8192/],
    ['too many tokens together', { input: Array(100).fill('word '.repeat(4000)) }, /300000 tokens per request/],
    ['an unknown encoding', { encoding_format: 'hex' }, /Supported values are/],
    ['too many dimensions', { dimensions: 4000 }, /integer above maximum value/],
    ['dimensions of a model without', { model: 'text-embedding-ada-002', dimensions: 8 }, /does not support/],
    ['an unknown field', { task: 'x' }, /Unrecognized request argument supplied: task/],
  ];
  for (const [name, fields, message] of wrong) {
    test(`reject ${name}`, async () => {
      const body = { model: 'text-embedding-3-small', input: 'a', encoding_format: 'float', ...fields };
      await assert.rejects(
        openai.embeddings.create(body as never),
        (error) => error instanceof APIError && error.status === 400 && message.test(error.message),
      );
    });
  }

  test('require a key and play faults', async () => {
    const anonymous = await fetch(`${server.url}/v1/embeddings`, { method: 'POST', body: '{}' });
    assert.equal(anonymous.status, 401);
    await assert.rejects(
      openai.embeddings.create({ model: 'm', input: 'a' }, { headers: { 'x-simulate-status': '429' } }),
      (error) => error instanceof APIError && error.status === 429,
    );
  });

  test('are available in Ollama’s native form, without a key', async () => {
    const response = await fetch(`${server.url}/api/embed`, {
      method: 'POST',
      body: JSON.stringify({ model: 'nomic-embed-text', input: ['a', 'b'] }),
    });
    const body = (await response.json()) as { embeddings: number[][]; prompt_eval_count: number };
    assert.equal(body.embeddings.length, 2);
    assert.equal(body.embeddings[0]?.length, 768);
    assert.equal(body.prompt_eval_count, 2);
  });
});
