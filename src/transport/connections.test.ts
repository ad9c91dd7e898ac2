// Which connections are reused and which are not, over both transports.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { failsWith } from '../../test/support/fails-with.ts';
import { startHttpServer, startSocketServer } from '../../test/support/server.ts';
import { transportFor as openTransport, transportNames } from '../../test/support/transports.ts';
import { readWhole } from '../providers/body.ts';
import { createUndiciTransport } from './lazy-undici.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;
const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

async function ask(transport: Transport, url: string, body?: string): Promise<string> {
  const request = { method: 'POST', url, headers: {}, ...(body === undefined ? {} : { body }) } as const;
  const response = await transport.send(request, never);
  return Buffer.from(await readWhole(response.body)).toString();
}

/** Sends the nth response for the nth request; the last response is repeated. */
async function startAnswering(context: TestContext, ...answers: readonly ((socket: Socket) => void)[]) {
  const carriers: Socket[] = [];
  const server = await startSocketServer(context, (socket) => {
    socket.on('data', () => {
      carriers.push(socket);
      (answers[carriers.length - 1] ?? answers.at(-1))?.(socket);
    });
  });
  /** The number of requests on the first connection. */
  const firstCarried = (): number => carriers.filter((socket) => socket === carriers[0]).length;
  return { ...server, firstCarried };
}

describe('an idle connection', () => {
  test('is kept for the configured time, or a shorter time that the server announces', async (context) => {
    const transport = createUndiciTransport({ keepAlive: 40 });
    context.after(() => transport.close());
    const server = await startAnswering(context, (socket) => socket.write(whole));
    await ask(transport, server.origin);
    await server.allClosed();
    const hinting = await startAnswering(context, (socket) =>
      socket.write(whole.replace('\r\n', '\r\nkeep-alive: timeout=1\r\n')),
    );
    await ask(transport, hinting.origin);
    // A connection that the server closes within a second is not kept.
    await hinting.allClosed();
  });

  for (const [file, create] of [
    ['lazy-undici.ts', 'createUndiciTransport'],
    ['fetch.ts', 'createFetchTransport'],
  ] as const) {
    test(`does not keep the process alive (${create})`, async (context) => {
      const server = await startHttpServer(context, (_request, response) => response.end('ok'));
      const code = `
        const { ${create} } = await import(${JSON.stringify(new URL(file, import.meta.url).href)});
        const request = { method: 'GET', url: ${JSON.stringify(server.origin)}, headers: {} };
        const response = await ${create}().send(request, new AbortController().signal);
        for await (const chunk of response.body) process.stdout.write(chunk);`;
      const program = spawn(process.execPath, ['--input-type=module', '--eval', code], { timeout: 20_000 });
      let text = '';
      program.stdout.on('data', (chunk) => (text += String(chunk)));
      const [status] = (await once(program, 'close')) as [number | null];
      assert.deepEqual([status, text], [0, 'ok']);
    });
  }
});

for (const name of transportNames) {
  const transportFor = (context: TestContext): Transport => openTransport(context, name);

  describe(`${name}: a connection is not reused`, () => {
    const answers: Readonly<Record<string, (socket: Socket) => void>> = {
      'when the server says it closes it': (socket) => socket.write(whole.replace('\r\n', '\r\nconnection: close\r\n')),
      'when the server speaks HTTP/1.0': (socket) => socket.write(whole.replace('1.1', '1.0')),
      'when the body ended with it': (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nok'),
      'when more came than belongs to the answer': (socket) => socket.write(`${whole}HTTP/1.1 500 Smuggled\r\n\r\n`),
    };
    for (const [how, answer] of Object.entries(answers)) {
      test(how, async (context) => {
        const server = await startAnswering(context, answer, (socket) => socket.write(whole));
        const transport = transportFor(context);
        for (let time = 0; time < 3; time += 1) assert.equal(await ask(transport, server.origin), 'ok');
        assert.equal(server.firstCarried(), 1);
      });
    }

    for (const [how, meanwhile] of Object.entries({
      'was closed': (socket: Socket) => socket.end(),
      'was reset': (socket: Socket) => socket.resetAndDestroy(),
      'received unsolicited bytes': (socket: Socket) => socket.write('HTTP/1.1 500 Smuggled\r\n\r\n'),
    })) {
      test(`when it ${how} while it was idle`, async (context) => {
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

    test('when its response was not read to the end', async (context) => {
      const server = await startHttpServer(context, ({ url }, response) => {
        if (url === '/') response.end('ok');
        else response.write('half');
      });
      const transport = transportFor(context);
      const left = await transport.send({ method: 'GET', url: `${server.origin}/left`, headers: {} }, never);
      for await (const chunk of left.body) if (chunk.length > 0) break;
      assert.equal(await ask(transport, server.origin), 'ok');
      assert.ok(server.connectionCount() >= 2);
    });

    test('when the response came before the request was completely sent', async (context) => {
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

  describe(`${name}: connections`, () => {
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

    test('are closed with the transport, also while they are being opened', async (context) => {
      const server = await startSocketServer(context, () => undefined);
      const transport = transportFor(context);
      const waiting = ask(transport, server.origin);
      const dialling = ask(transport, `https://127.0.0.1:${server.port}`);
      const failures = [
        assert.rejects(waiting, failsWith('network', /\(the transport was closed\)/)),
        assert.rejects(dialling, failsWith('network', /\(the transport was closed\)/)),
      ];
      while (server.connectionCount() < 2) await sleep(5);
      await transport.close();
      await Promise.all(failures);
      await server.allClosed();
    });
  });
}
