// What the gateway asks of providers: their models and their token counts. A provider that is dead or wrong delays nothing.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { PriceBook } from '../../src/prices/price.ts';
import { UpstreamModels } from '../../src/gateway/routing/upstream-models.ts';
import { createGateway } from '../../src/node.ts';
import { startGateway, startSimulated } from '../support/gateway-server.ts';
import { TestClock } from '../support/policies.ts';
import { startHttpServer } from '../support/server.ts';

const provider = (name: string) => ({ name, type: 'openai-compatible' });
const prices = new PriceBook();
const idsOf = (listed: readonly { readonly id: string }[]) => listed.map(({ id }) => id);

describe('models of providers', () => {
  test('are merged with the configured ones', async (context) => {
    const simulated = await startSimulated(context);
    const providers = [
      { name: 'here', type: 'openai', apiKey: 'k', baseUrl: `${simulated.url}/v1`, model: 'simulated' },
    ];
    const gateway = createGateway({ providers });
    context.after(() => gateway.close());
    assert.deepEqual(idsOf(await gateway.modelListings()), [
      'here/simulated',
      'here/simulated-large',
      'here/simulated-small',
    ]);
    await gateway.modelListings();
    assert.equal(simulated.requests.length, 1);
  });

  test('of a provider that does not respond are missing, after a short wait for the first list only', async () => {
    const clock = new TestClock();
    const silent = new Promise<readonly string[]>(() => undefined);
    const ask = ({ name }: { readonly name: string }) => (name === 'dead' ? silent : Promise.resolve(['m']));
    const models = new UpstreamModels(ask, clock);
    const first = await models.list([provider('dead'), provider('live')], prices);
    assert.deepEqual(idsOf(first), ['live/m']);
    assert.equal(clock.now(), 1000);
    await models.list([provider('dead'), provider('live')], prices);
    assert.equal(clock.now(), 1000);
  });

  test('stay listed when a provider fails later, and are asked for again after a while', async () => {
    const clock = new TestClock();
    let calls = 0;
    const models = new UpstreamModels(() => {
      calls += 1;
      return calls === 2 ? Promise.reject(new Error('down')) : Promise.resolve([`m${calls}`]);
    }, clock);
    const list = async () => {
      const listed = idsOf(await models.list([provider('a')], prices));
      await new Promise(setImmediate);
      return listed;
    };
    assert.deepEqual(await list(), ['a/m1']);
    clock.time += 601_000;
    assert.deepEqual(await list(), ['a/m1']);
    assert.deepEqual(await list(), ['a/m1']);
    assert.equal(calls, 2);
    clock.time += 61_000;
    await list();
    assert.deepEqual(await list(), ['a/m3']);
  });

  const broken: readonly (readonly [string, string])[] = [
    ['no JSON', '<html>'],
    ['no list', '{"data": 7}'],
    ['wrong entries', '{"data": [null, 7, {"id": 7}, {"id": ""}, {"id": "a\\u0000b"}]}'],
  ];
  for (const [name, body] of broken) {
    test(`are left out if the list is ${name}`, async (context) => {
      const { origin } = await startHttpServer(context, (_request, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(body);
      });
      const gateway = createGateway({ providers: [{ ...provider('a'), baseUrl: `${origin}/v1`, model: 'own' }] });
      context.after(() => gateway.close());
      assert.deepEqual(idsOf(await gateway.modelListings()), ['a/own']);
    });
  }
});

describe('/v1/messages/count_tokens', () => {
  const body = { messages: [{ role: 'user', content: 'Hello, world' }], system: 'Be brief.' };

  test('asks a provider that counts, and estimates for others', async (context) => {
    const simulated = await startSimulated(context);
    const { post } = await startGateway(context, simulated.url);
    const counted = await post('/v1/messages/count_tokens', { model: 'anthropic/claude-x', ...body });
    assert.equal(counted.headers.get('x-simple-agents-count'), 'provider');
    assert.ok(((await counted.json()) as { input_tokens: number }).input_tokens > 0);
    assert.equal(simulated.requests.at(-1)?.path, '/v1/messages/count_tokens');
    const estimated = await post('/v1/messages/count_tokens', { model: 'openai/m', ...body });
    assert.equal(estimated.headers.get('x-simple-agents-count'), 'estimate');
    assert.equal(simulated.requests.length, 1);
  });

  test('estimates if the provider fails or is dead', async (context) => {
    const { post } = await startGateway(context, 'http://127.0.0.1:9');
    const response = await post('/v1/messages/count_tokens', { model: 'anthropic/claude-x', ...body });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-simple-agents-count'), 'estimate');
  });
});
