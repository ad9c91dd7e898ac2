// Requests as a server receives them over both transports, and rejected headers that would split a request.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { startSocketServer } from '../../test/support/server.ts';
import { transportFor, transportNames, type TransportName } from '../../test/support/transports.ts';
import { readWhole } from '../providers/body.ts';
import type { TransportRequest } from './transport.ts';

const never = new AbortController().signal;

interface Arrived {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Sends one request and returns what the server received. */
async function deliver(
  context: TestContext,
  name: TransportName,
  request: Partial<TransportRequest>,
): Promise<Arrived> {
  const chunks: Buffer[] = [];
  const server = await startSocketServer(context, (socket) => {
    socket.on('data', (bytes: Buffer) => {
      chunks.push(bytes);
      const text = Buffer.concat(chunks).toString('latin1');
      const [head = '', body] = text.split('\r\n\r\n', 2);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (body !== undefined && body.length >= length) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  const url = `${server.origin}/v1/a?b=c`;
  const transport = transportFor(context, name);
  await readWhole((await transport.send({ method: 'POST', headers: {}, ...request, url }, never)).body);
  const received = Buffer.concat(chunks);
  const [line = '', ...headers] = received.subarray(0, received.indexOf('\r\n\r\n')).toString('latin1').split('\r\n');
  return { line, headers: headers.map(lowerName), body: received.subarray(received.indexOf('\r\n\r\n') + 4) };
}

function lowerName(header: string): string {
  return header.replace(/^[^:]+/, (name) => name.toLowerCase());
}

for (const name of transportNames) {
  describe(`${name}: a request`, () => {
    test('has a request line, headers, and the length of its body in bytes', async (context) => {
      const headers = { 'X-Mine': 'yes', 'accept-encoding': 'identity' };
      const arrived = await deliver(context, name, { headers, body: '{}' });
      assert.equal(arrived.line, 'POST /v1/a?b=c HTTP/1.1');
      for (const header of [
        'connection: keep-alive',
        'accept-encoding: identity',
        'x-mine: yes',
        'content-length: 2',
      ]) {
        assert.ok(arrived.headers.includes(header), header);
      }
      assert.equal(arrived.headers.filter((header) => header.startsWith('host: ')).length, 1);
      assert.equal(arrived.body.toString(), '{}');
    });

    test('announces an empty body, unless its method has none', async (context) => {
      const empty = await deliver(context, name, { body: '' });
      assert.ok(empty.headers.includes('content-length: 0'));
      const none = await deliver(context, name, { method: 'GET' });
      assert.doesNotMatch(none.headers.join(' '), /content-length|transfer-encoding/);
    });

    for (const body of ['plain', 'gr\u00fcn', '\u4f60\u597d', '\ud83d\ude00', '\ud800']) {
      test(`keeps a header in Latin-1 and body ${JSON.stringify(body)} in UTF-8`, async (context) => {
        const arrived = await deliver(context, name, { headers: { a: 'gr\u00fcn' }, body });
        assert.ok(arrived.headers.includes('a: gr\u00fcn'));
        assert.deepEqual(arrived.body, Buffer.from(body));
      });
    }
  });

  describe(`${name}: rejected before anything is sent`, () => {
    const headers: Readonly<Record<string, Record<string, string>>> = {
      'a line end': { a: 'b\r\nc: d' },
      'a line feed': { a: 'b\n' },
      'a carriage return': { a: '\rb' },
      'NUL': { a: 'b\0' },
      'a character that is not Latin-1': { a: '\u4f60' },
      'a line end in a name': { 'a\r\nb': 'c' },
      'a blank in a name': { 'a b': 'c' },
      'a colon in a name': { 'a:b': 'c' },
      'no name': { '': 'c' },
      'a length': { 'Content-Length': '5' },
      'a transfer encoding': { 'transfer-encoding': 'chunked' },
      'an upgrade': { upgrade: 'h2c' },
      'an expectation': { expect: '100-continue' },
      'another use of the connection': { connection: 'upgrade' },
    };
    for (const [what, wrong] of Object.entries(headers)) {
      test(what, async (context) => {
        const server = await startSocketServer(context, () => undefined);
        const request = { method: 'POST', url: server.origin, headers: wrong } as const;
        await assert.rejects(
          transportFor(context, name).send(request, never),
          failsWith('configuration', /cannot be sent: invalid (header name "|[-\w]+ header)/),
        );
        assert.equal(server.connectionCount(), 0);
      });
    }
  });
}
