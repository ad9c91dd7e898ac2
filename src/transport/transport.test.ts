// Both transports over real sockets: requests, responses, and the error for each failure. A test says where one differs.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { failsWith } from '../../test/support/fails-with.ts';
import { findFreePort, readRequest, startHttpServer, startSocketServer } from '../../test/support/server.ts';
import { transportFor as openTransport, transportNames, type CommonOptions } from '../../test/support/transports.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

const never = new AbortController().signal;

function get(url: string, headers: Record<string, string> = {}): TransportRequest {
  return { method: 'GET', url, headers };
}

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const silent: RequestListener = () => undefined;
const half: RequestListener = (_request, response) => response.write('half');

const answerWith =
  (encoding: string, bytes: Buffer): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': bytes.length }).end(bytes);
  };

for (const name of transportNames) {
  const transportFor = (context: TestContext, options?: CommonOptions): Transport =>
    openTransport(context, name, options);
  const send = (context: TestContext, url: string): Promise<TransportResponse> =>
    transportFor(context).send(get(url), never);

  describe(`${name}: an exchange`, () => {
    test('sends method, path, headers and body, and returns status, headers and body', async (context) => {
      const server = await startHttpServer(context, (request, response) => {
        void readRequest(request).then((body) => {
          response.writeHead(418, { 'X-Twice': ['a', 'b'], 'content-type': 'text/plain' });
          response.end(`${request.method} ${request.url} ${String(request.headers['x-mine'])} ${body}`);
        });
      });
      const response = await transportFor(context).send(
        { method: 'POST', url: `${server.origin}/v1/a?b=c`, headers: { 'x-mine': 'yes' }, body: 'grüß' },
        never,
      );
      assert.equal(response.status, 418);
      assert.equal(response.headers['x-twice'], 'a, b');
      assert.equal(await textOf(response), 'POST /v1/a?b=c yes grüß');
    });

    test('does not follow redirects', async (context) => {
      const server = await startHttpServer(context, (_request, response) => {
        response.writeHead(307, { location: '/elsewhere' }).end();
      });
      const response = await transportFor(context).send(get(server.origin), never);
      assert.equal(response.status, 307);
      assert.equal(await textOf(response), '');
    });

    test('reuses a connection after the response was read', async (context) => {
      const server = await startHttpServer(context, (_request, response) => response.end('ok'));
      const transport = transportFor(context);
      for (let call = 0; call < 5; call++)
        assert.equal(await textOf(await transport.send(get(server.origin), never)), 'ok');
      // The first connection is free one turn after its response, so the second request may open another.
      assert.ok(server.connectionCount() <= 2, `${server.connectionCount()} connections`);
    });

    test('makes the server wait for a slow reader', async (context) => {
      const size = 40 * 1024 * 1024;
      let written = 0;
      const server = await startHttpServer(context, (_request, response) => {
        const piece = Buffer.alloc(64 * 1024);
        const write = () => {
          while (written < size) {
            written += piece.length;
            if (!response.write(piece)) return;
          }
          response.end();
        };
        response.on('drain', write);
        write();
      });
      const { body } = await transportFor(context).send(get(server.origin), never);
      let before = -1;
      while (before !== written) {
        before = written;
        await sleep(100);
      }
      assert.ok(written < size / 2, `the server wrote ${written} bytes without a reader`);
      let received = 0;
      for await (const chunk of body) received += chunk.length;
      assert.equal(received, size);
    });

    test('can be sent after the transport was closed, while calls in progress fail', async (context) => {
      let calls = 0;
      const server = await startHttpServer(context, (_request, response) => {
        if (calls++ === 0) response.write('half');
        else response.end('whole');
      });
      const transport = transportFor(context);
      const { body } = await transport.send(get(server.origin), never);
      await transport.close();
      await assert.rejects(
        async () => {
          for await (const chunk of body) assert.equal(Buffer.from(chunk).toString(), 'half');
        },
        failsWith('network', /the transport was closed/),
      );
      assert.equal(await textOf(await transport.send(get(server.origin), never)), 'whole');
    });
  });

  describe(`${name}: a connection that fails`, () => {
    test('because it is refused', async (context) => {
      const origin = `http://127.0.0.1:${await findFreePort()}`;
      await assert.rejects(send(context, origin), (error: Error) => {
        assert.equal(error.message, `could not connect to ${origin} (connection refused)`);
        return failsWith('network', /./)(error);
      });
    });

    test('does not reveal the URL', async (context) => {
      const url = `http://user:hunter2@127.0.0.1:${await findFreePort()}/v1?key=hunter2`;
      await assert.rejects(send(context, url), (error: Error) => {
        assert.doesNotMatch(`${error.message} ${error.stack}`, /hunter2/);
        return true;
      });
    });

    test('because the server does not speak TLS', async (context) => {
      const server = await startHttpServer(context, (_request, response) => response.end());
      await assert.rejects(send(context, `https://127.0.0.1:${server.port}`), failsWith('network', /TLS failed/));
    });

    test('because the server resets it before a response', async (context) => {
      const server = await startSocketServer(context, (socket) => {
        socket.once('data', () => socket.resetAndDestroy());
      });
      await assert.rejects(send(context, server.origin), failsWith('network', /before a response arrived \(.+\)/));
    });

    test('because the server closes it before a response', async (context) => {
      const server = await startSocketServer(context, (socket) => {
        socket.once('data', () => socket.end());
      });
      await assert.rejects(send(context, server.origin), failsWith('network', /closed by the server/));
    });

    test('because the response is not HTTP', async (context) => {
      const server = await startSocketServer(context, (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
      await assert.rejects(send(context, server.origin), failsWith('bad-response', /sent a malformed HTTP response/));
    });

    for (const how of ['resetAndDestroy', 'destroy', 'end'] as const) {
      test(`in the middle of the response (${how}), after the bytes before`, async (context) => {
        const { promise: read, resolve } = Promise.withResolvers<void>();
        const server = await startSocketServer(context, (socket) => {
          socket.once('data', () => {
            socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n');
            void read.then(() => socket[how]());
          });
        });
        const { body } = await send(context, server.origin);
        let text = '';
        await assert.rejects(
          async () => {
            for await (const chunk of body) {
              text += Buffer.from(chunk).toString();
              resolve();
            }
          },
          failsWith('network', /in the middle of the response/),
        );
        assert.equal(text, 'half');
      });
    }

    test('because the response is shorter than announced', async (context) => {
      const server = await startSocketServer(context, (socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'));
      });
      const response = await send(context, server.origin);
      await assert.rejects(textOf(response), failsWith('network', /in the middle of the response/));
    });

    test('because the URL is invalid', async (context) => {
      for (const url of ['', 'api.example.com/v1', 'ftp://127.0.0.1/']) {
        await assert.rejects(send(context, url), failsWith('configuration', /base URL/));
      }
    });

    test('because a header cannot be sent', async (context) => {
      const server = await startHttpServer(context, (_request, response) => response.end());
      const request = get(server.origin, { authorization: 'Bearer hunter2\n' });
      await assert.rejects(transportFor(context).send(request, never), (error: Error) => {
        assert.doesNotMatch(error.message, /hunter2/);
        return failsWith('configuration', /cannot be sent: invalid authorization header/)(error);
      });
    });
  });

  describe(`${name}: an abort`, () => {
    test('before sending opens no connection', async (context) => {
      const server = await startHttpServer(context, silent);
      const signal = AbortSignal.abort('why');
      await assert.rejects(transportFor(context).send(get(server.origin), signal), (reason) => reason === 'why');
      assert.equal(server.connectionCount(), 0);
    });

    for (const reason of [new Error('mine'), 'just a text', undefined]) {
      test(`before the response rejects with the reason (${String(reason)}) and closes the socket`, async (context) => {
        const controller = new AbortController();
        const server = await startHttpServer(context, () => controller.abort(reason));
        const sent = transportFor(context).send(get(server.origin), controller.signal);
        await assert.rejects(sent, (thrown) => thrown === controller.signal.reason);
        await server.allClosed();
      });
    }

    test('while connecting rejects at once', async (context) => {
      const server = await startSocketServer(context, () => controller.abort('why'));
      const controller = new AbortController();
      const url = `https://127.0.0.1:${server.port}`;
      const sent = transportFor(context).send(get(url), controller.signal);
      await assert.rejects(sent, (reason) => reason === 'why');
    });

    test('in the middle of the response rejects the waiting reader and closes the socket', async (context) => {
      const server = await startHttpServer(context, half);
      const controller = new AbortController();
      const { body } = await transportFor(context).send(get(server.origin), controller.signal);
      const reader = body[Symbol.asyncIterator]();
      await reader.next();
      const waiting = reader.next();
      controller.abort('why');
      await assert.rejects(waiting, (reason) => reason === 'why');
      await assert.rejects(reader.next(), (reason) => reason === 'why');
      await server.allClosed();
    });

    test('closes the socket of a response that is not read', async (context) => {
      const server = await startHttpServer(context, half);
      const controller = new AbortController();
      await transportFor(context).send(get(server.origin), controller.signal);
      controller.abort();
      await server.allClosed();
    });

    test('after the response has no effect', async (context) => {
      const server = await startHttpServer(context, (_request, response) => response.end('ok'));
      const controller = new AbortController();
      const transport = transportFor(context);
      const response = await transport.send(get(server.origin), controller.signal);
      assert.equal(await textOf(response), 'ok');
      await sleep(0);
      controller.abort();
      await sleep(0);
      assert.equal(await textOf(await transport.send(get(server.origin), never)), 'ok');
      assert.equal(server.connectionCount(), 1);
    });

    test('leaving the loop also closes the socket', async (context) => {
      const server = await startHttpServer(context, half);
      const { body } = await transportFor(context).send(get(server.origin), never);
      for await (const chunk of body) if (chunk.length > 0) break;
      await server.allClosed();
    });

    test('leaving while a read is pending does not wait for it', async (context) => {
      const server = await startHttpServer(context, half);
      const { body } = await transportFor(context).send(get(server.origin), never);
      const reader = body[Symbol.asyncIterator]();
      await reader.next();
      const waiting = reader.next();
      await reader.return?.();
      assert.equal((await waiting).done, true);
      await server.allClosed();
    });
  });

  describe(`${name}: a compressed response`, () => {
    const text = 'compress me, '.repeat(1000);
    const forms: Readonly<Record<string, readonly [encoding: string, bytes: Buffer]>> = {
      gzip: ['gzip', gzipSync(text)],
      deflate: ['deflate', deflateSync(text)],
      'bare deflate': ['deflate', deflateRawSync(text)],
      brotli: ['br', brotliCompressSync(text)],
      zstd: ['zstd', zstdCompressSync(text)],
      twice: ['gzip, br', brotliCompressSync(gzipSync(text))],
      none: ['identity', Buffer.from(text)],
    };

    for (const [form, [encoding, bytes]] of Object.entries(forms)) {
      test(`is decoded: ${form}`, async (context) => {
        const server = await startHttpServer(context, answerWith(encoding, bytes));
        const response = await transportFor(context).send(get(server.origin), never);
        assert.equal(response.headers['content-encoding'], undefined);
        assert.equal(response.headers['content-length'], undefined);
        assert.equal(await textOf(response), text);
      });
    }

    test('arrives in pieces', async (context) => {
      const { promise: wanted, resolve } = Promise.withResolvers<void>();
      const server = await startHttpServer(context, (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        const gzip = createGzip();
        gzip.pipe(response);
        gzip.write('first');
        gzip.flush();
        void wanted.then(() => gzip.end('second'));
      });
      const { body } = await transportFor(context).send(get(server.origin), never);
      const texts: string[] = [];
      for await (const chunk of body) {
        texts.push(Buffer.from(chunk).toString());
        resolve();
      }
      assert.deepEqual(texts, ['first', 'second']);
    });

    test('that decompresses to too much is rejected, and the socket is closed', async (context) => {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
      const server = await startHttpServer(context, (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(bomb);
      });
      const response = await transportFor(context, { maxResponseBytes: 1024 * 1024 }).send(get(server.origin), never);
      await assert.rejects(textOf(response), failsWith('bad-response', /larger than 1048576 bytes/));
      await server.allClosed();
    });

    test('that is too large without compression is rejected as well', async (context) => {
      const server = await startHttpServer(context, (_request, response) => response.write(Buffer.alloc(2000)));
      const response = await transportFor(context, { maxResponseBytes: 1000 }).send(get(server.origin), never);
      await assert.rejects(textOf(response), failsWith('bad-response', /larger than 1000 bytes/));
      await server.allClosed();
    });

    const broken: Readonly<Record<string, readonly [encoding: string, bytes: Buffer, message: RegExp]>> = {
      'is not what it says': ['gzip', Buffer.from('plain text'), /cannot be decoded/],
      'is in a form unknown': ['compress', Buffer.from(text), /"compress"/],
    };
    for (const [how, [encoding, bytes, message]] of Object.entries(broken)) {
      test(`that ${how} is a bad response`, async (context) => {
        const server = await startHttpServer(context, answerWith(encoding, bytes));
        const response = await transportFor(context).send(get(server.origin), never);
        await assert.rejects(textOf(response), failsWith('bad-response', message));
      });
    }

    test('that is truncated never yields more than was sent', async (context) => {
      const server = await startHttpServer(context, answerWith('gzip', gzipSync(text).subarray(0, 40)));
      const response = await transportFor(context).send(get(server.origin), never);
      // `fetch` accepts such an end; the wire detects that the response is incomplete.
      if (name === 'fetch') assert.ok(text.startsWith(await textOf(response)));
      else await assert.rejects(textOf(response), failsWith('bad-response', /declared as gzip but cannot be decoded/));
    });

    // Node's `fetch` itself rejects more than five, without a response.
    for (const count of name === 'fetch' ? [3, 4] : [3, 4, 1500]) {
      test(`with ${count} codings is rejected, and the socket is closed`, async (context) => {
        const codings = Array.from({ length: count }, (_, ordinal) => ['gzip', 'BR', 'zstd'][ordinal % 3]).join(',');
        const server = await startSocketServer(context, (socket) => {
          socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${codings}\r\n\r\nx`));
        });
        const response = await transportFor(context).send(get(server.origin), never);
        await assert.rejects(textOf(response), failsWith('bad-response', new RegExp(`has ${count} content codings`)));
        await server.allClosed();
      });
    }

    test('with two codings and names that are not codings is decoded', async (context) => {
      const nothing = Array.from({ length: name === 'fetch' ? 1 : 1500 }, () => 'identity,').join('');
      const encoded = gzipSync(brotliCompressSync(text));
      const server = await startHttpServer(context, answerWith(`br,${nothing} ,GZIP`, encoded));
      const response = await transportFor(context).send(get(server.origin), never);
      // `fetch` would pass such a body on without decoding it.
      if (name === 'fetch') await assert.rejects(textOf(response), failsWith('bad-response', /content coding/));
      else assert.equal(await textOf(response), text);
    });

    test('that is cut off or aborted fails like any other', async (context) => {
      const server = await startHttpServer(context, (request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(gzipSync(text).subarray(0, 40));
        if (request.url === '/cut') setTimeout(() => response.destroy(), 20);
      });
      const transport = transportFor(context);
      const cut = await transport.send(get(`${server.origin}/cut`), never);
      await assert.rejects(textOf(cut), failsWith('network', /in the middle of the response/));
      const controller = new AbortController();
      const waiting = textOf(await transport.send(get(server.origin), controller.signal));
      setTimeout(() => controller.abort('why'), 20);
      await assert.rejects(waiting, (reason) => reason === 'why');
      await server.allClosed();
    });
  });
}
