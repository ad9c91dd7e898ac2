// Readers of a JSON text that arrives four characters at a time and has a partial value after each chunk. Readers
// without state parse the text from the beginning for each chunk; their time is estimated from a sample of the
// prefixes.

import { parsePartialJson } from 'ai';
import { jsonrepair } from 'jsonrepair';
import { parse } from 'jsonriver';

import { healStream } from '../../src/heal/index.ts';
import { cutEvery } from '../../test/support/chunks.ts';
import { cpuMs } from './clock.ts';
import { recordsSchema } from './document.ts';

export type Reader = (text: string) => unknown;

const chunkLength = 4;
const sampled = 120;

export const untyped: Reader = (text) => read(text, healStream());

export const typed: Reader = (text) => read(text, healStream(recordsSchema));

export const monotone: Reader = (text) => read(text, healStream(recordsSchema, { monotone: true }));

function read(text: string, stream: { push(chunk: string): unknown; readonly partial: unknown; end(): unknown }) {
  let seen: unknown;
  for (const chunk of cutEvery(text, chunkLength)) {
    stream.push(chunk);
    seen = stream.partial;
  }
  stream.end();
  return seen;
}

export const river: Reader = async (text) => {
  let seen: unknown;
  for await (const value of parse(arriving(text))) seen = value;
  return seen;
};

async function* arriving(text: string): AsyncGenerator<string> {
  yield* cutEvery(text, chunkLength);
}

/** Parses the repaired text too, because the comparison is about values. */
export const repairAgain: Reader = (text) => JSON.parse(jsonrepair(text)) as unknown;

/** The AI SDK's function for incomplete text. */
export const aiSdkAgain: Reader = parsePartialJson;

/** Milliseconds of CPU time for parsing every prefix of the text. */
export async function estimateReparsing(text: string, parseAgain: Reader): Promise<number> {
  const chunks = Math.ceil(text.length / chunkLength);
  let spent = 0;
  for (let sample = 0; sample < sampled; sample += 1) {
    // The middle of equal parts, so that the sample represents the sum.
    const seen = Math.floor(((sample + 0.5) * chunks) / sampled) * chunkLength;
    spent += await cpuMs(() => attempt(parseAgain, text.slice(0, seen)));
  }
  return (spent * chunks) / sampled;
}

/** A failure to parse a prefix still costs the time. */
function attempt(parseAgain: Reader, text: string): unknown {
  try {
    return parseAgain(text);
  } catch {
    return undefined;
  }
}
