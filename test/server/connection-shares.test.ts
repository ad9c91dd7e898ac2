// A greedy key cannot take the connections of a server from the others, and probes work on a full one.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';

import { ConnectionLimit } from '../../src/server/http/connection-limit.ts';
import type { GatewayKey, KeyScope } from '../../src/server/server.ts';
import { openSocket, startBoth } from '../support/gateway-server.ts';
import { openSocketClient } from '../support/socket-client.ts';

const keyNamed = (name: string, ...scopes: KeyScope[]): GatewayKey => ({
  name,
  hash: hash('sha256', `secret-of-${name}`, 'hex'),
  scopes,
});
const keys = [keyNamed('greedy', 'call'), keyNamed('polite', 'call'), keyNamed('prometheus', 'metrics')];
const as = (name: string): Record<string, string> => ({ authorization: `Bearer secret-of-${name}` });

/** Sends a request on a connection that stays open, and returns the response. */
async function ask(socket: Socket, path: string, name: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret-of-${name}\r\n\r\n`);
  let received = '';
  for (;;) {
    const [data] = (await once(socket, 'data')) as [Buffer];
    received += data.toString();
    const [head = '', body] = received.split('\r\n\r\n');
    if (body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1])) return received;
  }
}

async function answerOf(socket: Socket): Promise<string> {
  return (await ask(socket, '/', 'any')).split('\r\n').at(-1) ?? '';
}

async function open(context: TestContext, url: string): Promise<Socket> {
  const socket = await openSocket(url);
  context.after(() => socket.destroy());
  socket.on('error', () => undefined);
  return socket;
}

describe('40 idle connections of one key', () => {
  test('leave the other key its part', async (context) => {
    const { url } = await startBoth(context, undefined, { keys, maxConnections: 40 });
    const statuses: string[] = [];
    for (let count = 0; count < 40; count++) statuses.push(await ask(await open(context, url), '/v1/models', 'greedy'));
    assert.equal(statuses.filter((head) => head.startsWith('HTTP/1.1 200')).length, 30);
    const refused = statuses.find((head) => head.startsWith('HTTP/1.1 503')) ?? '';
    assert.match(refused, /retry-after: 1[^]*the key \\"greedy\\" has too many open connections/i);
    for (let count = 0; count < 10; count++)
      assert.match(await ask(await open(context, url), '/v1/models', 'polite'), /^HTTP\/1\.1 200/);
    for (const [path, status] of [
      ['/health', 200],
      ['/ready', 200],
      ['/metrics', 200],
      ['/v1/models', 503],
    ] as const)
      assert.match(await ask(await open(context, url), path, 'prometheus'), new RegExp(`^HTTP/1.1 ${status}`), path);
  });

  test('in the WebSocket mode do so, too', async (context) => {
    const { url } = await startBoth(context, undefined, { keys, maxConnections: 8 });
    for (let count = 0; count < 6; count++) await openSocketClient(context, url, as('greedy'));
    await assert.rejects(openSocketClient(context, url, as('greedy')));
    await openSocketClient(context, url, as('polite'));
  });
});

test('a connection without a key makes room after a second of silence', async (context) => {
  let now = 0;
  let owners = 2;
  const server = createServer((request, response) => {
    limit.begin(request.socket);
    response.end(String(limit.isOver(request.socket)));
    response.once('close', () => limit.end(request.socket));
  });
  const limit = new ConnectionLimit(server, { limit: 2, owners: () => owners, now: () => now });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const dial = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    context.after(() => socket.destroy());
    await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
    return socket;
  };
  context.after(() => server.close());
  const first = await dial();
  const second = await dial();
  assert.equal(await answerOf(await dial()), 'true');
  now = 1000;
  assert.equal(await answerOf(second), 'false');
  const third = await dial();
  await once(first.resume(), 'close');
  assert.equal(await answerOf(third), 'false');
  // Both have just been used.
  assert.equal(await answerOf(await dial()), 'true');
  now = 5000;
  owners = 1;
  assert.equal(await answerOf(await dial()), 'true');
});
