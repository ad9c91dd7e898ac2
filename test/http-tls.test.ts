// The transport through TLS and through proxies, from a process that trusts the certificate of the test and one that does
// not. Nothing is closed by force: that the programs end shows that connections at rest keep nobody.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';

const folder = join(import.meta.dirname, 'tls');
const certificate = join(folder, 'cert.pem');
const credentials = { cert: readFileSync(certificate), key: readFileSync(join(folder, 'key.pem')) };

async function listen(context: TestContext, server: Server & { closeAllConnections(): void }): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(async () => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Says what the handshake settled, and closes the connection where the path asks for it. */
const tellHandshake: RequestListener = (request, response) => {
  const socket = request.socket as TLSSocket & { readonly servername: string | false };
  const told = [socket.alpnProtocol, socket.servername, socket.isSessionReused() ? 'resumed' : 'full'];
  if (request.url === '/close') response.setHeader('connection', 'close');
  response.end(request.url === '/long' ? 'x'.repeat(1_000_000) : told.join(' '));
};

interface TestProxy {
  readonly port: number;
  readonly asked: string[];
}

/** Leads every tunnel to `target`, and answers other requests itself. */
async function startProxy(context: TestContext, target: number, isSecure: boolean): Promise<TestProxy> {
  const asked: string[] = [];
  const server = isSecure ? createSecureServer(credentials) : createPlainServer();
  server.on('connect', ({ url, headers }, socket) => {
    asked.push(`${url} ${headers['proxy-authorization']}`);
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
  });
  server.on('request', ({ url, headers }, response) => {
    if (headers['proxy-authorization'] === undefined) response.statusCode = 407;
    response.end(`proxied ${url}`);
  });
  return { port: await listen(context, server), asked };
}

/** What a program heard from each URL. */
async function ask(urls: readonly string[], { proxy = {}, isTrusting = true } = {}): Promise<string[]> {
  const env = isTrusting ? { ...process.env, NODE_EXTRA_CA_CERTS: certificate } : process.env;
  const program = [join(folder, 'asking.ts'), JSON.stringify(proxy), ...urls];
  const { stdout } = await promisify(execFile)(process.execPath, program, { env, timeout: 20_000 });
  return stdout.trimEnd().split('\n');
}

describe('TLS', () => {
  test('tells the name, settles on HTTP/1.1, and resumes sessions', async (context) => {
    const port = await listen(context, createSecureServer(credentials, tellHandshake));
    const named = `https://localhost:${port}`;
    assert.deepEqual(await ask([`${named}/close`, `${named}/`, `${named}/long`, `https://127.0.0.1:${port}/`]), [
      'http/1.1 localhost full',
      'http/1.1 localhost resumed',
      '1000000 characters',
      'http/1.1 false full',
    ]);
  });

  test('is refused with a certificate that nobody vouches for', async (context) => {
    const port = await listen(context, createSecureServer(credentials, tellHandshake));
    const [answer] = await ask([`https://localhost:${port}/`], { isTrusting: false });
    assert.match(answer ?? '', /^could not connect to https:\/\/localhost:\d+ \(self-signed certificate/);
  });
});

for (const isSecure of [false, true]) {
  describe(`a proxy that speaks ${isSecure ? 'https' : 'http'}`, () => {
    test('carries https through a tunnel and answers for http', async (context) => {
      const port = await listen(context, createSecureServer(credentials, tellHandshake));
      const proxy = await startProxy(context, port, isSecure);
      const httpProxy = `${isSecure ? 'https' : 'http'}://me:pass%20word@localhost:${proxy.port}`;
      const named = `https://localhost:${port}`;
      const urls = [`${named}/close`, `${named}/`, `${named}/long`, 'http://model.example/v1?a=b'];
      assert.deepEqual(await ask(urls, { proxy: { httpProxy } }), [
        'http/1.1 localhost full',
        'http/1.1 localhost resumed',
        '1000000 characters',
        'proxied http://model.example/v1?a=b',
      ]);
      const tunnel = `localhost:${port} Basic ${btoa('me:pass word')}`;
      assert.deepEqual(proxy.asked, [tunnel, tunnel]);
    });

    test('that wants a password says so', async (context) => {
      const proxy = await startProxy(context, 9, isSecure);
      const httpProxy = `${isSecure ? 'https' : 'http'}://localhost:${proxy.port}`;
      const [answer] = await ask(['http://model.example/v1'], { proxy: { httpProxy } });
      assert.match(
        answer ?? '',
        /^lost the connection to http:\/\/model\.example .*Proxy Authentication Required \(407\)/,
      );
    });
  });
}
