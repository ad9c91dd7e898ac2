// The cost of a response for a library user, over real HTTP, from listed and configured prices.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Script } from '../../src/testing/model/script.ts';
import { createClient, type ClientOptions } from '../../src/index.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } as const;

const script: Script = {
  otherwise: 'reply',
  replies: [
    { match: { contains: 'counted' }, text: 'yes', usage: { input: 1000, output: 500, cacheRead: 4000 } },
    { match: { contains: 'cannot be used' }, text: '{"a": 1}', usage: { input: 2000, output: 100 } },
    { match: { contains: 'typed' }, text: 'no', usage: { input: 1000, output: 100 } },
  ],
};

describe('the cost of a response', () => {
  let server: SimulateServer;
  before(async () => (server = await createSimulateServer({ port: 0, script })));
  after(() => server.close());

  const connect = (options: ClientOptions = {}) =>
    createClient({ provider: 'openai', baseUrl: `${server.url}/v1`, apiKey: 'any', model: 'gpt-4o', ...options });
  // gpt-4o: 2.5 dollars in, 10 out, 1.25 from the cache.
  const expected = (1000 * 2.5 + 500 * 10 + 4000 * 1.25) / 1e6;

  test('is computed from the price list', async () => {
    const client = connect();
    assert.equal((await client.complete('counted')).cost, expected);
    const stream = client.stream('counted');
    assert.equal((await stream.final()).cost, expected);
    await client.close();
  });

  test('is absent if the price is unknown', async () => {
    const client = connect({ model: 'a-model-nobody-lists' });
    assert.ok(!('cost' in (await client.complete('counted'))));
    await client.close();
  });

  test('uses prices from options, then from the file', async () => {
    const config = temporaryFolder().write('prices.toml', '[prices."openai/gpt-4o"]\ninput = 100\noutput = 0\n');
    const fromFile = connect({ config });
    assert.equal((await fromFile.complete('counted')).cost, (1000 * 100 + 4000 * 1.25) / 1e6);
    await fromFile.close();
    const fromCode = connect({ config, prices: { 'openai/gpt-4o': { input: 1, output: 1, cacheRead: 0 } } });
    assert.equal((await fromCode.complete('counted')).cost, 1500 / 1e6);
    await fromCode.close();
  });

  test('is that of all calls if the response had to be repaired', async () => {
    const client = connect();
    const completion = await client.complete({ messages: 'typed', schema, healing: { repair: 1 } });
    assert.deepEqual(completion.value, { a: 1 });
    assert.ok(Math.abs((completion.cost ?? 0) - (3000 * 2.5 + 200 * 10) / 1e6) < 1e-12);
    await client.close();
  });
});
