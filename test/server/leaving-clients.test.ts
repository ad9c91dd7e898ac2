// Clients that disconnect, at every stage of a call and in every way: the upstream connection is always closed, and no
// state remains.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { ask, openSocket, startGateway, upstreamWires, type GatewayTestOptions } from '../support/gateway-server.ts';
import { readRequest, startHttpServer, startSocketServer } from '../support/server.ts';
import { begin, role, say, start, write } from '../support/upstream.ts';
import { until } from '../support/until.ts';

const paths = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;

/** How a client disconnects. */
const manners: Readonly<Record<string, (socket: Socket) => void>> = {
  closes: (socket) => void socket.destroy(),
  resets: (socket) => void socket.resetAndDestroy(),
  'stops writing': (socket) => void socket.end(),
};

interface Phase {
  readonly stream: boolean;
  readonly answer: (response: ServerResponse, isAnthropic: boolean) => void;
  /** What the client waits for before it disconnects. */
  readonly until?: RegExp;
  readonly options?: GatewayTestOptions;
}

const beginning = (isAnthropic: boolean) => (isAnthropic ? start + begin + write('Hi') : role + say('Hi'));
const openStream = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();

const phases: Readonly<Record<string, Phase>> = {
  'while it waits for the head': { stream: true, answer: () => undefined },
  'while it waits for the first token': { stream: true, answer: openStream },
  'while comments break the silence': {
    stream: true,
    answer: openStream,
    until: /: keep-alive/,
    options: { keepAlive: 20 },
  },
  'in the middle of a stream': {
    stream: true,
    answer(response, isAnthropic) {
      openStream(response);
      response.write(beginning(isAnthropic));
    },
    until: /Hi/,
  },
  'while a stream comes fast': {
    stream: true,
    answer(response, isAnthropic) {
      openStream(response);
      response.write(beginning(isAnthropic));
      const word = isAnthropic ? write('x'.repeat(1000)) : say('x'.repeat(1000));
      const more = (): void => void (response.destroyed || response.write(word, () => setImmediate(more)));
      more();
    },
    until: /xxx/,
  },
  'while it waits for a whole answer': { stream: false, answer: () => undefined },
  'while a whole answer comes': {
    stream: false,
    answer: (response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .write('{"choices":[{"message":{"content":"H'),
  },
};

function requestFor(path: string, body: object): string {
  const text = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

/** Sends a request, and resolves when the awaited part of the response has arrived. */
async function begun(url: string, request: string, awaited: RegExp = /^/): Promise<Socket> {
  const socket = await openSocket(url);
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => (received = (received + data.toString()).slice(-10_000)));
  socket.write(request);
  while (!awaited.test(received)) await once(socket, 'data');
  return socket;
}

/** Counts the open responses. */
async function startWaiting(context: TestContext, answer: Phase['answer']) {
  const counts = { asked: 0, open: 0 };
  const server = await startHttpServer(context, (request, response) => {
    counts.open++;
    response.on('close', () => counts.open--);
    void readRequest(request).then(() => {
      counts.asked++;
      answer(response, request.url === '/v1/messages');
    });
  });
  return { server, counts };
}

describe('a client that disconnects', { timeout: 60_000 }, () => {
  for (const [name, { stream, answer, until: pattern, options }] of Object.entries(phases)) {
    test(`${name}: the upstream connection is always closed`, async (context) => {
      const { server, counts } = await startWaiting(context, answer);
      const gateway = await startGateway(context, server.origin, options);
      let calls = 0;
      for (const leave of Object.values(manners)) {
        const clients = upstreamWires.flatMap((client) =>
          upstreamWires.map((wire) =>
            begun(gateway.url, requestFor(paths[client], ask(`${wire}/m`, 'hi', { stream })), pattern),
          ),
        );
        calls += clients.length;
        await until(() => counts.asked === calls);
        const sockets = await Promise.all(clients);
        await sleep(10);
        for (const socket of sockets) leave(socket);
        await until(() => counts.open === 0);
        for (const socket of sockets) socket.destroy();
      }
      await server.allClosed();
      await nothingIsLeft(gateway, calls);
    });
  }

  test('during the upload: no model is called', async (context) => {
    const { server, counts } = await startWaiting(context, () => undefined);
    const gateway = await startGateway(context, server.origin);
    for (const leave of Object.values(manners)) {
      for (const path of Object.values(paths)) {
        const request = requestFor(path, ask('openai/m', 'x'.repeat(100_000)));
        const socket = await begun(gateway.url, request.slice(0, -1));
        await sleep(10);
        leave(socket);
        await once(socket, 'close');
      }
    }
    assert.equal(counts.asked, 0);
    await nothingIsLeft(gateway, 0);
  });

  test('while connecting upstream: the call ends at once, the connection attempt at its own time-out', async (context) => {
    // Accepts connections and never sends a byte of the handshake.
    const silent = await startSocketServer(context, () => undefined);
    const origin = silent.origin.replace('http:', 'https:');
    const gateway = await startGateway(context, origin, { gateway: { timeouts: { connect: 300 } } });
    for (const leave of Object.values(manners)) {
      const before = silent.connectionCount();
      const socket = await begun(gateway.url, requestFor(paths.openai, ask('openai/m', 'hi', { stream: true })));
      await until(() => silent.connectionCount() > before);
      leave(socket);
      socket.destroy();
    }
    await nothingIsLeft(gateway, Object.keys(manners).length);
    await silent.allClosed();
  });

  test('while the gateway waits for a retry: there is none', async (context) => {
    const { server, counts } = await startWaiting(context, (response) => {
      response.writeHead(429, { 'content-type': 'application/json' }).end('{}');
    });
    const retry = { maxAttempts: 2, initialBackoff: 300, jitter: false, budgetReserve: 100 };
    const gateway = await startGateway(context, server.origin, { gateway: { retry } });
    const body = ask('openai/m', 'hi', { stream: true });
    assert.equal((await gateway.post(paths.openai, body)).status, 429);
    assert.equal(counts.asked, 2, 'who waits is asked for again');
    for (const leave of Object.values(manners)) {
      const before = counts.asked;
      const socket = await begun(gateway.url, requestFor(paths.openai, body));
      await until(() => counts.asked > before);
      leave(socket);
      socket.destroy();
    }
    await sleep(700);
    assert.equal(counts.asked, 2 + Object.keys(manners).length);
  });
});

async function nothingIsLeft(
  { url, events, server }: { url: string; events: readonly { type: string }[]; server: { close: CloseServer } },
  calls: number,
): Promise<void> {
  await until(() => events.filter(({ type }) => type === 'call-end').length === calls);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^simple_agents_streams_open 0$/m);
  // It waits for calls in progress, so there are none.
  await server.close({ drain: 3_600_000 });
}

type CloseServer = (options: { drain: number }) => Promise<void>;
