// HTTP framing over both transports: responses are read correctly however their bytes are split, malformed ones are
// rejected, and a truncated response is never taken for complete. A table lists what undici and Node's `fetch` accept
// beyond a strict reader, and why that is safe: the connection is not reused, or the bytes have only one meaning.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { places } from '../../test/support/enumeration.ts';
import { startReader, type ReadResult, type Reader } from '../../test/support/response-reader.ts';
import { transportNames } from '../../test/support/transports.ts';

/** Checks that the result is the same however the bytes are split; the exchanges run concurrently. */
async function readEveryWay(read: Reader, text: string, step = 1): Promise<ReadResult> {
  const heard = await read([text]);
  const inner = [...places(text.length, step)].filter((place) => place > 0 && place < text.length);
  for (let start = 0; start < inner.length; start += 32) {
    const some = inner.slice(start, start + 32);
    const each = await Promise.all(some.map((place) => read([text.slice(0, place), text.slice(place)])));
    each.forEach((other, index) => assert.deepEqual(other, heard, `cut at ${some[index]}`));
  }
  return heard;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

/** Rejected by both. */
const refused: readonly string[] = [
  'SSH-2.0-OpenSSH_9.9\r\n',
  'HTTPS/1.1 200 OK\r\n',
  'HTTP/1.2 200 OK\r\n\r\n',
  'HTTP/1.1 20 OK\r\n\r\n',
  'HTTP/1.1 2000 OK\r\n\r\n',
  'HTTP/1.1 200 OK\n\n',
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n',
  `${ok}a: b\n\n`,
  `${ok}a : b\r\n\r\n`,
  `${ok}a\t: b\r\n\r\n`,
  `${ok}: b\r\n\r\n`,
  `${ok}no colon\r\n\r\n`,
  `${ok}a(b): c\r\n\r\n`,
  `${ok}\u00e4: b\r\n\r\n`,
  `${ok}a: b\0c\r\n\r\n`,
  `${ok}a: b\rc\r\n\r\n`,
  `${ok}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
  `${ok}content-length: 5, 5\r\n\r\nhello`,
  `${ok}content-length: -1\r\n\r\nhello`,
  `${ok}content-length: +5\r\n\r\nhello`,
  `${ok}content-length: 0x5\r\n\r\nhello`,
  `${ok}content-length: 5 5\r\n\r\nhello`,
  `${ok}content-length: 5.0\r\n\r\nhello`,
  `${ok}content-length: 1e3\r\n\r\nhello`,
  `${ok}content-length: 99999999999999999999\r\n\r\nhello`,
  `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `${ok}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  'HTTP/2 200 OK\r\ncontent-length: 5\r\n\r\nhello',
  'HTTP/1.1  200 OK\r\ncontent-length: 5\r\n\r\nhello',
  'HTTP/1.1 099 OK\r\ncontent-length: 5\r\n\r\nhello',
  'HTTP/1.1 200 O\rK\r\ncontent-length: 5\r\n\r\nhello',
  ' HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello',
  `${ok}a: b\r\n folded\r\ncontent-length: 5\r\n\r\nhello`,
  `${ok}a: b\r\r\ncontent-length: 5\r\n\r\nhello`,
  `${ok}a: b\u007f\r\ncontent-length: 5\r\n\r\nhello`,
  `${ok}content-length: 5\r\ncontent-length: 5\r\n\r\nhello`,
  `${ok}content-length:\r\n\r\nhello`,
  `${ok}content-length: 5\t\r\n\r\nhello`,
  `${ok}transfer-encoding: chunked\t\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `${ok}transfer-encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `${ok}transfer-encoding: chunked, identity\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `${ok}transfer-encoding: xchunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `${ok}transfer-encoding: identity\r\n\r\nhello`,
  `${ok}transfer-encoding:\r\n\r\nhello`,
];

/** Accepted by both, with only one meaning. The reason phrase is ignored; the connection is not reused. */
const lenient: readonly string[] = [
  'HTTP/1.1 200 O\0K\r\ncontent-length: 5\r\n\r\nhello',
  '\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello',
  'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
];

const refusedChunks: readonly string[] = [
  '\r\n',
  'x\r\n',
  '-1\r\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  ' 5\r\nhello\r\n0\r\n\r\n',
  '5\nhello\r\n0\r\n\r\n',
  '5\rxhello\r\n0\r\n\r\n',
  '5\r\nhello!\r\n0\r\n\r\n',
  '5\r\nhello\n0\r\n\r\n',
  ';a\r\nhello\r\n0\r\n\r\n',
  '5;a\0b\r\nhello\r\n0\r\n\r\n',
  'ffffffffffffffffff\r\nhello\r\n0\r\n\r\n',
  '0\r\na b\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  '5;a\nb\r\nhello\r\n0\r\n\r\n',
  '5;a\rb\r\nhello\r\n0\r\n\r\n',
  '20000000000000\r\nhello',
  '0\r\n a: b\r\n\r\n',
  '0\r\na: b\n\r\n',
  '0\r\n\n',
  '5\r\nhello\rx0\r\n\r\n',
];

for (const name of transportNames) {
  describe(`${name}: a response`, () => {
    test('has a status, headers in lower case, repeated headers joined, and a body of the announced length', async (context) => {
      const text = `HTTP/1.1 418 I'm a Teapot\r\nX-Twice: a\r\nx-tWICE:\t b c\r\nContent-Length: 5\r\n\r\nhello`;
      const { status, headers, body, outcome } = await readEveryWay(await startReader(context, name), text);
      assert.deepEqual([status, headers?.['x-twice'], body, outcome], [418, 'a, b c', 'hello', 'whole']);
    });

    test('may be chunked, with extensions and trailers', async (context) => {
      const text = `${chunked}5;a=b;c="d"\r\nhello\r\n0006\r\n world\r\nA\r\n0123456789\r\n0\r\nX-After: 1\r\n\r\n`;
      const { body, outcome, headers } = await readEveryWay(await startReader(context, name), text);
      assert.deepEqual([body, outcome], ['hello world0123456789', 'whole']);
      assert.equal(headers?.['x-after'], undefined);
    });

    test('may end with the connection', async (context) => {
      const { body, outcome } = await readEveryWay(await startReader(context, name), `${ok}a: b\r\n\r\nhello`);
      assert.deepEqual([body, outcome], ['hello', 'whole']);
    });

    test('may follow an interim response', async (context) => {
      const text = `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}content-length: 2\r\n\r\nhi`;
      const { status, headers, body } = await readEveryWay(await startReader(context, name), text);
      assert.deepEqual([status, headers?.['link'], body], [200, undefined, 'hi']);
    });

    test('with status 204 or 304 has no body, whatever its headers announce', async (context) => {
      const read = await startReader(context, name);
      for (const line of ['HTTP/1.1 204 No Content', 'HTTP/1.1 304 Not Modified']) {
        for (const header of ['', 'content-length: 5\r\n', 'transfer-encoding: chunked\r\n']) {
          const { body, outcome } = await read([`${line}\r\n${header}\r\n`], false);
          assert.deepEqual([body, outcome], ['', 'whole'], line + header);
        }
      }
    });

    test('may have no reason phrase', async (context) => {
      const read = await startReader(context, name);
      for (const line of ['HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 200 Gr\u00fc\u00df\tGott']) {
        assert.equal((await read([`${line}\r\ncontent-length: 0\r\n\r\n`])).status, 200);
      }
    });

    for (const text of lenient) {
      test(`is accepted: ${JSON.stringify(text)}`, async (context) => {
        const { status, body, outcome } = await readEveryWay(await startReader(context, name), text);
        assert.deepEqual([status, body, outcome], [200, 'hello', 'whole']);
      });
    }

    test('may have headers named like inherited members of every object', async (context) => {
      const read = await startReader(context, name);
      const { headers = {} } = await read([`${ok}__proto__: a\r\nconstructor: b\r\ncontent-length: 0\r\n\r\n`]);
      assert.deepEqual([Object.getPrototypeOf(headers), headers['constructor']], [Object.prototype, 'b']);
    });
  });

  describe(`${name}: a truncated response`, () => {
    const cut: readonly string[] = [
      ok,
      'HTT',
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      `${ok}content-length: 5\r\n\r\nhalf`,
      `${ok}content-length: 5\r\n\r\n`,
      `${chunked}5\r\nhello\r\n`,
      `${chunked}5\r\nhello\r\n0\r\n`,
      `${chunked}5\r\nhello\r\n0\r\n\r`,
      `${chunked}5\r\nhello\r\n0\r\na: b\r\n`,
      chunked,
    ];
    for (const text of cut) {
      test(JSON.stringify(text), async (context) => {
        const { outcome } = await readEveryWay(await startReader(context, name), text);
        assert.match(outcome, /^(?:network|bad-response)$/);
      });
    }

    test('cut at any byte of its body is never taken for complete', async (context) => {
      const read = await startReader(context, name);
      for (const text of [
        `${ok}content-length: 11\r\n\r\nhello world`,
        `${chunked}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`,
      ]) {
        const all = Array.from({ length: text.length }, (_, end) => read([text.slice(0, end)]));
        for (const { outcome } of await Promise.all(all)) assert.match(outcome, /^(?:network|bad-response)$/);
      }
    });
  });

  describe(`${name}: rejected`, () => {
    for (const text of [...refused, ...refusedChunks.map((body) => chunked + body)]) {
      test(JSON.stringify(text), async (context) => {
        const { outcome } = await readEveryWay(await startReader(context, name), text, 9);
        assert.match(outcome, /^(?:network|bad-response)$/);
      });
    }

    test('an oversized head', async (context) => {
      const read = await startReader(context, name);
      for (const text of [
        `${ok}a: ${'b'.repeat(128 * 1024)}\r\n\r\n`,
        `${ok}${`a: ${'b'.repeat(1000)}\r\n`.repeat(128)}\r\n`,
      ]) {
        assert.match((await read([text])).outcome, /^(?:network|bad-response)$/);
      }
    });
  });
}
