// The WebSocket mode of the Responses wire: the same events as over HTTP, one response at a time, and the same checks
// before a connection is accepted.

import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { parseScript } from '../../src/testing/model/script.ts';
import {
  allUpstreamWires,
  exchangeRaw,
  openSocket,
  startBoth,
  startGateway,
  type GatewayTestOptions,
} from '../support/gateway-server.ts';
import { readRequest, startHttpServer } from '../support/server.ts';
import { openSocketClient, textOf } from '../support/socket-client.ts';
import { frame } from '../support/upstream.ts';

const key = 'the-gateway-key-0123456789';
const otherKey = 'another-gateway-key-0123456789';

async function open(context: TestContext, options?: GatewayTestOptions) {
  const gateway = await startBoth(context, undefined, options);
  return { ...gateway, client: await openSocketClient(context, gateway.url) };
}

for (const wire of allUpstreamWires) {
  const model = `${wire}/simulated`;

  describe(`a WebSocket client, an upstream of ${wire}`, () => {
    test('gets the events of HTTP, numbered, without the end marker', async (context) => {
      const { client } = await open(context);
      client.create({ model, input: 'Count to 3' });
      const events = await client.next();
      assert.deepEqual(
        events.map(({ sequence_number: number }) => number),
        events.map((_event, index) => index),
      );
      assert.deepEqual([events[0]?.type, events.at(-1)?.type], ['response.created', 'response.completed']);
      assert.equal(events.map(({ delta = '' }) => delta).join(''), '1, 2, 3');
      assert.equal(events[0]?.headers?.['x-simple-agents-target'], wire);
      assert.ok(events.slice(1, -1).every(({ headers }) => headers === undefined));
    });

    test('continues the newest response of the connection, although it is not stored', async (context) => {
      const { client, url, openai } = await open(context);
      const first = await client.ask({ model, store: false, input: 'My name is Ada.' });
      const previous = { previous_response_id: first.response?.id };
      const next = await client.ask({ model, store: false, input: 'What is my name?', ...previous });
      assert.equal(textOf(next), 'Your name is Ada.');
      assert.equal(next.response?.previous_response_id, first.response?.id);
      // Only the newest can be continued, and only on this connection.
      const older = await client.ask({ model, store: false, input: 'Again', ...previous });
      assert.deepEqual([older.status, older.error?.code], [400, 'previous_response_not_found']);
      const other = await openSocketClient(context, url);
      const { id } = next.response ?? assert.fail();
      const lost = await other.ask({ model, store: false, input: 'Hi', previous_response_id: id });
      assert.equal(lost.error?.code, 'previous_response_not_found');
      await assert.rejects(openai.responses.retrieve(id), { status: 404 });
    });

    test('continues stored responses on any connection', async (context) => {
      const { client, url, openai } = await open(context);
      const { response } = await client.ask({ model, input: 'My name is Ada.' });
      const { id } = response ?? assert.fail();
      assert.equal((await openai.responses.retrieve(id)).id, id);
      const other = await openSocketClient(context, url);
      const next = await other.ask({ model, input: 'What is my name?', previous_response_id: id });
      assert.equal(textOf(next), 'Your name is Ada.');
    });

    test('a failed turn ends the chain of responses that are not stored', async (context) => {
      const { client } = await open(context);
      const { response } = await client.ask({ model, store: false, input: 'Hello' });
      const previous = { model, store: false, previous_response_id: response?.id };
      const result = { type: 'function_call_output', call_id: 'call_unknown', output: 'x' };
      const failed = await client.ask({ ...previous, input: [result] });
      assert.deepEqual([failed.type, failed.status], ['error', 400]);
      const next = await client.ask({ ...previous, input: 'Hi' });
      assert.equal(next.error?.code, 'previous_response_not_found');
    });
  });
}

const model = 'responses/simulated';

describe('a connection', () => {
  test('handles one message after another', async (context) => {
    const { client } = await open(context);
    const counts = [2, 3, 4];
    for (const count of counts) client.create({ model, input: `Count to ${count}` });
    for (const count of counts) {
      const events = await client.next();
      assert.equal(events[0]?.type, 'response.created');
      assert.match(textOf(events.at(-1) ?? assert.fail()), new RegExp(`, ${count}$`));
    }
  });

  test('stays open after an invalid message', async (context) => {
    const { client } = await open(context);
    const cases: [string | object, RegExp][] = [
      ['{', /not valid JSON/],
      ['', /empty/],
      ['[]', /response\.create/],
      [{ type: 'response.cancel' }, /response\.create/],
      ['['.repeat(300) + ']'.repeat(300), /nested/],
      [{ type: 'response.create', model, input: 5 }, /input/],
      [{ type: 'response.create', model, input: 'Hi', background: true }, /background/],
      [{ type: 'response.create', model, input: 'Hi', generate: false }, /generate/],
      [{ type: 'response.create', model, input: 'Hi', stream_id: 's' }, /stream_id/],
      [{ type: 'response.create', model: 'nothing/here', input: 'Hi' }, /nothing/],
    ];
    for (const [message, expected] of cases) {
      client.send(message);
      const [event] = await client.next();
      assert.equal(event?.type, 'error');
      assert.match(event.error?.message ?? '', expected);
      assert.ok((event.status ?? 0) >= 400 && event.error?.code, JSON.stringify(event));
    }
    const ignored = { stream: false, background: false, generate: true, stream_id: null };
    assert.equal((await client.ask({ model, input: 'Hi', ...ignored })).type, 'response.completed');
  });

  test('is closed by a binary message, a message that is too large, and too many that wait', async (context) => {
    const gateway = await startBoth(context, parseScript({ replies: [{ match: { contains: '' }, delayMs: 60_000 }] }), {
      bodyLimit: 1000,
    });
    const binary = await openSocketClient(context, gateway.url);
    binary.sendBinary(new Uint8Array([1, 2]));
    assert.equal((await binary.closed).code, 1003);
    const large = await openSocketClient(context, gateway.url);
    large.create({ model, input: 'x'.repeat(2000) });
    assert.equal((await large.closed).code, 1009);
    const many = await openSocketClient(context, gateway.url);
    for (let count = 0; count < 20; count++) many.create({ model, input: 'Hi' });
    assert.equal((await many.closed).code, 1008);
  });

  test('that ends cancels the call upstream', async (context) => {
    const { promise: started, resolve: onStart } = Promise.withResolvers<void>();
    const upstream = await startHttpServer(context, (request, response) => {
      void readRequest(request).then(() => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(frame('response.created', { response: { id: 'resp_1', model: 'm', output: [] } }));
        response.write(frame('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'Hi' }));
        onStart();
      });
    });
    const { url } = await startGateway(context, upstream.origin);
    const client = await openSocketClient(context, url);
    client.create({ model: 'responses/m', input: 'Hi' });
    await started;
    await client.until(() => client.events.some(({ delta }) => delta === 'Hi'));
    client.close();
    await upstream.allClosed();
  });

  test('that does not read slows the upstream down', async (context) => {
    const words = frame('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'x'.repeat(10_000) });
    const sent = { bytes: 0 };
    const upstream = await startHttpServer(context, (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (!response.destroyed && response.write(words)) sent.bytes += words.length;
        response.once('drain', more);
      };
      more();
    });
    const { url } = await startGateway(context, upstream.origin);
    const socket = await openSocket(url);
    socket.write(handshake());
    await once(socket, 'data');
    socket.pause();
    const body = JSON.stringify({ type: 'response.create', model: 'responses/m', input: 'Hi' });
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), Buffer.from(body)]));
    let before = -1;
    while (sent.bytes === 0 || sent.bytes !== before) {
      before = sent.bytes;
      await setTimeout(300);
    }
    assert.ok(sent.bytes < 50_000_000, `${sent.bytes} bytes`);
    socket.destroy();
    await upstream.allClosed();
  });

  test('sends the error of a stream that breaks off, and stays open', async (context) => {
    const script = parseScript({
      otherwise: 'reply',
      replies: [{ match: { contains: 'break' }, fault: { errorAfterEvents: 6 } }],
    });
    const { url } = await startBoth(context, script);
    const client = await openSocketClient(context, url);
    // An upstream of the same wire ends with its own event.
    for (const [wire, last] of Object.entries({ responses: 'error', openai: 'response.failed' })) {
      client.create({ model: `${wire}/simulated`, input: 'break off' });
      const events = await client.next();
      assert.deepEqual([events[0]?.type, events.at(-1)?.type], ['response.created', last]);
    }
    assert.equal(textOf(await client.ask({ model, input: 'Count to 3' })), '1, 2, 3');
  });

  test('finishes its response when the server shuts down, then closes', async (context) => {
    const gateway = await startBoth(
      context,
      parseScript({ replies: [{ match: { contains: '' }, text: 'Yes', delayMs: 200 }] }),
    );
    const [busy, idle] = [await openSocketClient(context, gateway.url), await openSocketClient(context, gateway.url)];
    busy.create({ model, input: 'Hi' });
    while (gateway.upstream.requests.length === 0) await new Promise(setImmediate);
    const closing = gateway.server.close({ drain: 30_000 });
    assert.equal((await idle.closed).code, 1001);
    assert.equal(textOf((await busy.next()).at(-1) ?? assert.fail()), 'Yes');
    assert.equal((await busy.closed).code, 1001);
    await closing;
  });

  test('whose response takes too long gets an error when the server shuts down', async (context) => {
    const gateway = await startBoth(context, parseScript({ replies: [{ match: { contains: '' }, delayMs: 600_000 }] }));
    const client = await openSocketClient(context, gateway.url);
    client.create({ model, input: 'Hi' });
    while (gateway.upstream.requests.length === 0) await new Promise(setImmediate);
    await gateway.server.close({ drain: 0 });
    const [event] = await client.next();
    assert.match(event?.error?.message ?? '', /shutting down/);
    await client.closed;
  });

  test('closes when its key is removed', async (context) => {
    const keys = [key, otherKey].map((secret) => hash('sha256', secret));
    const { url, server } = await startBoth(context, undefined, { keys });
    const client = await openSocketClient(context, url, { authorization: `Bearer ${key}` });
    assert.equal((await client.ask({ model, input: 'Hi' })).type, 'response.completed');
    const other = await openSocketClient(context, url, { authorization: `Bearer ${otherKey}` });
    server.update({ keys: keys.slice(1) });
    assert.equal((await client.closed).code, 1008);
    assert.equal((await other.ask({ model, input: 'Hi' })).type, 'response.completed');
  });
});

const offer = [
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
];

function handshake(headers: readonly string[] = [], path = '/v1/responses'): string {
  return [`GET ${path} HTTP/1.1`, 'host: localhost', ...offer, ...headers, '', ''].join('\r\n');
}

describe('a handshake', () => {
  test('is refused like an HTTP request', async (context) => {
    const { url } = await startBoth(context, undefined, {
      keys: [
        { name: 'app', hash: hash('sha256', key), scopes: ['call'] },
        { name: 'reader', hash: hash('sha256', otherKey), scopes: ['metrics'] },
      ],
    });
    const cases: [string, number, RegExp][] = [
      [handshake(), 401, /a key is required/],
      [handshake(['authorization: Bearer wrong']), 401, /not valid/],
      [handshake([`authorization: Bearer ${otherKey}`]), 403, /does not have the scope/],
      [handshake([`x-api-key: ${key}`, 'origin: https://evil.example']), 403, /pages of this origin/],
      [handshake([`x-api-key: ${key}`, 'sec-fetch-site: cross-site']), 403, /other sites/],
      [handshake([`x-api-key: ${key}`]).replace('host: localhost', 'host: evil.example'), 403, /host name/],
      [handshake([`x-api-key: ${key}`, `x-api-key: ${key}`]), 400, /repeated/],
      [handshake([`x-api-key: ${key}`], '/v1/chat/completions'), 400, /WebSocket is not supported/],
      [handshake([`x-api-key: ${key}`]).replace('version: 13', 'version: 7'), 400, /version/i],
    ];
    for (const [request, status, message] of cases) {
      const received = await exchangeRaw(url, request);
      assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `), request);
      assert.match(received, message);
    }
  });

  test('of an allowed origin and below a prefix is accepted; other offers to upgrade are ignored', async (context) => {
    const { url } = await startBoth(context, undefined, { corsOrigins: ['https://app.example'] });
    const socket = await openSocket(url);
    socket.write(handshake(['origin: https://app.example'], '/openai/v1/responses'));
    const [accepted] = (await once(socket, 'data')) as [Buffer];
    assert.match(accepted.toString(), /^HTTP\/1\.1 101 /);
    socket.destroy();
    const http2 = 'GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n';
    assert.match(await exchangeRaw(url, http2), /^HTTP\/1\.1 200 /);
  });

  test('is refused beyond the limit of connections', async (context) => {
    const { url } = await startBoth(context, undefined, { maxConnections: 1 });
    await openSocketClient(context, url);
    assert.match(await exchangeRaw(url, handshake()), /^HTTP\/1\.1 503 /);
  });
});

async function connect(context: TestContext, url: string) {
  const socket = await openSocket(url);
  context.after(() => socket.destroy());
  socket.write(handshake());
  await once(socket, 'data');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => {
    socket.on('close', () => resolve(closeCodeIn(Buffer.concat(chunks))));
  });
  return { socket, closed };
}

describe('an unfinished message', { timeout: 60_000 }, () => {
  const mask = [0, 0, 0, 0];

  /** Begins a message of `size` bytes, in one frame that is not the last. */
  function beginMessage(size: number): Buffer {
    const head = Buffer.from([0x01, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, ...mask]);
    head.writeUInt32BE(size, 6);
    return head;
  }

  test('counts in the memory for bodies as it arrives', async (context) => {
    const { url } = await startBoth(context, undefined, { maxBodyMemory: 1_000_000, bodyLimit: 1_000_000 });
    const sockets = await Promise.all(Array.from({ length: 4 }, () => connect(context, url)));
    for (const { socket } of sockets) socket.write(Buffer.concat([beginMessage(500_000), Buffer.alloc(400_000)]));
    const refused = await Promise.race(sockets.map(({ closed }) => closed));
    assert.equal(refused, 1013);
    const held = async (): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^simple_agents_body_bytes (\d+)$/m.exec(text)?.[1]);
    };
    assert.ok((await held()) <= 1_000_000);
    for (const { socket } of sockets) socket.destroy();
    while ((await held()) > 0) await setTimeout(5);
  });

  test('has to end in time, whatever else the client sends', async (context) => {
    const { url } = await startBoth(context, undefined, { requestTimeout: 300 });
    const { socket, closed } = await connect(context, url);
    socket.write(Buffer.concat([beginMessage(500_000), Buffer.alloc(10)]));
    const ping = Buffer.from([0x89, 0x80, ...mask]);
    // A control frame may not interrupt a frame, so the bytes of the message go on.
    const more = setInterval(() => socket.write(Buffer.alloc(1)), 20);
    context.after(() => clearInterval(more));
    assert.equal(await closed, 1008);
    const fragments = await connect(context, url);
    fragments.socket.write(Buffer.from([0x01, 0x81, ...mask, 0x7b]));
    const pings = setInterval(() => fragments.socket.write(ping), 20);
    context.after(() => clearInterval(pings));
    assert.equal(await fragments.closed, 1008);
  });

  test('that ends counts as a request, and another one can follow', async (context) => {
    const { url } = await startBoth(context, undefined, { requestTimeout: 60_000 });
    const client = await openSocketClient(context, url);
    for (let count = 0; count < 2; count++) {
      const { type } = await client.ask({ model, input: 'x'.repeat(200_000) });
      assert.equal(type, 'response.completed');
    }
    const tooMany = Array.from({ length: 60_000 }, () => ({ role: 'user', content: 'a' }));
    client.create({ model, input: tooMany });
    const [event] = await client.next();
    assert.deepEqual([event?.type, event?.status], ['error', 413]);
    assert.equal((await client.ask({ model, input: 'Hi' })).type, 'response.completed');
  });
});

/** The code of a close frame. */
function closeCodeIn(bytes: Buffer): number {
  const at = bytes.indexOf(0x88);
  return at === -1 ? 0 : bytes.readUInt16BE(at + 2);
}

describe('malformed frames end the connection', () => {
  const mask = [0, 0, 0, 0];
  const cases: [string, number[], number][] = [
    ['without a mask', [0x81, 0x01, 0x61], 1002],
    ['with a reserved bit', [0xc1, 0x81, ...mask, 0x61], 1002],
    ['with an unknown opcode', [0x83, 0x80, ...mask], 1002],
    ['that continue nothing', [0x80, 0x80, ...mask], 1002],
    ['of text that is not UTF-8', [0x81, 0x81, ...mask, 0xff], 1007],
    ['that announce 2 GB', [0x81, 0xff, 0, 0, 0, 0, 0x80, 0, 0, 0, ...mask], 1009],
  ];
  for (const [name, bytes, code] of cases) {
    test(name, async (context) => {
      const { url } = await startBoth(context);
      const socket = await openSocket(url);
      socket.write(handshake());
      await once(socket, 'data');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.write(Buffer.from(bytes));
      await once(socket, 'end');
      socket.destroy();
      assert.equal(closeCodeIn(Buffer.concat(chunks)), code);
    });
  }
});
