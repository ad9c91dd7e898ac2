// Interim responses are removed wherever the bytes are cut, and nothing else is.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import { InterimFilter } from './interim-response.ts';
import { openUndiciTransport } from './undici.ts';

const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
const response = 'HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nab';

function filtered(chunks: readonly string[]): string {
  const filter = new InterimFilter();
  filter.restart();
  return chunks.map((chunk) => filter.push(Buffer.from(chunk, 'latin1'))?.toString('latin1') ?? '').join('');
}

test('any number before a response is removed, cut at every byte', () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  const others = ['', interim, interim + interim, interim + hints + interim, 'HTTP/1.1 100\r\nx-a: b\r\n\r\n'];
  for (const before of others) {
    const sent = before + response;
    for (let cut = 0; cut <= sent.length; cut++)
      assert.equal(filtered([sent.slice(0, cut), sent.slice(cut)].filter((part) => part !== '')), response);
    assert.equal(filtered(sent.split('')), response);
  }
});

test('other responses and the bytes of a body pass', () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
  for (const sent of [upgrade + interim, 'HTTP/1.1 500 No\r\n\r\n', 'H', 'nonsense', `x${interim}`]) {
    assert.equal(filtered([`${sent}\n`]), `${sent}\n`);
  }
  assert.equal(filtered(['HTTP/1.1 200 OK\r\n\r\n', interim]), `HTTP/1.1 200 OK\r\n\r\n${interim}`);
});

test('nothing is removed while no response is expected', () => {
  const filter = new InterimFilter();
  assert.equal(String(filter.push(Buffer.from(interim))), interim);
});

test('a head without an end is passed on at a limit', () => {
  const filter = new InterimFilter();
  filter.restart();
  assert.equal(filter.push(Buffer.from(interim.slice(0, -2))), undefined);
  const passed = filter.push(Buffer.alloc(70_000, 'x'));
  assert.equal(passed?.length, interim.length - 2 + 70_000);
});

test('undici reads the response after it, again and again on one connection', async (context) => {
  const body = '{"a":1}';
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      // The body may arrive after the head.
      if (!String(data).endsWith('{}')) return;
      socket.write(interim.slice(0, 5));
      setImmediate(() =>
        socket.write(`${interim.slice(5)}${interim}HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n${body}`),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const transport = await openUndiciTransport({ maxConnections: 1 });
  context.after(async () => {
    await transport.close();
    server.close();
  });
  const { port } = server.address() as { readonly port: number };
  const { signal } = new AbortController();
  for (let round = 0; round < 3; round++) {
    const request = { method: 'POST', url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' } as const;
    const { status, body: received } = await transport.send(request, signal);
    assert.deepEqual([status, await text(received)], [200, body]);
  }
  assert.equal(connections, 1);
});
