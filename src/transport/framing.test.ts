// Answers taken apart: what each says, however its bytes are cut, and which are refused because two readers could
// understand them in two ways.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AnswerReader, type AnswerSink } from './answer-reader.ts';
import { mostChunkLineBytes } from './chunked-decoder.ts';
import { mostHeadBytes, mostHeadLines, type AnswerHead } from './head-parser.ts';

interface Heard {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
  /** `done` and what follows it, `open` when more is to come, else the code of what was thrown. */
  readonly outcome: string;
}

class Listener implements AnswerSink {
  head: AnswerHead | undefined;
  readonly pieces: Uint8Array[] = [];

  begin(head: AnswerHead): void {
    this.head = head;
  }

  allocate(size: number): Buffer {
    return Buffer.alloc(size);
  }

  take(piece: Uint8Array): void {
    this.pieces.push(piece);
  }
}

/** Reads each part from the same memory, as sockets do. */
function read(parts: readonly string[], endsThere = false): Heard {
  const listener = new Listener();
  const reader = new AnswerReader(listener);
  const memory = Buffer.alloc(256 * 1024);
  let outcome = 'open';
  try {
    for (const part of parts) {
      if (reader.isDone) break;
      memory.fill('?');
      const end = memory.write(part, 'latin1');
      reader.push(memory, end);
    }
    if (endsThere) reader.finish();
    if (reader.isDone) outcome = reader.framing?.isReusable ? 'done, reusable' : 'done';
  } catch (error) {
    outcome = (error as { code: string }).code;
  }
  const { status, headers } = listener.head ?? {};
  const body = Buffer.concat(listener.pieces).toString('latin1');
  return { ...(status === undefined ? {} : { status, headers: { ...headers } }), body, outcome };
}

function* cutsOf(text: string): Generator<readonly string[]> {
  yield text.split('');
  for (let index = 1; index < text.length; index++) yield [text.slice(0, index), text.slice(index)];
}

/** The same, cut anywhere. */
function readEveryWay(text: string, endsThere = false): Heard {
  const heard = read([text], endsThere);
  for (const parts of cutsOf(text)) assert.deepEqual(read(parts, endsThere), heard, JSON.stringify(parts[0]));
  return heard;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

describe('an answer', () => {
  test('has a status, headers in lower case, repeated ones joined, and a body of the length it says', () => {
    const text = `HTTP/1.1 418 I'm a Teapot\r\nX-Twice: a\r\nx-tWICE:\t b c \t\r\nempty:\r\nContent-Length: 5\r\n\r\nhello`;
    assert.deepEqual(readEveryWay(text), {
      status: 418,
      headers: { 'x-twice': 'a, b c', 'empty': '', 'content-length': '5' },
      body: 'hello',
      outcome: 'done, reusable',
    });
  });

  test('may come in chunks, with extensions and trailers', () => {
    const text = `${chunked}5;a=b;c="d"\r\nhello\r\n0006\r\n world\r\nA\r\n0123456789\r\n0\r\nX-After: 1\r\n\r\n`;
    const { body, outcome, headers } = readEveryWay(text);
    assert.deepEqual([body, outcome], ['hello world0123456789', 'done, reusable']);
    assert.equal(headers?.['x-after'], undefined);
    assert.equal(readEveryWay(`${chunked}0\r\n\r\n`).outcome, 'done, reusable');
  });

  test('may end with the connection, which then serves nobody else', () => {
    assert.deepEqual(readEveryWay(`${ok}a: b\r\n\r\nhello`, true).outcome, 'done');
    assert.equal(readEveryWay(`${ok}\r\n`, true).outcome, 'done');
    assert.equal(readEveryWay(`${ok}\r\nhello`).outcome, 'open');
  });

  test('may come after interim ones', () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const heard = readEveryWay(`${interim}${ok}content-length: 2\r\n\r\nhi`);
    assert.deepEqual([heard.status, heard.body, Object.keys(heard.headers ?? {})], [200, 'hi', ['content-length']]);
  });

  test('of 204 and 304 has no body, whatever it says of one', () => {
    assert.equal(readEveryWay('HTTP/1.1 204 No Content\r\n\r\n').outcome, 'done, reusable');
    assert.equal(readEveryWay('HTTP/1.1 304 Not Modified\r\n\r\n').outcome, 'done, reusable');
    assert.equal(readEveryWay('HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n').outcome, 'done');
    assert.equal(readEveryWay('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n').outcome, 'done');
    assert.equal(readEveryWay('HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n').outcome, 'done');
  });

  test('may do without words behind the status', () => {
    for (const line of ['HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 200 Gr\u00fc\u00df\tGott']) {
      assert.equal(readEveryWay(`${line}\r\ncontent-length: 0\r\n\r\n`).status, 200);
    }
  });

  test('may have headers with the names of what every object has', () => {
    const { headers } = read([`${ok}__proto__: a\r\nconstructor: b\r\nconstructor: c\r\ncontent-length: 0\r\n\r\n`]);
    assert.deepEqual(Object.entries(headers ?? {}), [
      ['__proto__', 'a'],
      ['constructor', 'b, c'],
      ['content-length', '0'],
    ]);
  });

  test('leaves what does not belong to it', () => {
    for (const answer of [
      `${ok}content-length: 2\r\n\r\nhi`,
      `${chunked}2\r\nhi\r\n0\r\n\r\n`,
      `${ok}content-length: 0\r\n\r\n`,
    ]) {
      const reader = new AnswerReader(new Listener());
      const bytes = Buffer.from(`${answer}HTTP/1.1 200 OK`);
      assert.equal(reader.push(bytes, bytes.length), answer.length);
      assert.equal(reader.isDone, true);
    }
  });
});

function keptFor(header: string): number | undefined {
  const reader = new AnswerReader(new Listener());
  const bytes = Buffer.from(`${ok}${header}content-length: 0\r\n\r\n`);
  reader.push(bytes, bytes.length);
  return reader.framing?.keptFor;
}

describe('a connection', () => {
  const answers: Readonly<Record<string, string>> = {
    'HTTP/1.1 200 OK\r\nConnection: close': 'done',
    'HTTP/1.1 200 OK\r\nconnection: x, CLOSE': 'done',
    'HTTP/1.1 200 OK\r\nconnection: keep-alive': 'done, reusable',
    'HTTP/1.0 200 OK': 'done',
    'HTTP/1.0 200 OK\r\nConnection: Keep-Alive': 'done, reusable',
    'HTTP/1.0 200 OK\r\nConnection: keep-alive, close': 'done',
  };
  for (const [head, outcome] of Object.entries(answers)) {
    test(`after ${JSON.stringify(head)}`, () => {
      assert.equal(readEveryWay(`${head}\r\ncontent-length: 1\r\n\r\nx`).outcome, outcome);
    });
  }

  test('is kept for as long as the server says', () => {
    assert.equal(keptFor('keep-alive: timeout=5, max=100\r\n'), 5000);
    assert.equal(keptFor('keep-alive: max=1,Timeout=7\r\n'), 7000);
    assert.equal(keptFor('keep-alive: nottimeout=5\r\n'), undefined);
    assert.equal(keptFor('keep-alive: timeout=99999999999\r\n'), undefined);
    assert.equal(keptFor(''), undefined);
  });
});

describe('an answer that was cut', () => {
  const cut: Readonly<Record<string, string>> = {
    [ok]: 'CLOSED_BY_SERVER',
    'HTT': 'CLOSED_BY_SERVER',
    'HTTP/1.1 100 Continue\r\n\r\n': 'CLOSED_BY_SERVER',
    [`${ok}content-length: 5\r\n\r\nhalf`]: 'SHORT_ANSWER',
    [`${ok}content-length: 5\r\n\r\n`]: 'SHORT_ANSWER',
    [`${chunked}5\r\nhello\r\n`]: 'CLOSED_BY_SERVER',
    [`${chunked}5\r\nhello\r\n0\r\n`]: 'CLOSED_BY_SERVER',
    [`${chunked}5\r\nhello\r\n0\r\n\r`]: 'CLOSED_BY_SERVER',
    [`${chunked}5\r\nhello\r\n0\r\na: b\r\n`]: 'CLOSED_BY_SERVER',
    [chunked]: 'CLOSED_BY_SERVER',
  };
  for (const [text, code] of Object.entries(cut)) {
    test(JSON.stringify(text), () => assert.equal(readEveryWay(text, true).outcome, code));
  }
});

describe('refused', () => {
  const heads: readonly string[] = [
    'SSH-2.0-OpenSSH_9.9\r\n',
    'HTTPS/1.1 200 OK\r\n',
    'HTTP/2 200 OK\r\n',
    'HTTP/1.2 200 OK\r\n',
    'HTTP/1.1  200 OK\r\n',
    'HTTP/1.1 20 OK\r\n',
    'HTTP/1.1 2000 OK\r\n',
    'HTTP/1.1 099 OK\r\n',
    'HTTP/1.1 200 O\0K\r\n',
    'HTTP/1.1 200 O\rK\r\n',
    'HTTP/1.1 200 OK\n',
    ' HTTP/1.1 200 OK\r\n',
    '\r\nHTTP/1.1 200 OK\r\n',
    '\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n',
    'HTTP/1.0 100 Continue\r\n\r\n',
    `${ok}a: b\n`,
    `${ok}\n`,
    `${ok}a: b\r\n folded\r\n`,
    `${ok}a: b\r\n\tfolded\r\n`,
    `${ok}a : b\r\n`,
    `${ok}a\t: b\r\n`,
    `${ok}: b\r\n`,
    `${ok}no colon\r\n`,
    `${ok}a(b): c\r\n`,
    `${ok}\u00e4: b\r\n`,
    `${ok}a: b\0c\r\n`,
    `${ok}a: b\rc\r\n`,
    `${ok}a: b\r\r\n`,
    `${ok}a: b\u007f\r\n`,
    `${ok}content-length: 5\r\ncontent-length: 5\r\n\r\n`,
    `${ok}content-length: 5\r\ncontent-length: 6\r\n\r\n`,
    `${ok}content-length: 5, 5\r\n\r\n`,
    `${ok}content-length: -1\r\n\r\n`,
    `${ok}content-length: +5\r\n\r\n`,
    `${ok}content-length: 0x5\r\n\r\n`,
    `${ok}content-length: 5 5\r\n\r\n`,
    `${ok}content-length: 5.0\r\n\r\n`,
    `${ok}content-length: 1e3\r\n\r\n`,
    `${ok}content-length:\r\n\r\n`,
    `${ok}content-length: 5\t\r\n\r\n`,
    `${ok}transfer-encoding: chunked\t\r\n\r\n`,
    `${ok}Transfer-Encoding:\tchunked\r\n\r\n`,
    `${ok}content-length: 99999999999999999999\r\n\r\n`,
    `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n`,
    `${ok}transfer-encoding: gzip, chunked\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`,
    `${ok}transfer-encoding: chunked, identity\r\n\r\n`,
    `${ok}transfer-encoding: xchunked\r\n\r\n`,
    `${ok}transfer-encoding: identity\r\n\r\n`,
    `${ok}transfer-encoding:\r\n\r\n`,
    `HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n`,
  ];
  for (const text of heads) {
    test(JSON.stringify(text), () => assert.deepEqual(readEveryWay(text), { body: '', outcome: 'NOT_HTTP' }));
  }

  const bodies: readonly string[] = [
    '\r\n',
    'x\r\n',
    '-1\r\n',
    '0x5\r\n',
    ' 5\r\n',
    '5 \r\n',
    '5\n',
    '5\rx',
    '5\r\nhello!',
    '5\r\nhello\n',
    '5\r\nhello\rx',
    ';a\r\n',
    '5;a\0b\r\n',
    '5;a\nb\r\n',
    '5;a\rb\r\n',
    '20000000000000\r\n',
    'ffffffffffffffff\r\n',
    '0\r\n a: b\r\n',
    '0\r\na b\r\n',
    '0\r\na: b\n',
    '0\r\n\n',
  ];
  for (const text of bodies) {
    test(`in chunks: ${JSON.stringify(text)}`, () => {
      const { status, body, outcome } = readEveryWay(chunked + text);
      // What came before is not taken back.
      assert.deepEqual([status, body, outcome], [200, text.startsWith('5\r\nhello') ? 'hello' : '', 'NOT_HTTP']);
    });
  }

  test('too much of anything that is not the body', () => {
    const line = `a: ${'b'.repeat(1000)}\r\n`;
    const long = `${ok}a: ${'b'.repeat(mostHeadBytes)}`;
    const endless = `HTTP/1.1 ${'2'.repeat(mostHeadBytes)}`;
    const interim = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(mostHeadBytes / 25 + 1);
    for (const text of [
      `${ok}${line.repeat(mostHeadBytes / 1000 + 1)}`,
      `${ok}${'a: b\r\n'.repeat(mostHeadLines + 1)}`,
      long,
      endless,
      interim,
      `${chunked}5;${'a'.repeat(mostChunkLineBytes)}`,
      `${chunked}${'0'.repeat(mostChunkLineBytes + 1)}`,
      `${chunked}0\r\n${'a: b\r\n'.repeat(mostHeadLines + 1)}`,
      `${chunked}0\r\n${line.repeat(mostHeadBytes / 1000 + 1)}`,
    ]) {
      assert.equal(read([text]).outcome, 'NOT_HTTP');
      assert.equal(read(text.match(/[^]{1,97}/g) ?? []).outcome, 'NOT_HTTP');
    }
    const most = `${ok}${'a: b\r\n'.repeat(mostHeadLines - 1)}content-length: 0\r\n\r\n`;
    assert.equal(read([most]).outcome, 'done, reusable');
    assert.equal(
      read([`${chunked}1;${'a'.repeat(mostChunkLineBytes - 3)}\r\nx\r\n0\r\n\r\n`]).outcome,
      'done, reusable',
    );
  });
});
