// The gateway connects only to the addresses of its configuration, whatever a client sends, wherever an upstream
// redirects, and whatever the environment says. A trap listens at the addresses it must not connect to.

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';

import type { Transport, TransportRequest } from '../../src/transport/transport.ts';
import { addressesOf, redirections, type Redirection } from '../support/attacks/address-forms.ts';
import { ask, startBoth, startGateway, type TestGateway } from '../support/gateway-server.ts';
import { startHttpServer, startSocketServer } from '../support/server.ts';
import { never, request } from '../support/upstream.ts';
import { createGateway } from '../../src/node.ts';

const paths = ['/v1/chat/completions', '/v1/messages'] as const;

/** Listens on every address of this machine that a test may reach, and expects no connection. */
async function startTrap(context: TestContext): Promise<{ port: number; visits: () => number }> {
  const { port, connectionCount } = await startSocketServer(context, (socket) => void socket.destroy());
  let visits = 0;
  const other = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  // Some machines have no IPv6.
  await new Promise<void>((resolve) => other.once('error', () => resolve()).listen(port, '::1', resolve));
  context.after(() => other.close());
  return { port, visits: () => visits + connectionCount() };
}

/** The ports that sockets of this process connect to while the test runs. */
function watchConnections(context: TestContext): Set<string> {
  const reached = new Set<string>();
  const listener = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => reached.add(`${address}:${port}`));
    socket.on('lookup', (_error: unknown, _address: unknown, _family: unknown, host: string) => reached.add(host));
  };
  subscribe('net.client.socket', listener);
  context.after(() => unsubscribe('net.client.socket', listener));
  return reached;
}

async function send({ url }: TestGateway, path: string, form: Redirection): Promise<number> {
  const { model = 'openai/m', headers = {}, query = '', body = {}, content = 'hi' } = form;
  const response = await fetch(url + path + query, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...ask(model, ''), messages: [{ role: 'user', content }], ...body }),
  });
  await response.text();
  return response.status;
}

describe('addresses sent by a client', () => {
  const count = Object.keys(redirections).length * addressesOf(1).length * paths.length;
  test(`${count} forms: nothing but the configured upstream is reached`, async (context) => {
    assert.ok(count >= 120);
    const trap = await startTrap(context);
    const { upstream, ...gateway } = await startBoth(context, undefined, { gateway: { onlyConfigured: true } });
    const reached = watchConnections(context);
    const { host } = new URL(upstream.url);
    for (const redirect of Object.values(redirections)) {
      const forms = addressesOf(trap.port).map(redirect);
      const sent = paths.flatMap((path) => forms.map((form) => send(gateway, path, form)));
      for (const status of await Promise.all(sent)) assert.ok(status < 500 || status === 502, String(status));
    }
    assert.equal(trap.visits(), 0);
    assert.deepEqual([...reached].toSorted(), [host, new URL(gateway.url).host].toSorted());
    assert.ok(upstream.requests.length > 300, 'what is harmless passes');
    for (const { headers, path } of upstream.requests) {
      assert.equal(headers['host'], host);
      assert.equal(path, '/v1/chat/completions');
      assert.equal(headers['authorization'], 'Bearer ***');
    }
  });

  test('a schema reference is not fetched', async (context) => {
    const trap = await startTrap(context);
    const gateway = await startBoth(context);
    for (const address of addressesOf(trap.port)) {
      const response = await gateway.post('/v1/heal', { text: '{}', schema: { $ref: address, $schema: address } });
      assert.ok(response.status < 500);
    }
    assert.equal(trap.visits(), 0);
  });

  test('a vendor that is not configured is not called, though its address is known', async (context) => {
    const asked: TransportRequest[] = [];
    const gateway = createGateway({ providers: [], onlyConfigured: true }, { transport: recordingInto(asked) });
    context.after(() => gateway.close());
    for (const model of ['ollama/m', 'lmstudio/m', 'vllm/m', 'openai/m', 'openai-compatible/m', 'simulated/m']) {
      await assert.rejects(gateway.open({ ...request, model }, never), { kind: 'not-found' });
    }
    assert.deepEqual(asked, []);
  });
});

function recordingInto(asked: TransportRequest[]): Transport {
  return {
    send(sent) {
      asked.push(sent);
      return Promise.reject(new Error('not connected'));
    },
    close: () => Promise.resolve(),
  };
}

describe('addresses sent by an upstream', () => {
  const statuses = [300, 301, 302, 303, 304, 305, 307, 308] as const;
  for (const provider of ['openai', 'anthropic']) {
    test(`${provider}: redirects are reported, not followed, and reveal no key`, async (context) => {
      const trap = await startTrap(context);
      let status = 0;
      let location = '';
      const upstream = await startHttpServer(context, (incoming, response) => {
        incoming.resume();
        response.writeHead(status, { location, 'refresh': `0;url=${location}`, 'alt-svc': `h2=":${trap.port}"` }).end();
      });
      const gateway = await startGateway(context, upstream.origin);
      const addresses = addressesOf(trap.port).filter((address) => /^[\u0020-\u007e]+$/.test(address));
      for (status of statuses) {
        for (location of addresses) {
          for (const stream of [true, false]) {
            const response = await gateway.post(paths[0], ask(`${provider}/m`, 'hi', { stream }));
            assert.equal(response.status, 502);
            assert.equal(response.headers.get('location'), null);
            assert.doesNotMatch(await response.text(), /upstream-key/);
          }
        }
      }
      assert.equal(trap.visits(), 0);
    });
  }

  test('other services in its headers are not used', async (context) => {
    const trap = await startTrap(context);
    const upstream = await startHttpServer(context, (incoming, response) => {
      incoming.resume();
      const place = `http://127.0.0.1:${trap.port}/`;
      response.writeHead(201, {
        'content-type': 'application/json',
        'location': place,
        'content-location': place,
        'link': `<${place}>; rel=preload`,
        'alt-svc': `h3=":${trap.port}"`,
      });
      response.end('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}');
    });
    const gateway = await startGateway(context, upstream.origin);
    for (let count = 0; count < 3; count++) await gateway.post(paths[0], ask('openai/m', 'hi'));
    assert.equal(trap.visits(), 0);
    assert.equal(upstream.connectionCount(), 1);
  });
});

test('proxies in the environment are not used unless the settings say so', async (context) => {
  const trap = await startTrap(context);
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const before = names.map((name) => process.env[name]);
  context.after(() => {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
  });
  for (const name of names) process.env[name] = `http://127.0.0.1:${trap.port}`;
  const gateway = await startBoth(context);
  for (const provider of ['openai', 'anthropic']) {
    assert.equal((await gateway.post(paths[0], ask(`${provider}/m`, 'hi'))).status, 200);
  }
  assert.equal(trap.visits(), 0);
});
