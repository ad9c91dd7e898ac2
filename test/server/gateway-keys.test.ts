// Keys of the gateway over real HTTP: scopes, names in logs and metrics, isolation between keys, and wrong keys.
// Responses for one key are never given to another.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { parseScript } from '../../src/testing/model/script.ts';
import type { GatewayKey, KeyScope } from '../../src/server/server.ts';
import { ask, startBoth, type GatewayTestOptions } from '../support/gateway-server.ts';

const keyNamed = (name: string, ...scopes: KeyScope[]): GatewayKey => ({
  name,
  hash: hash('sha256', `secret-of-${name}`, 'hex'),
  scopes,
});
const as = (name: string): Record<string, string> => ({ authorization: `Bearer secret-of-${name}` });

const keys = [keyNamed('alice', 'call'), keyNamed('bob', 'call'), keyNamed('prometheus', 'metrics')];
const chat = '/v1/chat/completions';

class Lines {
  readonly records: Readonly<Record<string, unknown>>[] = [];
  readonly #add = (record: object): void => void this.records.push(record as Readonly<Record<string, unknown>>);
  readonly logger = { debug: () => undefined, info: this.#add, warn: this.#add, error: this.#add };

  ofType(type: string) {
    return this.records.filter((record) => record['type'] === type);
  }
}

async function start(context: TestContext, options: GatewayTestOptions = {}, script?: Parameters<typeof startBoth>[1]) {
  const lines = new Lines();
  const gateway = await startBoth(context, script, { keys, logger: lines.logger, ...options });
  const metrics = async () => (await fetch(`${gateway.url}/metrics`, { headers: as('prometheus') })).text();
  return { ...gateway, lines, metrics };
}

const outcome = async (response: Promise<Response>) => (await response).headers.get('x-simple-agents-cache');

describe('scopes', () => {
  test('decide which routes a key may use', async (context) => {
    const gateway = await start(context);
    const status = async (path: string, name: string, method = 'GET') =>
      (await fetch(gateway.url + path, { method, headers: as(name) })).status;
    assert.equal(await status('/v1/models', 'alice'), 200);
    assert.equal(await status('/metrics', 'prometheus'), 200);
    assert.equal(await status('/metrics', 'alice'), 403);
    for (const path of [chat, '/v1/messages', '/v1/messages/count_tokens', '/v1/heal', '/api/chat/stream']) {
      assert.equal(await status(path, 'prometheus', 'POST'), 403, path);
    }
    assert.equal(await status('/v1/models', 'prometheus'), 403);
    assert.equal((await fetch(`${gateway.url}/metrics`)).status, 401);
    const refused = await fetch(`${gateway.url}/metrics`, { headers: as('alice') });
    assert.match(await refused.text(), /the key \\"alice\\" does not have the scope \\"metrics\\"/);
  });

  test('are complete for a key given by its hash only', async (context) => {
    const { url } = await startBoth(context, undefined, { keys: [hash('sha256', 'secret-of-old', 'hex')] });
    for (const path of ['/metrics', '/v1/models']) {
      assert.equal((await fetch(url + path, { headers: as('old') })).status, 200);
    }
  });
});

test('two different valid keys in one request are rejected', async (context) => {
  const gateway = await start(context);
  const both = { ...as('alice'), 'x-api-key': 'secret-of-bob' };
  assert.equal((await gateway.post(chat, ask('openai/m', 'Hi'), both)).status, 401);
});

test('calls in log and metrics have the name of their key, never the key', async (context) => {
  const gateway = await start(context, { models: () => [{ id: 'openai/m', provider: 'openai' }] });
  await gateway.post(chat, ask('openai/m', 'Count to 3'), as('alice'));
  await gateway.post('/api/chat/stream', { messages: [{ role: 'user', content: 'Hi' }] }, as('bob'));
  assert.deepEqual(
    gateway.lines.ofType('call').map(({ key }) => key),
    ['alice', 'bob'],
  );
  assert.equal(gateway.lines.ofType('chat')[0]?.['user'], 'bob');
  const text = await gateway.metrics();
  assert.match(text, /calls_total\{key="alice",model="openai\/m",target="openai\/m",outcome="complete"\} 1/);
  assert.match(text, /tokens_total\{key="alice",target="openai\/m",kind="input"\} \d/);
  assert.doesNotMatch(text + JSON.stringify(gateway.lines.records), /secret-of|[0-9a-f]{64}/);
});

describe('invented model names', () => {
  test('are not used as metrics labels', async (context) => {
    const gateway = await start(context, { models: () => [{ id: 'openai/m', provider: 'openai' }] });
    for (let index = 0; index < 30; index++) {
      await gateway.post(chat, ask(`openai/made-up-${index}`, 'Hi'), as('alice'));
      await gateway.post(chat, ask(`made-up-${index}/x`, 'Hi'), as('alice'));
    }
    await gateway.post(chat, ask('openai/m', 'Hi'), as('alice'));
    const text = await gateway.metrics();
    assert.doesNotMatch(text, /made-up/);
    assert.match(text, /calls_total\{key="alice",model="other",target="other",outcome="complete"\} 30/);
    assert.match(text, /model="openai\/m",target="openai\/m"/);
  });

  test('do not fill the log', async (context) => {
    const gateway = await start(context);
    await gateway.post(chat, ask(`openai/${'x'.repeat(100_000)}`, 'Hi'), as('alice'));
    assert.ok(JSON.stringify(gateway.lines.ofType('call')).length < 2000);
  });
});

describe('responses', () => {
  const cached = { gateway: { cache: { enabled: true } } };

  for (const path of [chat, '/v1/messages']) {
    test(`${path}: cached for one key are not given to another`, async (context) => {
      const gateway = await start(context, cached);
      const send = (name: string) => outcome(gateway.post(path, ask('openai/m', 'Count to 3'), as(name)));
      assert.equal(await send('alice'), 'miss');
      while ((await send('alice')) !== 'hit') await sleep(1);
      assert.equal(await send('bob'), 'miss');
    });
  }

  test('in progress are not shared with another key', async (context) => {
    const script = parseScript({
      otherwise: 'reply',
      replies: [{ times: 9, text: 'one two three', fault: { slow: 50 } }],
    });
    const gateway = await start(context, cached, script);
    const body = ask('openai/m', 'go', { stream: true });
    const alice = await gateway.post(chat, body, as('alice'));
    const [again, bob] = await Promise.all([
      outcome(gateway.post(chat, body, as('alice'))),
      outcome(gateway.post(chat, body, as('bob'))),
    ]);
    assert.deepEqual([again, bob], ['shared', 'miss']);
    await alice.text();
    assert.equal(gateway.upstream.requests.length, 2);
  });

  test('are shared between keys with share = true', async (context) => {
    const gateway = await start(context, { gateway: { cache: { enabled: true, share: true } } });
    const send = (name: string) => outcome(gateway.post(chat, ask('openai/m', 'Count to 3'), as(name)));
    assert.equal(await send('alice'), 'miss');
    while ((await send('alice')) !== 'hit') await sleep(1);
    assert.equal(await send('bob'), 'hit');
  });

  test('of the chat are cached for each user', async (context) => {
    const users = { authenticate: (request: Request) => ({ id: request.headers.get('x-user') ?? '' }) };
    const gateway = await start(context, { ...cached, ...users, chat: { model: 'openai/m' } });
    const asked = { messages: [{ role: 'user', content: 'Count to 3' }] };
    const send = async (user: string) => {
      await (await gateway.post('/api/chat/stream', asked, { 'x-user': user })).text();
      return gateway.upstream.requests.length;
    };
    const first = await send('ada');
    await sleep(50);
    assert.equal(await send('ada'), first);
    assert.ok((await send('eve')) > first);
  });
});

describe('wrong keys', () => {
  test('are throttled and logged, and a valid key from the same address works at once', async (context) => {
    const gateway = await start(context);
    const body = ask('openai/m', 'Hi');
    const statuses: number[] = [];
    for (let index = 0; index < 25; index++) {
      const response = await gateway.post(chat, body, { authorization: `Bearer wrong-${index}` });
      statuses.push(response.status);
      if (response.status === 429) assert.ok(Number(response.headers.get('retry-after')) > 0);
      assert.equal((await gateway.post(chat, body, as('alice'))).status, 200);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), ...Array.from({ length: 15 }, () => 429)]);
    const lines = gateway.lines.ofType('wrong-key');
    assert.deepEqual(
      lines.map(({ count }) => count),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16],
    );
    assert.equal(lines[0]?.['address'], '127.0.0.1');
    assert.doesNotMatch(JSON.stringify(gateway.lines.records), /wrong-\d|secret-of/);
    const text = await gateway.metrics();
    assert.match(text, /auth_failures_total\{reason="wrong"\} 10/);
    assert.match(text, /auth_failures_total\{reason="throttled"\} 15/);
  });

  test('are counted on the page and on the chat route too; a missing key is not', async (context) => {
    const gateway = await start(context);
    const wrong = { authorization: 'Bearer wrong' };
    assert.equal((await fetch(gateway.url, { headers: wrong })).status, 401);
    assert.equal((await gateway.post('/api/chat/stream', {}, wrong)).status, 401);
    for (let index = 0; index < 20; index++) assert.equal((await gateway.post(chat, {})).status, 401);
    assert.equal(gateway.lines.ofType('wrong-key').length, 2);
    assert.equal((await fetch(gateway.url)).status, 200);
  });
});
