// Answers made up at random, whole, cut short and damaged, read by our reader and by Node's own client: what is valid both
// hear alike, and what ours takes for an answer is one to Node's too.

import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import {
  assert as assertProperty,
  asyncProperty,
  constantFrom,
  array,
  integer,
  nat,
  record,
  string,
  tuple,
} from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { AnswerReader, type AnswerSink } from '../src/providers/http/answer-reader.ts';
import type { AnswerHead } from '../src/providers/http/head-parser.ts';

interface Heard {
  outcome: 'whole' | 'cut' | 'refused' | 'odd extension';
  status: number;
  headers: Record<string, string>;
  body: string;
}

type Answer = readonly string[];

function oneOf(characters: string): Arbitrary<string> {
  return constantFrom(...characters.split(''));
}

const word = string({ unit: oneOf('abcXYZ019-_'), minLength: 1, maxLength: 8 });
const value = string({ unit: oneOf('abc019 ,;=\t"\u00e4'), maxLength: 12 }).map((text) => text.trim());
const fields = array(
  tuple(
    word.map((name) => `X-${name}`),
    value,
  ),
  { maxLength: 4 },
);
const text = string({ unit: oneOf('ab\r\n0:\0\u00ff'), maxLength: 40 });
const status = constantFrom(200, 201, 204, 304, 400, 418, 500, 599);
const reason = constantFrom('', ' ', ' OK', " I'm a Teapot");
const extension = constantFrom('', ';a', ';a=b;c="d"');
const interim = constantFrom('', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n');
const connection = constantFrom('', 'Connection: close\r\n', 'connection: keep-alive\r\nKeep-Alive: timeout=5\r\n');

const parts = { status, reason, interim, connection, fields, extension, chunks: array(text, { maxLength: 4 }) };
const framing = constantFrom('length', 'chunked', 'close');

/** As its head, its body, and both in one. */
const answer: Arbitrary<string> = record({ ...parts, framing, trailers: fields }).map((made) => {
  const line = `HTTP/1.1 ${made.status}${made.reason}\r\n`;
  const head = made.interim + line + lines(made.fields) + made.connection;
  const body = made.chunks.join('');
  if (made.status === 204 || made.status === 304) return `${head}\r\n`;
  if (made.framing === 'close') return `${head}\r\n${body}`;
  if (made.framing === 'length') return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const chunks = made.chunks.filter((chunk) => chunk !== '');
  const encoded = chunks.map((chunk) => `${chunk.length.toString(16)}${made.extension}\r\n${chunk}\r\n`).join('');
  return `${head}transfer-encoding: chunked\r\n\r\n${encoded}0\r\n${lines(made.trailers)}\r\n`;
});

const edit = record({
  place: nat(),
  remove: integer({ min: 0, max: 3 }),
  insert: constantFrom(
    '',
    '\r',
    '\n',
    '\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    '0',
    '1',
    'f',
    '-',
    ',',
    'a',
    '\u007f',
    '\u00ff',
  ),
});
const damaged = tuple(answer, array(edit, { minLength: 1, maxLength: 3 })).map(([whole, edits]) =>
  edits.reduce((before, { place, remove, insert }) => {
    const start = place % (before.length + 1);
    return before.slice(0, start) + insert + before.slice(start + remove);
  }, whole),
);
const noise = string({ unit: oneOf('HTP/1. 20\r\n:abc\0\u00ff'), maxLength: 60 });

/** The same answers every time, unless the environment says otherwise: HTTP_SEED=7 npm test. */
export const defaultSeed = 20_261_116;

/** Gives how many answers were compared. */
export async function checkReading(seed: number, runs: number): Promise<number> {
  let compared = 0;
  const options = { seed, numRuns: runs };
  const cuts = array(nat(), { maxLength: 6 });
  const short = nat().map((place) => (place % 3 === 0 ? place : Infinity));
  await assertProperty(
    asyncProperty(answer, cuts, short, async (whole, places, end) => {
      const bytes = end === Infinity ? whole : whole.slice(0, end % (whole.length + 1));
      const [ours] = oursOf(split(bytes, places));
      assert.deepEqual(ours, await referenceOf(split(bytes, places)));
      compared += 1;
    }),
    options,
  );
  for (const wrong of [damaged, noise]) {
    await assertProperty(
      asyncProperty(wrong, cuts, async (bytes, places) => {
        const [ours, left] = oursOf(split(bytes, places));
        assert.deepEqual(oursOf([bytes])[0], ours);
        compared += 1;
        if (ours.outcome !== 'whole' || left > 0) return;
        const reference = await referenceOf(split(bytes, places));
        if (reference.outcome !== 'odd extension') assert.deepEqual(ours, reference);
      }),
      options,
    );
  }
  return compared;
}

function lines(headers: readonly (readonly [string, string])[]): string {
  return headers.map(([name, content]) => `${name}: ${content}\r\n`).join('');
}

function split(bytes: string, places: readonly number[]): Answer {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...cuts].map((start, index) => bytes.slice(start, cuts[index])).filter((part) => part !== '');
}

class Listener implements AnswerSink {
  readonly heard: Heard = { outcome: 'cut', status: 0, headers: {}, body: '' };

  begin({ status: code, headers }: AnswerHead): void {
    this.heard.status = code;
    this.heard.headers = { ...headers };
  }

  allocate(size: number): Buffer {
    return Buffer.alloc(size);
  }

  take(piece: Uint8Array): void {
    this.heard.body += Buffer.from(piece).toString('latin1');
  }
}

/** Also how many bytes are left over. */
function oursOf(answered: Answer): readonly [heard: Heard, left: number] {
  const listener = new Listener();
  const reader = new AnswerReader(listener);
  const { heard } = listener;
  let left = 0;
  try {
    for (const part of answered) {
      const bytes = Buffer.from(part, 'latin1');
      left += bytes.length - (reader.isDone ? 0 : reader.push(bytes, bytes.length));
    }
    reader.finish();
    heard.outcome = 'whole';
  } catch (error) {
    heard.outcome = (error as { code: string }).code === 'NOT_HTTP' ? 'refused' : 'cut';
  }
  return [heard, left];
}

async function referenceOf(answered: Answer): Promise<Heard> {
  const heard: Heard = { outcome: 'cut', status: 0, headers: {}, body: '' };
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const sent = request({ createConnection: () => socket, host: 'host', maxHeaderSize: 64 * 1024 });
  const closed = Promise.withResolvers<void>();
  sent.on('error', ({ code = '', reason: why = '' }: NodeJS.ErrnoException & { readonly reason?: string }) => {
    if (!code.startsWith('HPE_')) return;
    // We drop what stands behind a chunk's size, whatever it is, and Node looks at its grammar.
    heard.outcome = why.includes('chunk extensions') ? 'odd extension' : 'refused';
  });
  sent.on('response', (response) => listen(response, heard));
  sent.on('close', closed.resolve);
  sent.end();
  await new Promise(setImmediate);
  for (const part of answered) socket.push(Buffer.from(part, 'latin1'));
  socket.push(null);
  await closed.promise;
  return heard;
}

function listen(response: IncomingMessage, heard: Heard): void {
  heard.status = response.statusCode ?? 0;
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    const name = response.rawHeaders[index]?.toLowerCase() ?? '';
    const content = response.rawHeaders[index + 1] ?? '';
    heard.headers[name] = heard.headers[name] === undefined ? content : `${heard.headers[name]}, ${content}`;
  }
  response.setEncoding('latin1');
  response.on('data', (piece) => (heard.body += String(piece)));
  response.on('error', () => undefined);
  response.on('end', () => {
    if (response.complete && heard.outcome === 'cut') heard.outcome = 'whole';
  });
}
