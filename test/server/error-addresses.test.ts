// Errors that clients get do not contain the address of a provider, however it fails. The log contains it.

import assert from 'node:assert/strict';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';

import { ask, startGateway } from '../support/gateway-server.ts';
import { findFreePort } from '../support/server.ts';

/** What the provider does with a connection on which a request has arrived. */
const failures: Readonly<Record<string, ((socket: Socket) => void) | undefined>> = {
  'is not there': undefined,
  'closes the connection': (socket) => void socket.end(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'speaks no HTTP': (socket) => void socket.end('SSH-2.0-OpenSSH\r\n'),
  'redirects': (socket) => void socket.end(`HTTP/1.1 302 Found\r\nlocation: ${here(socket)}/login\r\n\r\n`),
  'sends a wrong length': (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'),
  'breaks off a stream': (socket) =>
    void socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\nda'),
  'sends headers that are too large': (socket) =>
    void socket.end(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`),
  'sends an unknown coding': (socket) =>
    void socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: rot13\r\ncontent-length: 1\r\n\r\nx'),
};

const here = ({ localPort }: Socket): string => `http://127.0.0.1:${localPort}`;

async function startUpstream(context: TestContext, fail: ((socket: Socket) => void) | undefined): Promise<number> {
  if (fail === undefined) return findFreePort();
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => fail(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  context.after(() => void server.close());
  return (server.address() as { readonly port: number }).port;
}

const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const calls: readonly (readonly [path: string, body: object])[] = ['openai', 'anthropic', 'google', 'both'].flatMap(
  (provider) => {
    const model = `${provider}/m`;
    return [
      ['/v1/chat/completions', ask(model, 'Hi')],
      ['/v1/chat/completions', ask(model, 'Hi', { stream: true })],
      ['/v1/messages', ask(model, 'Hi', { stream: true })],
      ['/v1/responses', { model, input: 'Hi', stream: true }],
      [`/v1beta/models/${model}:generateContent`, { contents }],
      ...(provider === 'openai'
        ? ([
            ['/v1/embeddings', { model, input: ['Hi'] }],
            ['/v1/images/generations', { model, prompt: 'Hi' }],
            ['/v1/files', {}],
          ] as const)
        : []),
    ] as const;
  },
);

describe('a provider that', () => {
  for (const [what, fail] of Object.entries(failures)) {
    test(`${what} is not named by its address`, async (context) => {
      const port = await startUpstream(context, fail);
      const origin = `http://127.0.0.1:${port}`;
      const records: object[] = [];
      const write = (record: object): void => void records.push(record);
      const logger = { level: 'info', debug: () => undefined, error: write, warn: write, info: write };
      const aliases = { 'both/m': { targets: ['openai/m', 'anthropic/m'] } };
      const { post } = await startGateway(context, origin, { logger, gateway: { aliases } });
      for (const [path, body] of calls) {
        const response = await post(path, body);
        // A forwarded response that breaks off is cut.
        const text = await response.text().catch(() => 'error: cut');
        assert.ok(response.status >= 400 || text.includes('error'), `${path} ${text}`);
        assert.doesNotMatch(text, /127\.0\.0\.1/, `${path} ${JSON.stringify(body)}`);
        assert.ok(!text.includes(String(port)), text);
        assert.doesNotMatch(JSON.stringify([...response.headers]), /127\.0\.0\.1/);
      }
      assert.equal(records.filter((record) => 'type' in record && record.type === 'call').length, calls.length);
      if (fail === undefined) assert.ok(JSON.stringify(records).includes(`"address":"${origin}"`));
    });
  }
});
