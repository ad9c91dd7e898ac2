// Embeddings through the gateway and the client: batches, order, retries, fallback, cache, cost and errors.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { CallEvent } from '../../src/core/call.ts';
import { toBatches } from '../../src/gateway/embedding/batches.ts';
import type { GatewaySettings } from '../../src/gateway/gateway.ts';
import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import { createClient, createGateway } from '../../src/node.ts';
import type { Transport, TransportRequest } from '../../src/transport/transport.ts';
import { failsWith } from '../support/fails-with.ts';

interface SentBody {
  readonly model: string;
  readonly input: string | readonly string[];
  readonly encoding_format?: string;
  readonly dimensions?: number;
}

type Answer = (body: SentBody, request: TransportRequest, ordinal: number) => unknown;

/** A status and a body; a body alone has status 200. */
class Status {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown = { error: { message: `status ${status}` } }) {
    this.status = status;
    this.body = body;
  }
}

/** The vector of a text is its number. */
function embedNumbers({ input, model }: SentBody): unknown {
  const texts = typeof input === 'string' ? [input] : input;
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: [Number(text), 1] }));
  return { object: 'list', model, data, usage: { prompt_tokens: texts.length, total_tokens: texts.length } };
}

class FakeTransport implements Transport {
  readonly sent: { readonly url: string; readonly body: SentBody }[] = [];
  readonly #answer: Answer;
  active = 0;
  mostActive = 0;

  constructor(answer: Answer = embedNumbers) {
    this.#answer = answer;
  }

  async send(request: TransportRequest, signal: AbortSignal) {
    const body = JSON.parse(request.body as string) as SentBody;
    const ordinal = this.sent.push({ url: request.url, body }) - 1;
    this.mostActive = Math.max(this.mostActive, (this.active += 1));
    await new Promise(setImmediate);
    this.active -= 1;
    signal.throwIfAborted();
    const answer = this.#answer(body, request, ordinal);
    const { status, body: received } = answer instanceof Status ? answer : new Status(200, answer);
    const text = typeof received === 'string' ? received : JSON.stringify(received);
    return {
      status,
      headers: { 'content-type': 'application/json' },
      body: (async function* () {
        yield new TextEncoder().encode(text);
      })(),
    };
  }

  close = () => Promise.resolve();
}

const provider = (name: string, type = 'openai-compatible'): ProviderSettings => ({
  name,
  type,
  apiKey: 'k-0123456789',
  baseUrl: `http://${name}.test/v1`,
});
const [a, b] = [provider('a'), provider('b')];
const never = new AbortController().signal;
const retry = { initialBackoff: 1, jitter: false };

function start(settings: Partial<GatewaySettings>, answer?: Answer) {
  const transport = new FakeTransport(answer);
  const events: CallEvent[] = [];
  const gateway = createGateway(
    { providers: [a, b], retry, ...settings },
    { transport, observer: (event) => events.push(event) },
  );
  const embed = (inputs: readonly string[], model = 'a/m') => gateway.embed({ model, inputs, stream: false }, never);
  return { transport, events, gateway, embed };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

describe('batches', () => {
  test('keep the order and the limits, whatever the sizes', () => {
    for (const count of [1, 2, 255, 256, 257, 1000]) {
      const batches = toBatches(numbers(count), { maxInputs: 256 });
      assert.deepEqual(
        batches.flatMap(({ inputs }) => inputs),
        numbers(count),
      );
      assert.ok(batches.every(({ inputs }) => inputs.length > 0 && inputs.length <= 256));
      assert.equal(batches.length, Math.ceil(count / 256));
    }
  });

  test('divide by tokens, and a single input that is too long stays alone', () => {
    const texts = ['x'.repeat(40), 'x'.repeat(40), 'x'.repeat(4000), 'x'];
    const batches = toBatches(texts, { maxTokens: 40 });
    assert.deepEqual(
      batches.map(({ inputs }) => inputs.length),
      [2, 1, 1],
    );
    assert.deepEqual(
      batches.map(({ start: first }) => first),
      [0, 2, 3],
    );
  });
});

describe('an embedding call', () => {
  test('of many inputs is sent in several requests and returned in order', async () => {
    const { transport, embed, events } = start({});
    const { vectors, usage } = await embed(numbers(1000));
    assert.deepEqual(
      vectors.map(([first]) => first),
      numbers(1000).map(Number),
    );
    assert.equal(transport.sent.length, 4);
    assert.ok(transport.mostActive <= 4);
    assert.equal(usage.input, 1000);
    assert.equal(events.filter(({ type }) => type === 'call-start').length, 1);
    assert.equal(events.filter(({ type }) => type === 'call-end').length, 1);
  });

  test('whose batch fails has no vectors, and the error names the inputs', async () => {
    const { embed, transport } = start({}, (body) => {
      return Array.isArray(body.input) && body.input[0] === '256' ? new Status(400) : embedNumbers(body);
    });
    await assert.rejects(
      embed(numbers(3000)),
      failsWith('bad-request', /inputs 256 to 511 of 3000 failed.*status 400/),
    );
    // The batches that had not started are not sent.
    assert.ok(transport.sent.length <= 8, `${transport.sent.length} requests`);
  });

  test('is retried batch by batch', async () => {
    const { embed, transport } = start({}, (body, _request, ordinal) => {
      return ordinal === 1 ? new Status(503) : embedNumbers(body);
    });
    const { vectors } = await embed(numbers(600));
    assert.equal(vectors.length, 600);
    assert.equal(transport.sent.length, 4);
  });

  test('falls back only to a target with the same model', async () => {
    const aliases = { docs: { targets: ['a/m', 'b/other', 'b/m'] } };
    const { embed, transport } = start({ aliases }, (body, { url }) => {
      return url.startsWith('http://a.') ? new Status(500) : embedNumbers(body);
    });
    const { target } = await embed(['7'], 'docs');
    assert.equal(target, 'b');
    assert.deepEqual(
      transport.sent.map(({ url, body }) => `${new URL(url).hostname} ${body.model}`),
      ['a.test m', 'a.test m', 'a.test m', 'b.test m'],
    );
  });

  test('fails if the only other target has another model', async () => {
    const aliases = { docs: { targets: ['a/m', 'b/other'] } };
    const { embed, transport } = start({ aliases, retry: false }, () => new Status(500));
    await assert.rejects(embed(['7'], 'docs'), failsWith('upstream', /status 500/, { target: 'a' }));
    assert.equal(transport.sent.length, 1);
  });

  test('never mixes targets: after a failed batch, all inputs go to the next target', async () => {
    const aliases = { docs: { targets: ['a/m', 'b/m'] } };
    const { embed, transport } = start({ aliases, retry: false }, (body, { url }) => {
      return url.startsWith('http://a.') && body.input[0] === '256' ? new Status(500) : embedNumbers(body);
    });
    const { target, vectors } = await embed(numbers(600), 'docs');
    assert.equal(target, 'b');
    assert.equal(vectors.length, 600);
    assert.equal(transport.sent.filter(({ url }) => url.startsWith('http://b.')).length, 3);
  });

  test('asks OpenAI for base64, and other servers for nothing they may not know', async () => {
    const { gateway, transport } = start({ providers: [provider('openai', 'openai'), b] }, ({ input, model }) => {
      const bytes = Buffer.from(Float32Array.of(Number(input)).buffer);
      return { model, data: [{ index: 0, embedding: bytes.toString('base64') }] };
    });
    const request = { model: 'text-embedding-3-small', inputs: ['7'], dimensions: 1, stream: false } as const;
    const { vectors, usage } = await gateway.embed(request, never);
    assert.deepEqual(vectors, [[7]]);
    assert.equal(usage.missing, true);
    assert.deepEqual(transport.sent[0]?.body, {
      model: 'text-embedding-3-small',
      input: '7',
      dimensions: 1,
      encoding_format: 'base64',
    });
    await gateway.embed({ ...request, model: 'b/m' }, never);
    assert.equal(transport.sent[1]?.body.encoding_format, undefined);
  });

  test('is answered from the cache, apart for each caller', async () => {
    const { gateway, transport, events } = start({ cache: { enabled: true } });
    const request = { model: 'a/m', inputs: ['1', '2'], stream: false } as const;
    const open = (caller: string, inputs: readonly string[] = request.inputs) =>
      gateway.embed({ ...request, inputs }, never, { id: 'c', observe: () => undefined, caller });
    const first = await open('one');
    await new Promise(setImmediate);
    const second = await open('one');
    assert.deepEqual(second.vectors, first.vectors);
    assert.equal(transport.sent.length, 1);
    assert.ok(events.some(({ type }) => type === 'cache-hit'));
    await open('two');
    await open('one', ['2', '1']);
    await open('one', ['1']);
    assert.equal(transport.sent.length, 4);
  });

  const broken: readonly (readonly [string, unknown, RegExp])[] = [
    ['no JSON', '<html>', /not valid/],
    ['a cut body', '{"data": [', /not valid/],
    ['too few vectors', { data: [] }, /0 embeddings for 1 inputs/],
    ['null', null, /no list of embeddings/],
    ['NaN', { data: [{ index: 0, embedding: [null] }] }, /finite numbers/],
  ];
  for (const [name, body, message] of broken) {
    test(`whose response is ${name} is a bad response that names the target`, async () => {
      const { embed } = start({ retry: false }, () => body);
      await assert.rejects(embed(['1']), failsWith('bad-response', message, { target: 'a' }));
    });
  }

  test('to a vendor without embeddings, or without a model, says so', async () => {
    const { embed, transport } = start({ providers: [{ name: 'anthropic', type: 'anthropic', apiKey: 'k' }, a] });
    await assert.rejects(embed(['1'], 'anthropic/claude-x'), failsWith('not-found', /anthropic has no embeddings/));
    await assert.rejects(embed(['1'], ''), failsWith('bad-request', /no default for embeddings/, { field: 'model' }));
    await assert.rejects(embed(['1'], 'nobody/x'), failsWith('not-found', /no provider serves/));
    assert.equal(transport.sent.length, 0);
  });

  test('never shows a key, and ends with the reason of an abort', async () => {
    const { embed, gateway } = start({ retry: false }, () => {
      return new Status(401, { error: { message: 'wrong key k-0123456789' } });
    });
    await assert.rejects(embed(['1']), failsWith('auth', /wrong key \[key\]/));
    const controller = new AbortController();
    const call = gateway.embed({ model: 'a/m', inputs: numbers(600), stream: false }, controller.signal);
    controller.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
  });
});

describe('client.embed', () => {
  const client = createClient({ provider: 'simulated' });

  test('accepts a text, a list and a request, and returns plain numbers', async () => {
    const { vector, vectors, cost, usage, target } = await client.embed('a small cat');
    assert.equal(vectors.length, 1);
    assert.equal(vector, vectors[0]);
    assert.deepEqual({ cost, usage, target }, { cost: 0, usage: { input: 3, output: 0 }, target: 'simulated' });
    assert.deepEqual(JSON.parse(JSON.stringify(vector)), vector);
    const both = await client.embed(['a small cat', 'b'], 'simulated/other');
    assert.equal(both.vectors.length, 2);
    const short = await client.embed({ input: ['a'], dimensions: 8, model: 'simulated' });
    assert.equal(short.vector.length, 8);
  });

  test('uses the model of the client', async () => {
    const transport = new FakeTransport();
    const local = createClient({ provider: 'ollama', model: 'nomic-embed-text', transport });
    await local.embed('1');
    assert.equal(transport.sent[0]?.url, 'http://127.0.0.1:11434/v1/embeddings');
    assert.equal(transport.sent[0]?.body.model, 'nomic-embed-text');
  });

  test('knows the price of an embedding model', async () => {
    const transport = new FakeTransport((body) => ({
      ...(embedNumbers({ ...body, input: '1' }) as object),
      usage: { prompt_tokens: 1_000_000 },
    }));
    const priced = createClient({ provider: 'openai', apiKey: 'k', transport });
    const { cost } = await priced.embed('hello', 'text-embedding-3-small');
    assert.equal(cost, 0.02);
  });

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ['nothing', undefined, 'input'],
    ['an empty list', [], 'input'],
    ['an empty text', '', 'input.0'],
    ['a number', { input: 7 }, 'input'],
    ['a hole in a list', ['a', undefined], 'input.1'],
    ['NaN as a token', { input: [[Number.NaN]] }, 'input.0'],
    ['a lone surrogate', 'a\uDC00', 'input.0'],
    ['an unknown field', { input: 'a', dimension: 3 }, 'dimension'],
    ['no dimensions', { input: 'a', dimensions: 0 }, 'dimensions'],
  ];
  for (const [name, input, field] of wrong) {
    test(`rejects ${name}`, async () => {
      await assert.rejects(client.embed(input as never), failsWith('bad-request', /./, { field }));
    });
  }
});
