// What the gateway rejects: missing and wrong keys, other host names, requests of other pages, ambiguous or oversized
// requests. Each check has a test that fails without it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { request as sendRequest } from 'node:http';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { createServer } from '../../src/server/server.ts';
import { failsWith } from '../support/fails-with.ts';
import { ask, exchangeRaw, openSocket, startBoth } from '../support/gateway-server.ts';

const key = 'a-key-of-the-gateway';
const keys = [createHash('sha256').update('another').digest('hex'), createHash('sha256').update(key).digest('hex')];
const chat = '/v1/chat/completions';
const body = ask('openai/m', 'Count to 3');

const models = () => [{ id: 'secret-model', provider: 'openai' }];

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

const send = (url: string, content: string | Uint8Array, headers: Record<string, string>) =>
  fetch(url + chat, { method: 'POST', headers, body: content as never });

describe('keys', () => {
  test('are accepted as a bearer token or as x-api-key', async (context) => {
    const gateway = await startBoth(context, undefined, { keys });
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { authorization: `bearer ${key}` },
    ]) {
      assert.equal((await gateway.post(chat, body, headers)).status, 200);
    }
  });

  const wrong: Readonly<Record<string, Record<string, string>>> = {
    'none': {},
    'another': { authorization: 'Bearer wrong' },
    'an empty one': { authorization: 'Bearer ' },
    'another scheme': { authorization: `Basic ${key}` },
    'its digest': { authorization: `Bearer ${keys[1]}` },
    'a right and a wrong one': { 'authorization': `Bearer ${key}`, 'x-api-key': 'wrong' },
    'with more behind it': { 'x-api-key': `${key} x` },
    'a prefix of it': { 'x-api-key': key.slice(0, -1) },
  };
  for (const [name, headers] of Object.entries(wrong)) {
    test(`are rejected: ${name}`, async (context) => {
      const gateway = await startBoth(context, undefined, { keys });
      for (const [path, method] of [
        [chat, 'POST'],
        ['/v1/messages', 'POST'],
        ['/v1/models', 'GET'],
        ['/metrics', 'GET'],
        ['/v1/heal', 'POST'],
      ] as const) {
        const response = await fetch(gateway.url + path, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          ...(method === 'POST' ? { body: '{' } : {}),
        });
        assert.equal(response.status, 401, path);
        assert.doesNotMatch(await response.text(), /a-key-of|wrong/);
      }
      assert.equal(gateway.upstream.requests.length, 0);
    });
  }

  test('are not needed for health and for the page, which contains no models', async (context) => {
    const gateway = await startBoth(context, undefined, { keys, models });
    assert.equal((await fetch(`${gateway.url}/health`)).status, 200);
    assert.equal((await fetch(`${gateway.url}/ready`)).status, 200);
    assert.doesNotMatch(await (await fetch(gateway.url)).text(), /secret-model/);
    assert.equal((await fetch(`${gateway.url}/v1/models`)).status, 401);
  });

  test('may change while it runs, and invalid ones change nothing', async (context) => {
    const gateway = await startBoth(context, undefined, { keys });
    const status = async () => (await gateway.post(chat, body, { 'x-api-key': key })).status;
    assert.equal(await status(), 200);
    assert.throws(() => gateway.server.update({ keys: ['not a digest'] }), failsWith('configuration', /SHA-256/));
    assert.equal(await status(), 200);
    gateway.server.update({ keys: keys.slice(0, 1) });
    assert.equal(await status(), 401);
  });

  test('are required if other machines can reach the server', async () => {
    const provider = createSimulatedProvider();
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
      const server = createServer({ provider, port: 0, host });
      await assert.rejects(server.listen(), failsWith('configuration', /can be reached from other machines/));
    }
    const server = createServer({ provider, port: 0, host: '0.0.0.0', keys });
    const url = await server.listen();
    const { port } = new URL(url);
    assert.equal((await fetch(`http://127.0.0.1:${port}/v1/models`)).status, 401);
    assert.throws(() => server.update({ keys: [] }), failsWith('configuration', /no keys/));
    await server.close();
  });
});

describe('host names', () => {
  const hosts: Readonly<Record<string, number>> = {
    'localhost': 200,
    'LOCALHOST:1234': 200,
    '127.0.0.1': 200,
    '[::1]:80': 200,
    'evil.example.com': 403,
    'localhost.evil.com': 403,
    '127.0.0.1.evil.com': 403,
    '0.0.0.0': 403,
    '': 400,
    'localhost:': 400,
    'user@localhost': 400,
    'localhost/path': 400,
    'local host': 400,
    '[::1': 400,
  };
  for (const [host, status] of Object.entries(hosts)) {
    test(`host ${JSON.stringify(host)} gives ${status}`, async (context) => {
      const { url } = await startBoth(context);
      const answer = await exchangeRaw(url, `GET /health HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      assert.equal(statusOf(answer), status);
    });
  }

  test('may be added', async (context) => {
    const { url } = await startBoth(context, undefined, { allowedHosts: ['gateway.example.com'] });
    const get = (host: string) =>
      exchangeRaw(url, `GET /health HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    assert.equal(statusOf(await get('Gateway.Example.com:443')), 200);
    assert.equal(statusOf(await get('other.example.com')), 403);
  });
});

describe('ambiguous requests', () => {
  const heads: Readonly<Record<string, string>> = {
    'no host': 'GET /health HTTP/1.1',
    'two hosts': 'GET /health HTTP/1.1\r\nhost: localhost\r\nhost: evil.com',
    'two equal hosts': 'GET /health HTTP/1.1\r\nhost: localhost\r\nHost: localhost',
    'absolute form': 'GET http://evil.com/health HTTP/1.1\r\nhost: localhost',
    'absolute form of itself': 'GET http://localhost/health HTTP/1.1\r\nhost: localhost',
    'asterisk form': 'OPTIONS * HTTP/1.1\r\nhost: localhost',
    'two keys': 'GET /v1/models HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer a\r\nauthorization: Bearer b',
    'two lengths': 'POST /v1/heal HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2',
    'a length and chunks':
      'POST /v1/heal HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked',
    'an obsolete fold': 'GET /health HTTP/1.1\r\nhost: localhost\r\nx-a: b\r\n c',
    'a space before the colon': 'GET /health HTTP/1.1\r\nhost : localhost',
    'no HTTP at all': 'hello',
  };
  for (const [name, head] of Object.entries(heads)) {
    test(`${name}: rejected`, async (context) => {
      const { url } = await startBoth(context);
      const status = statusOf(await exchangeRaw(url, `${head}\r\nconnection: close\r\n\r\n`));
      assert.ok(status >= 400 && status < 500, String(status));
    });
  }

  test('a URL that is too long, and headers that are too large', async (context) => {
    const { url } = await startBoth(context);
    const close = 'host: localhost\r\nconnection: close\r\n\r\n';
    assert.equal(statusOf(await exchangeRaw(url, `GET /${'a'.repeat(9000)} HTTP/1.1\r\n${close}`)), 414);
    assert.equal(statusOf(await exchangeRaw(url, `GET / HTTP/1.1\r\nx-a: ${'a'.repeat(40_000)}\r\n${close}`)), 431);
  });
});

describe('pages', () => {
  test('of other origins are rejected, whatever they request', async (context) => {
    const gateway = await startBoth(context);
    for (const origin of ['https://evil.com', 'null', 'http://localhost.evil.com', 'http://127.0.0.1:1', 'file://']) {
      for (const path of ['/', '/health', '/v1/models', chat]) {
        const response = await fetch(gateway.url + path, { headers: { origin } });
        assert.equal(response.status, 403, `${origin} ${path}`);
        assert.equal(response.headers.get('access-control-allow-origin'), null);
      }
      const preflight = { 'origin': origin, 'access-control-request-method': 'POST' };
      assert.equal((await fetch(gateway.url + chat, { method: 'OPTIONS', headers: preflight })).status, 403);
    }
  });

  test('that send no origin are recognized by Sec-Fetch-Site', async (context) => {
    const gateway = await startBoth(context);
    const get = (headers: Record<string, string>, path = '/health') =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = sendRequest(gateway.url + path, { headers }, (response) => {
          resolve(response.resume().statusCode);
        });
        sent.on('error', reject).end();
      });
    assert.equal(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }), 403);
    for (const site of ['cross-site', 'same-site']) {
      const link = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' };
      for (const path of [
        '/health',
        '/v1/models',
        '/v1/files',
        '/v1/files/file-1/content',
        '/api/live',
        '/assets/a.js',
      ])
        assert.equal(await get(link, path), 403, path);
      assert.equal(await get(link, '/'), 200);
      assert.equal(await get(link, '/?utm=a'), 200);
    }
    assert.equal(await get({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }), 200);
    assert.equal(await get({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }), 200);
  });

  test('of its own and of listed origins are accepted', async (context) => {
    const origin = 'https://app.example.com';
    const gateway = await startBoth(context, undefined, { corsOrigins: [origin] });
    const preflight = await fetch(gateway.url + chat, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization');
    const response = await gateway.post(chat, body, { origin });
    assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [200, origin]);
    assert.equal((await gateway.post(chat, body, { origin: gateway.url })).status, 200);
    assert.equal((await gateway.post(chat, body, { origin: `${origin}.evil.com` })).status, 403);
  });
});

describe('bodies', () => {
  const json = { 'content-type': 'application/json' };

  test('must be JSON and have its content type', async (context) => {
    const { url, upstream } = await startBoth(context);
    const text = JSON.stringify(body);
    assert.equal((await send(url, text, { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await send(url, text, { 'content-type': 'application/x-www-form-urlencoded' })).status, 415);
    assert.equal((await send(url, gzipSync(text), { ...json, 'content-encoding': 'gzip' })).status, 415);
    assert.equal((await send(url, '{', json)).status, 400);
    assert.equal((await send(url, '', json)).status, 400);
    assert.equal((await send(url, '[]', json)).status, 400);
    assert.equal((await send(url, text, { 'content-type': 'application/json; charset=utf-8' })).status, 200);
    assert.equal(upstream.requests.length, 1);
  });

  test('must not be too large, also without a content-length', async (context) => {
    const { url, upstream } = await startBoth(context, undefined, { bodyLimit: 10_000 });
    const large = JSON.stringify(ask('openai/m', 'x'.repeat(10_000)));
    const told = await send(url, large, json);
    assert.equal(told.status, 413);
    assert.match(await told.text(), /larger than 10000 bytes/);
    const chunked = await fetch(url + chat, {
      method: 'POST',
      headers: json,
      body: new Blob([large]).stream(),
      duplex: 'half',
    });
    assert.equal(chunked.status, 413);
    assert.equal(upstream.requests.length, 0);
  });

  test('must not be nested too deep', async (context) => {
    const { url } = await startBoth(context);
    for (const depth of [300, 1_000_000]) {
      const response = await send(url, `${'['.repeat(depth)}${']'.repeat(depth)}`, json);
      assert.equal(response.status, 400);
      assert.match(await response.text(), /levels deep/);
    }
  });

  test('must arrive in time', async (context) => {
    const { url } = await startBoth(context, undefined, { requestTimeout: 100 });
    const socket = await openSocket(url);
    socket.on('error', () => undefined);
    socket.write(
      `POST ${chat} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{`,
    );
    const [received] = (await once(socket, 'data')) as [Buffer];
    assert.equal(statusOf(received.toString()), 408);
    socket.destroy();
  });
});

test('an unexpected failure reveals no internals', async (context) => {
  const lines: object[] = [];
  const note = (record: object) => void lines.push(record);
  const server = createServer({
    provider: { name: 'broken', open: () => Promise.reject(new TypeError('secret path /home/x')) },
    port: 0,
    drain: 0,
    logger: { debug: note, info: note, warn: note, error: note },
  });
  const url = await server.listen();
  context.after(() => server.close());
  const response = await fetch(url + chat, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 500);
  assert.match(await response.text(), /internal error; see the log of the gateway/);
  assert.match(JSON.stringify(lines), /secret path/);
});
