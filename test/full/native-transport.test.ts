// Connections of the native engine: certificates, proxies, limits and failures give the errors of the library.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { ClientCase } from '../embed/cases.ts';
import { runInEngine, runInLibrary, type Outcome } from '../support/conformance.ts';
import { startNativeEngine, type NativeEngine } from '../support/native-engine.ts';
import { skipNative } from '../support/native-library.ts';

const folder = join(import.meta.dirname, '../support/tls');
const certificate = join(folder, 'cert.pem');
const credentials = { cert: readFileSync(certificate), key: readFileSync(join(folder, 'key.pem')) };

const answer: RequestListener = (request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  const message = { role: 'assistant', content: `for ${request.headers.host?.split(':')[0]}` };
  response.end(JSON.stringify({ id: '1', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }));
};

async function listen(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    (server as Partial<ReturnType<typeof createPlainServer>>).closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

function asking(baseUrl: string, options: object = {}): ClientCase {
  const all = { provider: 'openai', apiKey: 'k', baseUrl: `${baseUrl}/v1`, retry: false, ...options };
  return { name: baseUrl, options: all, input: { messages: 'Hello', stream: false }, model: 'm', mode: 'complete' };
}

function textOf({ items }: Outcome): unknown {
  return (items[0] as { completion?: { text?: string } } | undefined)?.completion?.text;
}

describe('the native engine connects as the library does', { skip: skipNative }, () => {
  let engine: NativeEngine;
  before(async () => {
    engine = await startNativeEngine();
  });
  after(() => engine.close());

  /** The error of the library, after a check that the engine has the same. */
  async function commonError(one: ClientCase): Promise<{ kind: string; message: string }> {
    const expected = await runInLibrary(one);
    const found = await runInEngine(one, engine.call);
    assert.deepEqual(found.error, JSON.parse(JSON.stringify(expected.error)));
    return expected.error as { kind: string; message: string };
  }

  test('to a server whose certificate a file contains', async (context) => {
    const port = await listen(context, createSecureServer(credentials, answer));
    const network = { caFile: certificate };
    for (const host of ['localhost', '127.0.0.1']) {
      const outcome = await runInEngine(asking(`https://${host}:${port}`, { network }), engine.call);
      assert.equal(textOf(outcome), `for ${host}`, JSON.stringify(outcome));
    }
    assert.match((await commonError(asking(`https://localhost:${port}`))).message, /self-signed certificate/);
    const plain = await listen(context, createPlainServer(answer));
    assert.equal((await commonError(asking(`https://localhost:${plain}`, { network }))).kind, 'network');
  });

  test('but not with files that are wrong', async () => {
    for (const network of [
      { caFile: '/nowhere/ca.pem' },
      { caFile: join(folder, 'key.pem') },
      { clientCertFile: certificate },
      { clientCertFile: certificate, clientKeyFile: certificate },
    ]) {
      const { kind } = await commonError(asking('https://localhost:1', { network }));
      assert.equal(kind, 'configuration');
    }
  });

  test('through a proxy, with its password, except to hosts that need none', async (context) => {
    const target = await listen(context, createSecureServer(credentials, answer));
    const tunnels: unknown[] = [];
    const server = createPlainServer(answer);
    server.on('connect', ({ url, headers }, socket) => {
      tunnels.push([url, headers['proxy-authorization']]);
      const through = connect(target, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(through).pipe(socket);
      });
    });
    const port = await listen(context, server);
    const proxy = { httpProxy: `http://me:pass%20word@127.0.0.1:${port}`, noProxy: '127.0.0.1' };
    const network = { caFile: certificate };
    const outcome = await runInEngine(asking('https://localhost:4', { proxy, network }), engine.call);
    assert.equal(textOf(outcome), 'for localhost', JSON.stringify(outcome));
    assert.deepEqual(tunnels, [['localhost:4', `Basic ${btoa('me:pass word')}`]]);
    assert.match((await commonError(asking('https://127.0.0.1:4', { proxy }))).message, /connection refused/);
    const wrong = await commonError(asking('https://localhost:4', { proxy: { httpsProxy: 'socks5://x' } }));
    assert.equal(wrong.kind, 'configuration');
  });

  test('with a limit for the time to connect', async (context) => {
    // Accepts connections, and never answers the handshake.
    const port = await listen(context, createTcpServer());
    const { kind, message } = await commonError(asking(`https://localhost:${port}`, { timeouts: { connect: 150 } }));
    assert.equal(kind, 'timeout');
    assert.match(message, /150 ms/);
  });

  test('and refuses responses that it cannot trust', async (context) => {
    const coded = await listen(
      context,
      createPlainServer((_request, response) => response.writeHead(200, { 'content-encoding': 'br' }).end('x')),
    );
    const large = await listen(
      context,
      createPlainServer((_request, response) => response.writeHead(200, { 'x-large': 'x'.repeat(70_000) }).end()),
    );
    for (const port of [coded, large]) {
      const { error } = await runInEngine(asking(`http://127.0.0.1:${port}`), engine.call);
      assert.equal((error as { kind: string }).kind, 'bad-response', JSON.stringify(error));
    }
  });

  test('and uses an idle connection only while the server keeps it', async (context) => {
    for (const [announced, connections] of [
      [60_000, 1],
      [1_000, 3],
    ] as const) {
      let opened = 0;
      const server = createPlainServer({ keepAliveTimeout: announced }, answer);
      server.on('connection', () => (opened += 1));
      const one = asking(`http://127.0.0.1:${await listen(context, server)}`);
      for (let turn = 0; turn < 3; turn += 1) await runInEngine(one, engine.call);
      assert.equal(opened, connections, `announced ${announced} ms`);
    }
  });

  test('and closes the connection of a stream that is closed', async (context) => {
    const closed = Promise.withResolvers<void>();
    const server = createPlainServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
      response.on('close', closed.resolve);
    });
    const { options } = asking(`http://127.0.0.1:${await listen(context, server)}`);
    const { client } = resultOf(await engine.call({ call: 'open-client', options }));
    const opened = await engine.call({ call: 'open-stream', client: client ?? 0, input: 'Hello', model: 'm' });
    const { stream = 0 } = resultOf(opened);
    await engine.call({ call: 'read-stream', stream });
    await engine.call({ call: 'close-stream', stream });
    await closed.promise;
  });
});

function resultOf(reply: object): { readonly client?: number; readonly stream?: number } {
  assert.ok('result' in reply, JSON.stringify(reply));
  return reply.result as { readonly client?: number };
}
