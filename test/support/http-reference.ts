// Random HTTP responses, complete, truncated and damaged, read by a transport and by Node's own HTTP client. Both must give
// the same result for valid responses. A damaged response must give the same result however its bytes are split.

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
import type { ReadResult, Reader } from './response-reader.ts';

interface Reference {
  isComplete: boolean;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The bytes of a response, split into writes. */
type Parts = readonly string[];

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
const interim = constantFrom('', 'HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n');
const connection = constantFrom('', 'Connection: close\r\n', 'connection: keep-alive\r\nKeep-Alive: timeout=5\r\n');

const parts = { status, reason, interim, connection, fields, extension, chunks: array(text, { maxLength: 4 }) };
const framing = constantFrom('length', 'chunked', 'close');

/** The bytes of a valid response, as Latin-1. */
const responseBytes: Arbitrary<string> = record({ ...parts, framing, trailers: fields }).map((made) => {
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
const damaged = tuple(responseBytes, array(edit, { minLength: 1, maxLength: 3 })).map(([complete, edits]) =>
  edits.reduce((before, { place, remove, insert }) => {
    const start = place % (before.length + 1);
    return before.slice(0, start) + insert + before.slice(start + remove);
  }, complete),
);
const noise = string({ unit: oneOf('HTP/1. 20\r\n:abc\0\u00ff'), maxLength: 60 });

/** The same responses in every run. To try others: `HTTP_SEED=7 npm test`. */
export const defaultSeed = 20_261_116;

/** Returns the number of compared responses. */
export async function checkReading(read: Reader, seed: number, runs: number): Promise<number> {
  let compared = 0;
  const options = { seed, numRuns: runs };
  const cuts = array(nat(), { maxLength: 6 });
  const short = nat().map((place) => (place % 3 === 0 ? place : Infinity));
  await assertProperty(
    asyncProperty(responseBytes, cuts, short, async (complete, places, end) => {
      const cut = split(end === Infinity ? complete : complete.slice(0, end % (complete.length + 1)), places);
      const { outcome, ...heard } = await read(cut);
      const reference = await referenceOf(cut);
      compared += 1;
      if (outcome === 'whole') assert.deepEqual({ isComplete: true, ...heard }, reference);
      else assert.equal(reference.isComplete, false, outcome);
    }),
    options,
  );
  for (const wrong of [damaged, noise]) {
    await assertProperty(
      asyncProperty(wrong, cuts, async (bytes, places) => {
        const [atOnce, inParts] = await Promise.all([read([bytes]), read(split(bytes, places))]);
        compared += 1;
        assert.deepEqual(completeOf(atOnce), completeOf(inParts));
      }),
      options,
    );
  }
  return compared;
}

/** The kind of an error may depend on how the bytes are split. Whether it fails, and the content, must not. */
function completeOf(heard: ReadResult): ReadResult | undefined {
  return heard.outcome === 'whole' ? heard : undefined;
}

function lines(headers: readonly (readonly [string, string])[]): string {
  return headers.map(([name, content]) => `${name}: ${content}\r\n`).join('');
}

function split(bytes: string, places: readonly number[]): Parts {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...cuts].map((start, index) => bytes.slice(start, cuts[index])).filter((part) => part !== '');
}

async function referenceOf(sentParts: Parts): Promise<Reference> {
  const heard: Reference = { isComplete: false, status: 0, headers: {}, body: '' };
  let isRefused = false;
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const sent = request({ createConnection: () => socket, host: 'host', maxHeaderSize: 64 * 1024 });
  const closed = Promise.withResolvers<void>();
  sent.on('error', ({ code = '' }: NodeJS.ErrnoException) => (isRefused ||= code.startsWith('HPE_')));
  sent.on('response', (incoming) => listen(incoming, heard));
  sent.on('close', closed.resolve);
  sent.end();
  await new Promise(setImmediate);
  for (const part of sentParts) socket.push(Buffer.from(part, 'latin1'));
  socket.push(null);
  await closed.promise;
  return { ...heard, isComplete: heard.isComplete && !isRefused };
}

function listen(response: IncomingMessage, heard: Reference): void {
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
    heard.isComplete = response.complete;
  });
}
