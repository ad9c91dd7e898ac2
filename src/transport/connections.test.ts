// Which connections are used again, and which never.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { failsWith } from '../../../test/fails-with.ts';
import { startHttpServer, startSocketServer } from '../../../test/server.ts';
import { createHttpTransport } from '../http.ts';
import type { Transport } from '../transport.ts';
import { Exchange } from './exchange.ts';
import { Places } from './place.ts';
import { Pool } from './pool.ts';

const never = new AbortController().signal;
const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

function transportFor(context: TestContext): Transport {
  const transport = createHttpTransport();
  context.after(() => transport.close());
  return transport;
}

async function ask(transport: Transport, url: string, body?: string): Promise<string> {
  const request = { method: 'POST', url, headers: {}, ...(body === undefined ? {} : { body }) } as const;
  const response = await transport.send(request, never);
  return Buffer.from((await response.body.whole?.()) ?? '').toString();
}

/** With a clock that is set by hand. */
class RestingPool {
  now = 0;
  readonly #pool = new Pool(() => this.now);
  readonly #places = new Places();

  constructor(context: TestContext) {
    context.after(() => this.#pool.close());
  }

  async ask(url: string, path: string, method: 'GET' | 'POST' = 'GET'): Promise<void> {
    const { origin } = this.#places.of(url);
    const text = `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`;
    const options = { origin, connectTimeout: 0, cap: 1000, signal: never };
    const exchange = new Exchange({ method, text, encoding: 'latin1' }, options);
    this.#pool.send(exchange);
    await (await exchange.answered).body.whole?.();
  }
}

/** Answers each request in its own way: the first with the first, and the last for all that follow. */
function startAnswering(context: TestContext, ...answers: readonly ((socket: Socket) => void)[]) {
  let count = 0;
  return startSocketServer(context, (socket) => {
    socket.on('data', () => (answers[count++] ?? answers.at(-1))?.(socket));
  });
}

describe('a connection that can be used again', () => {
  test('is the one that rested last', async (context) => {
    const sockets = new Set<Socket>();
    const used: Socket[] = [];
    const server = await startHttpServer(context, ({ socket, url }, response) => {
      sockets.add(socket);
      if (url === '/used') used.push(socket);
      setTimeout(() => response.end('ok'), 20 * sockets.size);
    });
    const transport = transportFor(context);
    await Promise.all(Array.from({ length: 3 }, () => ask(transport, server.origin)));
    for (let time = 0; time < 3; time += 1) await ask(transport, `${server.origin}/used`);
    assert.equal(server.connectionCount(), 3);
    assert.deepEqual(new Set(used), new Set([[...sockets].at(-1)]));
  });

  test('is closed when it has rested for too long, or for as long as the server keeps it', async (context) => {
    const server = await startSocketServer(context, (socket) => {
      socket.on('data', (data) => {
        const seconds = /^GET \/(\d+)/.exec(data.toString())?.[1];
        const hint = seconds === undefined ? '' : `keep-alive: timeout=${seconds}\r\n`;
        socket.write(whole.replace('\r\n', `\r\n${hint}`));
      });
    });
    const pool = new RestingPool(context);
    const connectionsAfter = async (path: string, rest: number): Promise<number> => {
      await pool.ask(server.origin, path);
      pool.now += rest;
      await pool.ask(server.origin, '/60');
      return server.connectionCount();
    };
    assert.equal(await connectionsAfter('/', 29_000), 1);
    assert.equal(await connectionsAfter('/', 31_000), 2);
    assert.equal(await connectionsAfter('/10', 8000), 2);
    assert.equal(await connectionsAfter('/10', 9500), 3);
    assert.equal(await connectionsAfter('/1', 0), 4);
    assert.equal(await connectionsAfter('/999999', 301_000), 5);
  });

  test('does not keep a program from ending', async (context) => {
    const server = await startHttpServer(context, (_request, response) => response.end('ok'));
    const code = `
      const { createHttpTransport } = await import(${JSON.stringify(new URL('../http.ts', import.meta.url).href)});
      const request = { method: 'GET', url: ${JSON.stringify(server.origin)}, headers: {} };
      const response = await createHttpTransport().send(request, new AbortController().signal);
      for await (const chunk of response.body) process.stdout.write(chunk);`;
    const program = spawn(process.execPath, ['--input-type=module', '--eval', code], { timeout: 20_000 });
    let text = '';
    program.stdout.on('data', (chunk) => (text += String(chunk)));
    const [status] = (await once(program, 'close')) as [number | null];
    assert.deepEqual([status, text], [0, 'ok']);
  });
});

describe('a connection is not used again', () => {
  const answers: Readonly<Record<string, (socket: Socket) => void>> = {
    'when the server says it closes it': (socket) => socket.write(whole.replace('\r\n', '\r\nconnection: close\r\n')),
    'when the server speaks HTTP/1.0': (socket) => socket.write(whole.replace('1.1', '1.0')),
    'when the body ended with it': (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nok'),
    'when more came than belongs to the answer': (socket) => socket.write(`${whole}HTTP/1.1 500 Smuggled\r\n\r\n`),
  };
  for (const [name, answer] of Object.entries(answers)) {
    test(name, async (context) => {
      const server = await startAnswering(context, answer, (socket) => socket.write(whole));
      const transport = transportFor(context);
      for (let time = 0; time < 3; time += 1) assert.equal(await ask(transport, server.origin), 'ok');
      assert.equal(server.connectionCount(), 2);
    });
  }

  for (const [name, meanwhile] of Object.entries({
    'was closed': (socket: Socket) => socket.end(),
    'was reset': (socket: Socket) => socket.resetAndDestroy(),
    'brought bytes nobody asked for': (socket: Socket) => socket.write('HTTP/1.1 500 Smuggled\r\n\r\n'),
  })) {
    test(`when it ${name} while it rested`, async (context) => {
      let requests = 0;
      const server = await startSocketServer(context, (socket) => {
        socket.on('data', () => {
          requests += 1;
          socket.write(whole);
          if (requests === 1) setTimeout(() => meanwhile(socket), 10);
        });
      });
      const transport = transportFor(context);
      assert.equal(await ask(transport, server.origin), 'ok');
      await sleep(50);
      assert.equal(await ask(transport, server.origin), 'ok');
      assert.deepEqual([requests, server.connectionCount()], [2, 2]);
    });
  }

  test('when its answer was left', async (context) => {
    const server = await startHttpServer(context, ({ url }, response) => {
      if (url === '/') response.end('ok');
      else response.write('half');
    });
    const transport = transportFor(context);
    const left = await transport.send({ method: 'GET', url: `${server.origin}/left`, headers: {} }, never);
    for await (const chunk of left.body) if (chunk.length > 0) break;
    assert.equal(await ask(transport, server.origin), 'ok');
    assert.equal(server.connectionCount(), 2);
  });

  test('when the answer came before the whole request was sent', async (context) => {
    const server = await startSocketServer(context, (socket) => {
      socket.pause();
      socket.write(whole);
    });
    const transport = transportFor(context);
    const body = 'x'.repeat(32 * 1024 * 1024);
    for (let time = 0; time < 2; time += 1) assert.equal(await ask(transport, server.origin, body), 'ok');
    assert.equal(server.connectionCount(), 2);
  });
});

describe('connections', () => {
  test('are not limited in number', async (context) => {
    const responses: (() => void)[] = [];
    const server = await startHttpServer(context, (_request, response) => {
      responses.push(() => response.end('ok'));
      if (responses.length === 300) for (const respond of responses) respond();
    });
    const transport = transportFor(context);
    const all = await Promise.all(Array.from({ length: 300 }, () => ask(transport, server.origin)));
    assert.deepEqual(new Set(all), new Set(['ok']));
  });

  test('are closed with the transport, also those that are being made', async (context) => {
    const server = await startSocketServer(context, () => undefined);
    const transport = transportFor(context);
    const waiting = ask(transport, server.origin);
    const dialling = ask(transport, `https://127.0.0.1:${server.port}`);
    const failures = [
      assert.rejects(waiting, failsWith('network', /before an answer came \(the transport was closed\)/)),
      assert.rejects(dialling, failsWith('network', /could not connect .*\(the transport was closed\)/)),
    ];
    await sleep(50);
    await transport.close();
    await Promise.all(failures);
    await server.allClosed();
  });
});
