// Limits of a server, over real sockets: no body is read before authentication, the number of connections is bounded,
// and so is the memory of all bodies, which is released however a request ends.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { parseScript } from '../../src/testing/model/script.ts';
import { ask, openSocket, startBoth, type GatewayTestOptions } from '../support/gateway-server.ts';
import { until } from '../support/until.ts';

const chat = '/v1/chat/completions';
const key = 'a-key-of-the-gateway';
const keys = [hash('sha256', key, 'hex')];
const megabyte = 1024 * 1024;

class Client {
  received = '';
  readonly socket: Socket;
  readonly closed: Promise<unknown>;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => (this.received += data.toString()));
  }

  static async open(context: TestContext, url: string): Promise<Client> {
    const socket = await openSocket(url);
    context.after(() => socket.destroy());
    return new Client(socket);
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (?:100 Continue\r\n\r\nHTTP\/1\.1 )?(\d+)/.exec(this.received)?.[1] ?? 0);
  }

  send(...lines: string[]): void {
    this.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  }

  async answered(): Promise<number> {
    while (this.status === 0 || this.status === 100) {
      assert.equal(this.socket.destroyed, false, 'closed without an answer');
      await sleep(2);
    }
    return this.status;
  }
}

const heads: Readonly<Record<string, readonly [head: readonly string[], status: number]>> = {
  'no key': [[`POST ${chat} HTTP/1.1`, 'host: localhost'], 401],
  'a wrong key': [[`POST ${chat} HTTP/1.1`, 'host: localhost', 'x-api-key: wrong'], 401],
  'no key for the chat': [['POST /api/chat/stream HTTP/1.1', 'host: localhost'], 401],
  'another host': [[`POST ${chat} HTTP/1.1`, 'host: evil.example.com', `x-api-key: ${key}`], 403],
  'another origin': [
    [`POST ${chat} HTTP/1.1`, 'host: localhost', 'origin: https://evil.com', `x-api-key: ${key}`],
    403,
  ],
  'no such route': [['POST /v1/nothing HTTP/1.1', 'host: localhost', `x-api-key: ${key}`], 404],
  'another method': [[`PUT ${chat} HTTP/1.1`, 'host: localhost', `x-api-key: ${key}`], 405],
};

describe('a body is not read', () => {
  const forms = { 'a length': 'content-length: 30000000', 'chunks': 'transfer-encoding: chunked' } as const;
  for (const [name, [head, status]] of Object.entries(heads)) {
    for (const [form, length] of Object.entries(forms)) {
      test(`${name}, with ${form}: the response comes without a byte of it, and the connection ends`, async (context) => {
        const { url } = await startBoth(context, undefined, { keys });
        for (const expect of [[], ['expect: 100-continue']]) {
          const client = await Client.open(context, url);
          client.send(...head, 'content-type: application/json', length, ...expect);
          assert.equal(await client.answered(), status);
          assert.match(client.received, /^connection: close/im);
          assert.doesNotMatch(client.received, /100 Continue/);
          await client.closed;
        }
      });
    }
  }

  test('a client with a valid key gets 100 Continue and a response', async (context) => {
    const { url } = await startBoth(context, undefined, { keys });
    const client = await Client.open(context, url);
    const body = JSON.stringify(ask('openai/m', 'Count to 3'));
    const length = `content-length: ${body.length}`;
    const type = 'content-type: application/json';
    client.send(`POST ${chat} HTTP/1.1`, 'host: localhost', `x-api-key: ${key}`, type, length, 'expect: 100-continue');
    while (!client.received.includes('100 Continue')) await sleep(2);
    client.socket.write(body);
    assert.equal(await client.answered(), 200);
  });

  test('a small rejected body does not close the connection', async (context) => {
    const { url } = await startBoth(context, undefined, { keys });
    const client = await Client.open(context, url);
    for (let count = 0; count < 2; count++) {
      client.received = '';
      client.socket.write(`POST ${chat} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`);
      assert.equal(await client.answered(), 401);
    }
  });
});

async function start(context: TestContext, options: GatewayTestOptions = {}, script?: Parameters<typeof startBoth>[1]) {
  const gateway = await startBoth(context, script, { maxBodyMemory: megabyte, ...options });
  const held = async (): Promise<number> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return Number(/^simple_agents_body_bytes (\d+)$/m.exec(text)?.[1]);
  };
  const becomes = async (wanted: (bytes: number) => boolean): Promise<void> => {
    while (!wanted(await held())) await sleep(5);
  };
  return { ...gateway, held, becomes, isReleased: () => becomes((bytes) => bytes === 0) };
}

const type = 'content-type: application/json';
const half = 400_000;

/** Sends `sent` bytes of a body that is twice as long. */
function sendPart(client: Client, form: 'length' | 'chunks', sent = half): void {
  const text = `"${'x'.repeat(sent - 1)}`;
  const isChunked = form === 'chunks';
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${2 * sent}`;
  client.send(`POST ${chat} HTTP/1.1`, 'host: localhost', type, length);
  client.socket.write(isChunked ? `${text.length.toString(16)}\r\n${text}\r\n` : text);
}

const bad = (text: string) => (url: string) =>
  fetch(url + chat, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });

describe('the memory for bodies', { timeout: 60_000 }, () => {
  for (const form of ['length', 'chunks'] as const) {
    test(`is bounded for all requests together, with ${form}`, async (context) => {
      const gateway = await start(context);
      const clients: Client[] = [];
      for (let count = 0; count < 10; count++) clients.push(await Client.open(context, gateway.url));
      for (const client of clients) sendPart(client, form);
      while (clients.filter(({ status }) => status === 503).length < 8) {
        assert.ok((await gateway.held()) <= megabyte);
        await sleep(5);
      }
      const refused = clients.find(({ status }) => status === 503);
      assert.match(refused?.received ?? '', /^retry-after: 1/im);
      assert.match(refused?.received ?? '', /"type":"overloaded|overloaded/);
      assert.equal((await gateway.post(chat, ask('openai/m', 'Count to 3'))).status, 200);
      for (const { socket } of clients) socket.destroy();
      await gateway.isReleased();
    });
  }

  test('is not used by a length that is only announced', async (context) => {
    const gateway = await start(context);
    for (let count = 0; count < 20; count++) {
      const client = await Client.open(context, gateway.url);
      client.send(`POST ${chat} HTTP/1.1`, 'host: localhost', type, 'content-length: 1000000');
    }
    assert.equal(await gateway.held(), 0);
    assert.equal((await gateway.post(chat, ask('openai/m', 'x'.repeat(500_000)))).status, 200);
  });

  test('is held until the response begins, and not for the rest of it', async (context) => {
    const script = parseScript({
      otherwise: 'reply',
      replies: [{ times: 9, text: 'one two three four five', delayMs: 300, fault: { slow: 300 } }],
    });
    const gateway = await start(context, {}, script);
    const asked = gateway.post(chat, ask('openai/m', 'x'.repeat(half), { stream: true }));
    await gateway.becomes((bytes) => bytes > half);
    const response = await asked;
    await response.body?.getReader().read();
    await gateway.isReleased();
  });

  const endings: Readonly<Record<string, (url: string, context: TestContext) => Promise<unknown>>> = {
    'is answered': (url) => bad(JSON.stringify(ask('openai/m', 'x'.repeat(half))))(url),
    'is not JSON': bad('x'.repeat(half)),
    'is not a request': bad(JSON.stringify('x'.repeat(half))),
    'names no model there is': (url) => bad(JSON.stringify(ask('nobody/m', 'x'.repeat(half))))(url),
    'is too large': async (url, context) => {
      const client = await Client.open(context, url);
      sendPart(client, 'chunks', 900_000);
      client.socket.write(`30d40\r\n${'x'.repeat(200_000)}\r\n`);
      assert.equal(await client.answered(), 413);
    },
    'is left in the middle': async (url, context) => {
      const client = await Client.open(context, url);
      sendPart(client, 'length');
      await sleep(50);
      client.socket.destroy();
    },
    'takes too long to arrive': async (url, context) => {
      const client = await Client.open(context, url);
      sendPart(client, 'length');
      assert.equal(await client.answered(), 408);
    },
  };
  for (const [name, end] of Object.entries(endings)) {
    test(`is released when a body ${name}`, async (context) => {
      const gateway = await start(context, name === 'takes too long to arrive' ? { requestTimeout: 1000 } : {});
      await end(gateway.url, context);
      await gateway.isReleased();
    });
  }

  test('is released when the client disconnects during the call', async (context) => {
    const script = parseScript({ otherwise: 'reply', replies: [{ times: 9, text: 'x', delayMs: 20_000 }] });
    const gateway = await start(context, {}, script);
    const leaving = new AbortController();
    const asked = fetch(gateway.url + chat, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ask('openai/m', 'x'.repeat(half))),
      signal: leaving.signal,
    });
    await gateway.becomes((bytes) => bytes > half);
    leaving.abort();
    await assert.rejects(asked);
    await gateway.isReleased();
  });

  test('has room for the copies of a long body, or for a single body', async (context) => {
    const script = parseScript({ otherwise: 'reply', replies: [{ times: 9, text: 'x', delayMs: 500 }] });
    const gateway = await start(context, { maxBodyMemory: 4 * megabyte }, script);
    const long = () => gateway.post(chat, ask('openai/m', 'x'.repeat(1_500_000)));
    const first = long();
    await gateway.becomes((bytes) => bytes > 4_000_000);
    const second = await long();
    assert.deepEqual([second.status, second.headers.get('retry-after')], [503, '1']);
    assert.equal((await first).status, 200);
    await gateway.isReleased();
    assert.equal((await gateway.post(chat, ask('openai/m', 'x'.repeat(3_000_000)))).status, 200);
  });

  test('is the limit of one body if it is smaller', async (context) => {
    const gateway = await start(context);
    const client = await Client.open(context, gateway.url);
    client.send(`POST ${chat} HTTP/1.1`, 'host: localhost', type, `content-length: ${2 * megabyte}`);
    assert.equal(await client.answered(), 413);
  });
});

/** Chat messages with this many values in all, as a body. */
function dense(values: number): string {
  const message = '{"role":"user","content":"a"}';
  const count = Math.floor((values * 0.98) / 5.25);
  return `{"model":"openai/m","messages":[${Array.from({ length: count }, () => message).join(',')}]}`;
}

describe('the values of a body', { timeout: 60_000 }, () => {
  const doors = [
    chat,
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/responses',
    '/v1/responses/input_tokens',
    '/v1/responses/compact',
    '/v1/completions',
    '/v1/embeddings',
    '/v1/heal',
    '/v1/moderations',
    '/v1/conversations',
    '/v1beta/models/m:generateContent',
    '/v1beta/models/m:countTokens',
    '/api/chat/stream',
  ];
  for (const door of doors) {
    test(`are limited at ${door}`, async (context) => {
      const gateway = await startBoth(context, undefined, { maxBodyValues: 1000 });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(gateway.url + door, { method: 'POST', headers, body: dense(1100) });
      assert.equal(response.status, 413);
      assert.match(await response.text(), /more than 1000 objects, arrays and texts \(max_body_values\)/);
    });
  }

  test('are counted while they arrive, and the client may still send the rest', async (context) => {
    const gateway = await start(context, { maxBodyMemory: 64 * megabyte, maxBodyValues: 1000 });
    const client = await Client.open(context, gateway.url);
    client.send(`POST ${chat} HTTP/1.1`, 'host: localhost', type, 'content-length: 20000000');
    client.socket.write('['.padEnd(6000, '{},'));
    assert.equal(await client.answered(), 413);
    assert.match(client.received, /^connection: close/im);
    await gateway.isReleased();
    const written = Promise.withResolvers<unknown>();
    client.socket.write('{},'.repeat(6_664_666), written.resolve);
    assert.equal((await written.promise) ?? undefined, undefined);
    client.socket.write('[]');
    await client.closed;
  });

  test('below the limit arrive, in steps', async (context) => {
    const gateway = await start(context, { maxBodyMemory: 64 * megabyte });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(gateway.url + chat, { method: 'POST', headers, body: dense(90_000) });
    assert.equal(response.status, 200);
    const { body } = gateway.upstream.requests.at(-1) as { body: { messages: unknown[] } };
    assert.equal(body.messages.length, 16_800);
    await gateway.isReleased();
  });

  test('count in the memory for bodies', async (context) => {
    const script = parseScript({ otherwise: 'reply', replies: [{ times: 9, text: 'x', delayMs: 20_000 }] });
    const gateway = await start(context, { maxBodyMemory: 4 * megabyte }, script);
    const leaving = new AbortController();
    const post = () =>
      fetch(gateway.url + chat, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: dense(10_000),
        signal: leaving.signal,
      });
    const first = post().catch(() => undefined);
    await gateway.becomes((bytes) => bytes > 2_500_000);
    assert.equal((await post()).status, 503);
    leaving.abort();
    await first;
  });

  test('of a text to heal are limited, whichever quotes it has', async (context) => {
    const gateway = await startBoth(context, undefined, { maxBodyValues: 1000 });
    for (const text of ['{},'.repeat(1001), `"${'[],'.repeat(1001)}`, "'a',".repeat(1001)]) {
      const response = await gateway.post('/v1/heal', { text });
      assert.equal(response.status, 413, text.slice(0, 10));
      assert.match(await response.text(), /text: has more than 1000/);
    }
    assert.equal((await gateway.post('/v1/heal', { text: '{a: 1}' })).status, 200);
  });
});

describe('two keys', { timeout: 60_000 }, () => {
  test('share the memory for bodies: one leaves room for the other', async (context) => {
    const both = ['greedy', 'polite'].map((name) => ({
      name,
      hash: hash('sha256', name, 'hex'),
      scopes: ['call'] as const,
    }));
    const gateway = await start(context, { maxBodyMemory: 4 * megabyte, keys: both });
    const open = async (name: string, bytes: number): Promise<Client> => {
      const client = await Client.open(context, gateway.url);
      client.send(
        `POST ${chat} HTTP/1.1`,
        'host: localhost',
        type,
        `x-api-key: ${name}`,
        `content-length: ${bytes + 1}`,
      );
      client.socket.write(`"${'x'.repeat(bytes - 1)}`);
      return client;
    };
    const greedy: Client[] = [];
    for (let count = 0; count < 6; count++) greedy.push(await open('greedy', 900_000));
    const refused = () => greedy.filter(({ status }) => status === 503).length;
    while (refused() < 3) await sleep(5);
    const polite = await open('polite', 900_000);
    polite.socket.write('"');
    assert.equal(await polite.answered(), 400);
  });
});

const get = (client: Client, path: string): void => client.send(`GET ${path} HTTP/1.1`, 'host: localhost');

describe('connections', { timeout: 60_000 }, () => {
  test('beyond the limit get 503 until one is closed; the health check still works', async (context) => {
    const { url } = await startBoth(context, undefined, { maxConnections: 3 });
    const clients: Client[] = [];
    for (let count = 0; count < 3; count++) clients.push(await Client.open(context, url));
    for (const client of clients) get(client, '/v1/models');
    for (const client of clients) assert.equal(await client.answered(), 200);
    for (const [path, status] of [
      ['/v1/models', 503],
      ['/health', 200],
    ] as const) {
      const over = await Client.open(context, url);
      get(over, path);
      assert.equal(await over.answered(), status);
      if (status === 503)
        assert.match(over.received, /^retry-after: 1[^]*"message":"the server has too many open connections/im);
      over.socket.destroy();
      await over.closed;
    }
    clients[0]?.socket.destroy();
    await clients[0]?.closed;
    let status = 0;
    while (status !== 200) {
      const next = await Client.open(context, url);
      get(next, '/v1/models');
      status = await next.answered();
      next.socket.destroy();
    }
    get(clients[1] as Client, '/v1/models');
    await until(() => clients[1]?.received.match(/HTTP\/1\.1 200/g)?.length === 2);
  });

  test('beyond the limit that send nothing are closed', async (context) => {
    const { url } = await startBoth(context, undefined, { maxConnections: 1 });
    const first = await Client.open(context, url);
    const others = await Promise.all(Array.from({ length: 20 }, () => Client.open(context, url)));
    await Promise.all(others.map(({ closed }) => closed));
    get(first, '/health');
    assert.equal(await first.answered(), 200);
  });
});
