// The small transport against real sockets: what it gives, how failures read, and that nobody who leaves has to wait.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { failsWith } from '../../test/fails-with.ts';
import { findFreePort, readRequest, startHttpServer, startSocketServer } from '../../test/server.ts';
import type { HttpOptions } from './http.ts';
import { createPlainTransport } from './plain-http.ts';
import type { Transport, TransportResponse } from './transport.ts';

const never = new AbortController().signal;

function transportFor(context: TestContext, options?: HttpOptions): Transport {
  const transport = createPlainTransport(options);
  context.after(() => transport.close());
  return transport;
}

function get(url: string) {
  return { method: 'GET', url, headers: {} } as const;
}

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a plain exchange', () => {
  test('carries request and answer, and uses the connection again', async (context) => {
    const server = await startHttpServer(context, (request, response) => {
      void readRequest(request).then((body) => {
        response.writeHead(418, { 'X-Twice': ['a', 'b'] });
        response.end(`${request.method} ${request.url} ${String(request.headers['x-mine'])} ${body}`);
      });
    });
    const transport = transportFor(context);
    for (let time = 0; time < 2; time += 1) {
      const request = {
        method: 'POST',
        url: `${server.origin}/v1?b=c`,
        headers: { 'x-mine': 'yes' },
        body: 'grüß',
      } as const;
      const response = await transport.send(request, never);
      assert.deepEqual([response.status, response.headers['x-twice']], [418, 'a, b']);
      assert.equal(await textOf(response), 'POST /v1?b=c yes grüß');
    }
    assert.equal(server.connectionCount(), 1);
  });

  test('begins anew when the connection it kept was closed meanwhile', async (context) => {
    let requests = 0;
    const server = await startHttpServer(context, (request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.end('ok');
    });
    const transport = transportFor(context);
    for (let time = 0; time < 2; time += 1)
      assert.equal(await textOf(await transport.send(get(server.origin), never)), 'ok');
    assert.equal(requests, 3);
  });

  test('decodes, and caps what was decoded', async (context) => {
    const bytes = gzipSync('x'.repeat(100_000));
    const server = await startHttpServer(context, (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
    });
    assert.equal((await textOf(await transportFor(context).send(get(server.origin), never))).length, 100_000);
    const small = transportFor(context, { maxResponseBytes: 1000 });
    await assert.rejects(textOf(await small.send(get(server.origin), never)), failsWith('bad-response', /./));
  });
});

describe('a plain connection that fails', () => {
  test('is refused, too slow, not HTTP, or cut', async (context) => {
    const transport = transportFor(context);
    const port = await findFreePort();
    await assert.rejects(
      transport.send(get(`http://127.0.0.1:${port}`), never),
      failsWith('network', /connection refused/),
    );
    const odd = await startSocketServer(context, (socket) => void socket.end('hello there\r\n\r\n'));
    await assert.rejects(transport.send(get(odd.origin), never), failsWith('bad-response', /does not answer in HTTP/));
    const half = await startHttpServer(context, (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    });
    await assert.rejects(textOf(await transport.send(get(half.origin), never)), failsWith('network', /in the middle/));
    const silent = await startSocketServer(context, () => undefined);
    const request = { ...get(`https://127.0.0.1:${silent.port}`), connectTimeout: 30 };
    await assert.rejects(transport.send(request, never), failsWith('timeout', /within 30 ms/));
    await assert.rejects(
      transport.send({ ...get(odd.origin), headers: { a: 'b\n' } }, never),
      failsWith('configuration', /cannot be sent/),
    );
  });
});

describe('an abort of a plain exchange', () => {
  test('before and in the middle of the answer gives the reason and closes the socket', async (context) => {
    for (const write of [false, true]) {
      const server = await startHttpServer(context, (_request, response) => void (write && response.write('half')));
      const controller = new AbortController();
      const sent = transportFor(context).send(get(server.origin), controller.signal);
      const read = sent.then(async ({ body }) => {
        const reader = body[Symbol.asyncIterator]();
        await reader.next();
        setImmediate(() => controller.abort('why'));
        await reader.next();
      });
      if (!write) setTimeout(() => controller.abort('why'), 20);
      await assert.rejects(read, (reason) => reason === 'why');
      await server.allClosed();
    }
  });

  test('leaving while a piece is awaited does not wait for it', async (context) => {
    const server = await startHttpServer(context, (_request, response) => void response.write('half'));
    const { body } = await transportFor(context).send(get(server.origin), never);
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    const waiting = reader.next();
    await reader.return?.();
    assert.equal((await waiting).done, true);
    await server.allClosed();
  });
});
