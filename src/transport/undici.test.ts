// What only the undici transport does: connect time-outs, proxies, certificates, HTTP/2, limits.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { failsWith } from '../../test/support/fails-with.ts';
import { findFreePort, startHttpServer, startSocketServer } from '../../test/support/server.ts';
import { createUndiciTransport } from './lazy-undici.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import type { UndiciOptions } from './undici.ts';

const never = new AbortController().signal;

function transportFor(context: TestContext, options?: UndiciOptions): Transport {
  const transport = createUndiciTransport(options);
  context.after(() => transport.close());
  return transport;
}

function get(url: string, headers: Record<string, string> = {}): TransportRequest {
  return { method: 'GET', url, headers };
}

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A proxy that responds instead of the server and reports what was requested. */
const startProxy = (context: TestContext) =>
  startHttpServer(context, (request, response) => response.end(`proxied ${request.url}`));
const startOrigin = (context: TestContext) => startHttpServer(context, (_request, response) => response.end('direct'));

describe('a response', () => {
  test('returns everything that has arrived as one chunk', async (context) => {
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    const server = await startHttpServer(context, (_request, response) => {
      for (let index = 0; index < 100; index++) response.write(`${index},`);
      response.end(resolve);
    });
    const { body } = await transportFor(context).send(get(server.origin), never);
    await sent;
    await sleep(20);
    const chunks: string[] = [];
    for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
    assert.ok(chunks.length < 100, `${chunks.length} chunks`);
    assert.ok(chunks.join('').endsWith('98,99,'));
  });

  test('is requested only in encodings that can be decoded', async (context) => {
    const server = await startHttpServer(context, (request, response) =>
      response.end(request.headers['accept-encoding']),
    );
    const transport = transportFor(context);
    assert.equal(await textOf(await transport.send(get(server.origin), never)), 'gzip, deflate, br, zstd');
    const plain = get(server.origin, { 'accept-encoding': 'identity' });
    assert.equal(await textOf(await transport.send(plain, never)), 'identity');
  });
});

describe('a connection that is not made', () => {
  test('because it is not established in time', async (context) => {
    // The server accepts the connection and stays silent, so the TLS handshake never completes.
    const server = await startSocketServer(context, () => undefined);
    await assert.rejects(
      transportFor(context, { connectTimeout: 30 }).send(get(`https://127.0.0.1:${server.port}`), never),
      failsWith(
        'timeout',
        /^no connection to https:.* within 30 ms \(raise timeouts\.connect, .* connect under \[timeouts\]\)$/,
      ),
    );
  });

  test('because the limit of the request is shorter', async (context) => {
    const server = await startSocketServer(context, () => undefined);
    const request = { ...get(`https://127.0.0.1:${server.port}`), connectTimeout: 30 };
    await assert.rejects(transportFor(context).send(request, never), failsWith('timeout', /within 30 ms/));
  });
});

describe('a proxy', () => {
  test('is used for http', async (context) => {
    const [proxy, server] = [await startProxy(context), await startOrigin(context)];
    const transport = transportFor(context, { proxy: { httpProxy: proxy.origin } });
    assert.equal(await textOf(await transport.send(get(`${server.origin}/v1`), never)), `proxied ${server.origin}/v1`);
    assert.equal(server.connectionCount(), 0);
  });

  test('is bypassed for the hosts in no_proxy', async (context) => {
    const [proxy, server] = [await startProxy(context), await startOrigin(context)];
    const transport = transportFor(context, { proxy: { httpProxy: proxy.origin, noProxy: 'example.com,127.0.0.1' } });
    assert.equal(await textOf(await transport.send(get(server.origin), never)), 'direct');
    assert.equal(proxy.connectionCount(), 0);
  });

  test('opens a tunnel for https', async (context) => {
    const asked = Promise.withResolvers<string>();
    const proxy = await startSocketServer(context, (socket) => {
      socket.once('data', (data) => {
        asked.resolve(data.toString().split('\r\n', 1)[0] ?? '');
        socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const transport = transportFor(context, { proxy: { httpsProxy: proxy.origin } });
    await assert.rejects(
      transport.send(get('https://127.0.0.1:9'), never),
      failsWith('network', /the proxy refused the tunnel, status 403/),
    );
    assert.equal(await asked.promise, 'CONNECT 127.0.0.1:9 HTTP/1.1');
  });

  const tunnels: Readonly<
    Record<string, readonly [answer: string, kind: 'network' | 'bad-response', message: RegExp]>
  > = {
    'wants a password': [
      'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
      'network',
      /the proxy refused the tunnel, status 407/,
    ],
    'closes the connection': ['', 'network', /could not connect .*closed by the server/],
    'does not speak HTTP': ['SSH-2.0-OpenSSH_9.9\r\n', 'bad-response', /sent a malformed HTTP response/],
    'speaks for the server': ['HTTP/1.1 200 OK\r\n\r\nhello', 'network', /TLS failed/],
  };
  for (const [name, [answer, kind, message]] of Object.entries(tunnels)) {
    test(`that ${name} instead of opening a tunnel`, async (context) => {
      const proxy = await startSocketServer(context, (socket) => {
        socket.once('data', () => (answer === '' ? socket.end() : socket.write(answer)));
      });
      const transport = transportFor(context, { proxy: { httpsProxy: proxy.origin } });
      await assert.rejects(transport.send(get('https://127.0.0.1:9'), never), failsWith(kind, message));
      await proxy.allClosed();
    });
  }

  test('that does not respond is subject to the connect time-out', async (context) => {
    const proxy = await startSocketServer(context, () => undefined);
    const transport = transportFor(context, { proxy: { httpsProxy: proxy.origin }, connectTimeout: 30 });
    await assert.rejects(transport.send(get('https://127.0.0.1:9'), never), failsWith('timeout', /within 30 ms/));
    await proxy.allClosed();
    const controller = new AbortController();
    const patient = transportFor(context, { proxy: { httpsProxy: proxy.origin }, connectTimeout: 500 });
    const sent = patient.send(get('https://127.0.0.1:9'), controller.signal);
    setTimeout(() => controller.abort('why'), 20);
    await assert.rejects(sent, (reason) => reason === 'why');
    // undici ends a connection attempt at its time-out, not at the end of the request.
    await proxy.allClosed();
  });

  test('that cannot be reached is named', async (context) => {
    const port = await findFreePort();
    const transport = transportFor(context, { proxy: { httpProxy: `http://user:hunter2@127.0.0.1:${port}` } });
    await assert.rejects(transport.send(get('http://127.0.0.1:9/v1'), never), (error: Error) => {
      assert.doesNotMatch(error.message, /hunter2/);
      return failsWith('network', new RegExp(`connection refused by 127.0.0.1:${port}`))(error);
    });
  });

  test('that is not a URL is a configuration error', async (context) => {
    const transport = transportFor(context, { proxy: { httpProxy: 'proxy hunter2' } });
    await assert.rejects(transport.send(get('http://127.0.0.1:9'), never), (error: Error) => {
      assert.doesNotMatch(error.message, /hunter2/);
      return failsWith('configuration', /proxy/)(error);
    });
  });

  test('is never taken from the environment', async (context) => {
    const [proxy, server] = [await startProxy(context), await startOrigin(context)];
    process.env['http_proxy'] = proxy.origin;
    context.after(() => delete process.env['http_proxy']);
    for (const settings of [{}, { httpsProxy: proxy.origin }]) {
      const transport = transportFor(context, { proxy: settings });
      assert.equal(await textOf(await transport.send(get(server.origin), never)), 'direct');
    }
  });
});

describe('connections', () => {
  test('to one origin are limited if configured, and further requests wait', async (context) => {
    let most = 0;
    let now = 0;
    const server = await startHttpServer(context, (_request, response) => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        response.end('ok');
      }, 5);
    });
    const transport = transportFor(context, { maxConnections: 2 });
    const all = Array.from({ length: 10 }, async () => textOf(await transport.send(get(server.origin), never)));
    assert.deepEqual(new Set(await Promise.all(all)), new Set(['ok']));
    assert.deepEqual([most, server.connectionCount()], [2, 2]);
  });

  test('come from the configured local address', async (context) => {
    const server = await startHttpServer(context, ({ socket }, response) => response.end(socket.remoteAddress));
    const transport = transportFor(context, { localAddress: '127.0.0.2' });
    assert.equal(await textOf(await transport.send(get(server.origin), never)), '127.0.0.2');
  });

  test('and requests are published on the diagnostics channels', async (context) => {
    const server = await startHttpServer(context, (_request, response) => response.end('ok'));
    const seen: string[] = [];
    const listen = (message: unknown): void => {
      const { request } = message as { readonly request: { readonly origin: string; readonly path: string } };
      seen.push(request.origin + request.path);
    };
    subscribe('undici:request:create', listen);
    context.after(() => unsubscribe('undici:request:create', listen));
    await textOf(await transportFor(context).send(get(`${server.origin}/v1`), never));
    assert.deepEqual(seen, [`${server.origin}/v1`]);
  });

  test('do not load undici before the first request', async () => {
    const code = `
      import { createRequire } from 'node:module';
      await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
      const { cache } = createRequire(import.meta.url);
      process.stdout.write(String(Object.keys(cache).some((path) => path.includes('undici'))));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
    assert.equal(stdout, 'false');
  });
});

describe('HTTP/2', () => {
  const folder = join(import.meta.dirname, '../../test/support/tls');
  const caFile = join(folder, 'cert.pem');
  const credentials = { cert: readFileSync(caFile), key: readFileSync(join(folder, 'key.pem')) };

  async function startHttp2(context: TestContext, onStream: (stream: ServerHttp2Stream, path: string) => void) {
    const server = createSecureServer(credentials);
    const sessions = new Set<ServerHttp2Session>();
    server.on('session', (session) => sessions.add(session));
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      onStream(stream as ServerHttp2Stream, headers[':path'] ?? '');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.after(() => {
      for (const session of sessions) session.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { origin: `https://localhost:${port}`, sessions };
  }

  test('multiplexes many calls over one connection', async (context) => {
    const server = await startHttp2(context, (stream, path) => {
      stream.respond({ ':status': 200, 'x-twice': ['a', 'b'] });
      setTimeout(() => stream.end(path), 5);
    });
    const transport = transportFor(context, { http2: true, caFile });
    const asked = Array.from({ length: 20 }, (_, index) => `/${index}`);
    const all = await Promise.all(asked.map((path) => transport.send(get(server.origin + path), never)));
    assert.deepEqual(await Promise.all(all.map(textOf)), asked);
    assert.equal(all[0]?.headers['x-twice'], 'a, b');
    assert.equal(server.sessions.size, 1);
  });

  for (const [how, cut] of Object.entries({
    'stream is reset': (stream: ServerHttp2Stream) => stream.destroy(new Error('cut')),
    'session is destroyed': (stream: ServerHttp2Stream) => stream.session?.destroy(),
  })) {
    test(`has no silent end when the ${how}`, async (context) => {
      const server = await startHttp2(context, (stream) => {
        stream.respond({ ':status': 200 });
        stream.write('half', () => setTimeout(() => cut(stream), 20));
      });
      const response = await transportFor(context, { http2: true, caFile }).send(get(server.origin), never);
      await assert.rejects(textOf(response), failsWith('network', /in the middle of the response/));
    });
  }

  test('ends the stream with an abort, and rejects with its reason', async (context) => {
    const closed = Promise.withResolvers<void>();
    const server = await startHttp2(context, (stream) => {
      stream.on('close', closed.resolve);
      stream.respond({ ':status': 200 });
      stream.write('half');
    });
    const controller = new AbortController();
    const { body } = await transportFor(context, { http2: true, caFile }).send(get(server.origin), controller.signal);
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    const waiting = reader.next();
    controller.abort('why');
    await assert.rejects(waiting, (reason) => reason === 'why');
    await closed.promise;
  });
});
