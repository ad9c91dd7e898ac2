// The ids of responses, from request to request: a follow-up returns to the provider that has the conversation, and an id
// of another key, a forged id and an id of a removed provider are refused.

import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';

import * as openai from 'openai';

import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import { allUpstreamWires, startBoth, startGateway, startSimulated } from '../support/gateway-server.ts';

const signingKey = randomBytes(32);
const failing = parseScript({ replies: [{ match: { contains: '' }, fault: { status: 503 } }] });

function isRefused(message: RegExp): (error: openai.APIError) => boolean {
  return (error) => {
    assert.deepEqual(
      [error.status, error.code, error.param],
      [400, 'previous_response_not_found', 'previous_response_id'],
    );
    assert.match(error.message, message);
    return true;
  };
}

function follow(client: openai.OpenAI, model: string, id: string): Promise<openai.OpenAI.Responses.Response> {
  return client.responses.create({ model, input: 'And then?', 'previous_response_id': id });
}

/** A provider of the Responses wire. */
function providerAt(name: string, origin: string): ProviderSettings {
  return { name, type: 'openai', wire: 'openai-responses', apiKey: 'k', baseUrl: `${origin}/v1` };
}

for (const wire of allUpstreamWires) {
  describe(`a follow-up at an upstream of ${wire}`, () => {
    const model = `${wire}/simulated`;

    test('by another key is refused', async (context) => {
      const keys = ['first-key-0123456789', 'second-key-0123456789'];
      const gateway = await startBoth(context, undefined, { keys: keys.map((key) => hash('sha256', key)) });
      const [first, second] = keys.map(
        (apiKey) => new openai.OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
      ) as [openai.OpenAI, openai.OpenAI];
      const { id } = await first.responses.create({ model, input: 'Hello' });
      await follow(first, model, id);
      const count = gateway.upstream.requests.length;
      await assert.rejects(follow(second, model, id), isRefused(/belongs to another key/));
      for (const attempt of [second.responses.retrieve(id), second.responses.delete(id), second.responses.cancel(id)]) {
        await assert.rejects(attempt, { status: 404, message: /belongs to another key/ });
      }
      assert.equal(gateway.upstream.requests.length, count);
    });

    test('with a forged id is refused', async (context) => {
      const { openai: client, upstream } = await startBoth(context);
      const { id } = await client.responses.create({ model, input: 'Hello' });
      const count = upstream.requests.length;
      const other = id.at(-5) === 'A' ? 'B' : 'A';
      for (const forged of ['resp_0123', id.slice(0, -1), `${id.slice(0, -5)}${other}${id.slice(-4)}`, `${id}A`]) {
        await assert.rejects(follow(client, model, forged), isRefused(/was not created by this gateway/));
        await assert.rejects(client.responses.retrieve(forged), {
          status: 404,
          message: /not created by this gateway/,
        });
      }
      assert.equal(upstream.requests.length, count);
    });

    test('whose provider was removed is refused', async (context) => {
      const upstream = await startSimulated(context);
      const before = await startGateway(context, upstream.url, { signingKey });
      const { id } = await before.openai.responses.create({ model, input: 'Hello' });
      const providers = [providerAt('another', upstream.url)];
      const after = await startGateway(context, upstream.url, { signingKey, gateway: { providers } });
      const expected = new RegExp(`was created by ${wire}/simulated, which is no longer configured`);
      await assert.rejects(follow(after.openai, 'another/simulated', id), isRefused(expected));
    });

    test('after store: false is refused', async (context) => {
      const { openai: client } = await startBoth(context);
      const { id } = await client.responses.create({ model, input: 'Hello', store: false });
      await assert.rejects(
        follow(client, model, id),
        isRefused(/not found; the gateway stores responses for one hour/),
      );
    });
  });
}

async function twoProviders(context: TestContext) {
  const upstreams = [await startSimulated(context), await startSimulated(context)] as const;
  const providers = upstreams.map(({ url }, index) => providerAt(`p${index + 1}`, url));
  const aliases = { smart: { targets: ['p1/m', 'p2/m'] } };
  const start = () => startGateway(context, '', { signingKey, gateway: { providers, aliases } });
  return { upstreams, start, gateway: await start() };
}

describe('a follow-up at several providers', () => {
  test('returns to the one that has the conversation, also from another replica', async (context) => {
    const { upstreams, start, gateway } = await twoProviders(context);
    const [first, second] = upstreams;
    first.playScript(failing);
    const { id } = await gateway.openai.responses.create({ model: 'smart', input: 'Hello' });
    first.playScript(undefined);
    const count = first.requests.length;
    for (const { openai: client } of [gateway, await start()]) {
      const stream = client.responses.stream({ model: 'smart', input: 'And then?', previous_response_id: id });
      const next = await stream.finalResponse();
      assert.equal(next.previous_response_id, id);
      const sent = second.requests.at(-1)?.body as { previous_response_id?: string; input?: unknown };
      assert.match(sent.previous_response_id ?? '', /^resp_/);
      assert.notEqual(sent.previous_response_id, id);
    }
    assert.equal(first.requests.length, count);
  });

  test('is continued elsewhere from the copy of the gateway if that one fails', async (context) => {
    const { upstreams, start, gateway } = await twoProviders(context);
    const [first, second] = upstreams;
    const { id } = await gateway.openai.responses.create({ model: 'smart', input: 'Count to 2' });
    first.playScript(failing);
    const next = await follow(gateway.openai, 'smart', id);
    assert.equal(next.previous_response_id, id);
    const sent = JSON.stringify(second.requests.at(-1)?.body);
    for (const part of ['Count to 2', '1, 2', 'And then?']) assert.ok(sent.includes(part), part);
    const { openai: other } = await start();
    await assert.rejects(follow(other, 'smart', id), { status: 503 });
  });

  test('is refused for a model that its provider does not serve', async (context) => {
    const { start, gateway } = await twoProviders(context);
    const { id } = await gateway.openai.responses.create({ model: 'p1/m', input: 'Hello' });
    const { openai: other } = await start();
    await assert.rejects(follow(other, 'p2/m', id), { status: 400, message: /a response of the provider "p1"/ });
  });
});
