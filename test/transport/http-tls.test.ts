// The transports over TLS and through proxies, from a process that trusts the test certificate and from one that does not.
// Nothing is closed explicitly: the programs end, so idle connections do not keep a process alive.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createSecureServer as createSecureServer2 } from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import type { UndiciOptions } from '../../src/transport/undici.ts';

const folder = join(import.meta.dirname, '../support/tls');
const certificate = join(folder, 'cert.pem');
const credentials = { cert: readFileSync(certificate), key: readFileSync(join(folder, 'key.pem')) };

/** For the server behind a proxy. The proxy must not see the client certificate. */
const ownCertificates = { caFile: certificate, clientCertFile: certificate, clientKeyFile: join(folder, 'key.pem') };

async function listen(context: TestContext, server: Server & { closeAllConnections(): void }): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(async () => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Reports the result of the handshake, and closes the connection if the path requests it. */
const tellHandshake: RequestListener = (request, response) => {
  const socket = request.socket as TLSSocket & { readonly servername: string | false };
  const told = [socket.alpnProtocol, socket.servername, socket.isSessionReused() ? 'resumed' : 'full'];
  if (request.url === '/close') response.setHeader('connection', 'close');
  response.end(request.url === '/long' ? 'x'.repeat(1_000_000) : told.join(' '));
};

const tellPeer: RequestListener = ({ socket }, response) => {
  response.end(`for ${String((socket as TLSSocket).getPeerCertificate().subject.CN)}`);
};

interface TestProxy {
  readonly port: number;
  readonly asked: string[];
}

const asksForCertificate = { requestCert: true, rejectUnauthorized: false };

/** Connects every tunnel to `target`, and responds to other requests itself. */
async function startProxy(context: TestContext, target: number, isSecure: boolean): Promise<TestProxy> {
  const asked: string[] = [];
  const server = isSecure ? createSecureServer({ ...credentials, ...asksForCertificate }) : createPlainServer();
  server.on('connect', ({ url, headers }, socket) => {
    const isKnown = isSecure && (socket as TLSSocket).getPeerCertificate().subject !== undefined;
    asked.push(`${url} ${headers['proxy-authorization']}${isKnown ? ' with a certificate' : ''}`);
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

interface Asking {
  /** Of the undici transport; `fetch` for the other one. */
  readonly options?: UndiciOptions | 'fetch';
  /** Whether Node trusts the certificate from its start. */
  readonly isTrusting?: boolean;
}

/** What a program heard from each URL. */
async function ask(urls: readonly string[], { options = {}, isTrusting = true }: Asking = {}): Promise<string[]> {
  const env = isTrusting ? { ...process.env, NODE_EXTRA_CA_CERTS: certificate } : process.env;
  const program = [join(folder, 'request-urls.ts'), options === 'fetch' ? options : JSON.stringify(options), ...urls];
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

  for (const options of [{}, 'fetch'] as const) {
    test(`is rejected with an untrusted certificate (${JSON.stringify(options)})`, async (context) => {
      const port = await listen(context, createSecureServer(credentials, tellHandshake));
      const [answer] = await ask([`https://localhost:${port}/`], { options, isTrusting: false });
      assert.match(
        answer ?? '',
        /^could not connect to https:\/\/localhost:\d+ \(self-signed certificate; trust its issuer with ca_file/,
      );
    });
  }

  test('works over fetch, with HTTP/1.1', async (context) => {
    const port = await listen(context, createSecureServer(credentials, tellHandshake));
    const [answer] = await ask([`https://localhost:${port}/long`], { options: 'fetch' });
    assert.equal(answer, '1000000 characters');
  });

  test('trusts the certificate authorities of a file', async (context) => {
    const port = await listen(context, createSecureServer(credentials, tellHandshake));
    const named = `https://localhost:${port}`;
    const options = { caFile: certificate };
    assert.deepEqual(await ask([`${named}/close`, `${named}/`], { options, isTrusting: false }), [
      'http/1.1 localhost full',
      'http/1.1 localhost resumed',
    ]);
  });

  test('sends the client certificate of a file, and fails without it', async (context) => {
    const settings = { ...credentials, ca: credentials.cert, requestCert: true, rejectUnauthorized: true };
    const port = await listen(context, createSecureServer(settings, tellPeer));
    const url = `https://localhost:${port}/`;
    assert.deepEqual(await ask([url], { options: ownCertificates, isTrusting: false }), ['for localhost']);
    const [refused] = await ask([url]);
    // Whether the reason or the close of the connection is seen first is a race.
    assert.match(
      refused ?? '',
      /requires a client certificate; set client_cert_file|closed by the server|connection reset/,
    );
  });

  test('uses HTTP/2 only if it is configured', async (context) => {
    const server = createSecureServer2({ ...credentials, allowHTTP1: true }, (request, response) => {
      response.end(`HTTP/${request.httpVersion}`);
    });
    const port = await listen(context, Object.assign(server, { closeAllConnections: () => undefined }));
    const url = `https://localhost:${port}/`;
    assert.deepEqual(await ask([url, url]), ['HTTP/1.1', 'HTTP/1.1']);
    assert.deepEqual(await ask([url, url], { options: { http2: true } }), ['HTTP/2.0', 'HTTP/2.0']);
  });

  const wrongFiles: Readonly<Record<string, readonly [options: UndiciOptions, message: RegExp]>> = {
    'a missing file': [
      { caFile: '/nowhere/ca.pem' },
      /^network\.caFile, .* ca_file under \[network\]: \/nowhere\/ca\.pem cannot be read \(ENOENT\)/,
    ],
    'a file without a certificate': [
      { caFile: join(folder, 'key.pem') },
      /^network\.caFile, .* contains no certificate in PEM/,
    ],
    'a certificate without its key': [
      { clientCertFile: certificate },
      /^network\.clientCertFile is set without clientKeyFile/,
    ],
    'a key that is none': [
      { clientCertFile: certificate, clientKeyFile: certificate },
      /^network\.clientKeyFile, .* contains no private key in PEM/,
    ],
  };
  for (const [what, [options, message]] of Object.entries(wrongFiles)) {
    test(`is not tried with ${what}`, async () => {
      const [answer] = await ask(['https://localhost:9/'], { options });
      assert.match(answer ?? '', message);
    });
  }
});

for (const isSecure of [false, true]) {
  describe(`a proxy that speaks ${isSecure ? 'https' : 'http'}`, () => {
    test('tunnels https and forwards http', async (context) => {
      const port = await listen(context, createSecureServer(credentials, tellHandshake));
      const proxy = await startProxy(context, port, isSecure);
      const httpProxy = `${isSecure ? 'https' : 'http'}://me:pass%20word@localhost:${proxy.port}`;
      const named = `https://localhost:${port}`;
      const urls = [`${named}/close`, `${named}/`, `${named}/long`, 'http://model.example/v1?a=b'];
      assert.deepEqual(await ask(urls, { options: { proxy: { httpProxy }, ...ownCertificates }, isTrusting: false }), [
        'http/1.1 localhost full',
        'http/1.1 localhost resumed',
        '1000000 characters',
        'proxied http://model.example/v1?a=b',
      ]);
      const tunnel = `localhost:${port} Basic ${btoa('me:pass word')}`;
      assert.deepEqual(new Set(proxy.asked), new Set([tunnel]));
      // The first was closed, and the second may not be free again when the third request begins.
      assert.ok(proxy.asked.length <= 3);
    });

    test('that requires a password is reported', async (context) => {
      const proxy = await startProxy(context, 9, isSecure);
      const httpProxy = `${isSecure ? 'https' : 'http'}://localhost:${proxy.port}`;
      const [answer] = await ask(['http://model.example/v1'], { options: { proxy: { httpProxy } } });
      assert.match(
        answer ?? '',
        /^lost the connection to http:\/\/model\.example .*Proxy Authentication Required \(407\)/,
      );
    });
  });
}
