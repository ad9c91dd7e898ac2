// The cache around a real gateway, over real HTTP, on both wires: equal requests make one call, one after the other or
// concurrently, streamed or not.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Client } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { RequestInput } from '../../src/client/request.ts';
import type { CallEvent } from '../../src/core/call.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import { createMemoryCache } from '../../src/gateway/cache/memory-cache.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { failsWith } from '../support/fails-with.ts';
import { startFaultyModel, vendorNames, type FaultyModel, type VendorName } from '../support/faulty-model.ts';
import { createClient } from '../../src/node.ts';

const answer = 'It has rained since nine o’clock, and the street is wet.';
const slowly = { stallBeforeMs: 50, slow: 1 };

async function setUp(context: TestContext, vendor: VendorName, options: Partial<ClientOptions> = {}) {
  const model = await startFaultyModel(context, {
    replies: { replies: [{ match: { contains: 'rain' }, text: answer }] },
  });
  const client = createClient({
    provider: vendor,
    apiKey: 'any',
    baseUrl: `${model.server.url}/v1`,
    model: 'm',
    headers: { 'x-simulate-fault': JSON.stringify(slowly) },
    cache: true,
    ...options,
  });
  context.after(() => client.close());
  return { model, client };
}

const calls = ({ server }: FaultyModel): number => server.requests.length;

async function read(client: Client, ask: RequestInput): Promise<{ words: string; pieces: number; isKept: boolean }> {
  const events: StreamEvent[] = [];
  for await (const event of client.stream(ask)) events.push(event);
  const deltas = events.filter((event) => event.type === 'text-delta');
  return {
    words: deltas.map((event) => event.text).join(''),
    pieces: deltas.length,
    isKept: events.some((event) => event.type === 'notice' && event.kind === 'cached'),
  };
}

for (const vendor of vendorNames) {
  describe(`${vendor}: five concurrent requests`, () => {
    test('share one call when streamed, and each reads it as it arrives', async (context) => {
      const { model, client } = await setUp(context, vendor);
      const readings = await Promise.all([1, 2, 3, 4, 5].map(() => read(client, { messages: 'Does it rain?' })));
      assert.equal(calls(model), 1);
      for (const { words, pieces } of readings) {
        assert.equal(words, answer);
        assert.ok(pieces > 1);
      }
    });

    test('share one call when not streamed', async (context) => {
      const { model, client } = await setUp(context, vendor);
      const completions = await Promise.all([1, 2, 3, 4, 5].map(() => client.complete('Does it rain?')));
      assert.equal(calls(model), 1);
      for (const { text } of completions) assert.equal(text, answer);
      assert.deepEqual(
        completions.map(({ notices }) => notices.map(({ kind }) => kind)),
        [[], ...Array.from({ length: 4 }, () => ['shared'])],
      );
    });

    test('share the failure of one call, and the next one makes a new call', async (context) => {
      const headers = { 'x-simulate-fault': JSON.stringify({ ...slowly, status: 400 }) };
      const { model, client } = await setUp(context, vendor, { headers });
      const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => client.complete('Does it rain?')));
      assert.ok(results.every(({ status }) => status === 'rejected'));
      assert.equal(calls(model), 1);
      await assert.rejects(client.complete('Does it rain?'));
      assert.equal(calls(model), 2);
    });
  });

  describe(`${vendor}: of two equal requests`, () => {
    test('the second is served from the cache, streamed or not', async (context) => {
      const { model, client } = await setUp(context, vendor);
      const first = await client.complete('Does it rain?');
      const second = await client.complete('Does it rain?');
      assert.deepEqual(second.message, first.message);
      assert.deepEqual(
        second.notices.map(({ kind }) => kind),
        ['cached'],
      );
      assert.deepEqual(await read(client, { messages: 'Does it rain?' }), { words: answer, pieces: 1, isKept: true });
      assert.equal(calls(model), 1);
      assert.equal((await read(client, { messages: 'Does it rain?', cache: 'off' })).isKept, false);
      assert.equal(calls(model), 2);
    });

    test('the second reports the target of the first, and no cost', async (context) => {
      const ends: unknown[] = [];
      const observer = (event: CallEvent) => {
        if (event.type === 'call-end') ends.push([event.target, event.shared ?? false]);
      };
      const { client } = await setUp(context, vendor, { observer });
      await client.complete('Does it rain?');
      const { target, model } = await client.complete('Does it rain?');
      const answeredBy = `${target}/${model}`;
      assert.deepEqual(ends, [
        [answeredBy, false],
        [answeredBy, true],
      ]);
    });

    test('a stream that was read to its end is stored, one that was cut off is not', async (context) => {
      const cut = { 'x-simulate-fault': JSON.stringify({ cutAtByte: 400 }) };
      const cache = createMemoryCache();
      const { model, client } = await setUp(context, vendor, { cache });
      await read(client, { messages: 'Does it rain?' });
      assert.equal((await read(client, { messages: 'Does it rain?' })).isKept, true);
      const cutting = await setUp(context, vendor, { cache, headers: cut, retry: false });
      for (let time = 0; time < 2; time++) await assert.rejects(read(cutting.client, { messages: 'Does it rain?' }));
      assert.deepEqual([calls(model), calls(cutting.model)], [1, 2]);
    });
  });
}

const ask = (cache: unknown) =>
  createClient({ provider: 'simulated' }).complete({ messages: 'Hi', cache } as RequestInput);
const make = (cache: NonNullable<ClientOptions['cache']>) =>
  createClient({ provider: 'simulated', cache }).complete('Hi');

describe('a client', () => {
  test('stores nothing by default', async (context) => {
    const { model, client } = await setUp(context, 'openai', { cache: false });
    await client.complete('Does it rain?');
    await client.complete('Does it rain?');
    assert.equal(calls(model), 2);
  });

  test('accepts the user’s own cache around the user’s own provider', async () => {
    const kept = new Map<string, Uint8Array>();
    const lives: number[] = [];
    const client = createClient({
      provider: createSimulatedProvider(),
      model: 'm',
      cache: {
        get: (key) => Promise.resolve(kept.get(key)),
        async set(key, bytes, ttl) {
          kept.set(key, bytes);
          lives.push(ttl);
        },
        delete: (key) => Promise.resolve(void kept.delete(key)),
      },
    });
    await client.complete({ messages: 'Count to 3', cache: { ttl: '10s' } });
    const { notices, text } = await client.complete('Count to 3');
    assert.deepEqual([text, notices.length, kept.size], ['1, 2, 3', 1, 1]);
    await client.complete('Count to 4');
    await client.close();
    assert.deepEqual(lives, [10_000, 3_600_000]);
  });

  test('reports invalid options', async () => {
    await assert.rejects(ask('on'), failsWith('bad-request', /^cache: must be "off", "read", "refresh" or \{ ttl \}$/));
    await assert.rejects(ask({ ttl: 0 }), failsWith('bad-request', /^cache\.ttl: must be a duration/));
    await assert.rejects(ask({ ttl: '5' }), failsWith('bad-request', /^cache\.ttl: "5" has no unit/));
    await assert.rejects(make({ ttl: 'soon' }), failsWith('configuration', /^cache\.ttl: "soon" is not a duration/));
    await assert.rejects(make({ ttl: 0 }), failsWith('configuration', /^cache\.ttl: must be greater than 0/));
    assert.throws(() => make({ maxBytes: 0 }), failsWith('configuration', /^cache\.maxBytes: must be a whole number/));
  });
});
