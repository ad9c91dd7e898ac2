// Readers of a JSON text that comes four characters at a time, with the value so far after each. Those that keep no
// state parse the whole text so far again and again: their time is estimated from a sample of the beginnings.

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

/** To a value, as ours gives one: the repaired text alone would be of no use. */
export const repairAgain: Reader = (text) => JSON.parse(jsonrepair(text)) as unknown;

/** The AI SDK's way to read a text that still comes. */
export const aiSdkAgain: Reader = parsePartialJson;

/** What parsing every beginning of the text costs, in milliseconds of CPU time. */
export async function estimateReparsing(text: string, parseAgain: Reader): Promise<number> {
  const chunks = Math.ceil(text.length / chunkLength);
  let spent = 0;
  for (let sample = 0; sample < sampled; sample += 1) {
    // The middles of equal parts, so that the sum over them stands for the sum over all.
    const seen = Math.floor(((sample + 0.5) * chunks) / sampled) * chunkLength;
    spent += await cpuMs(() => attempt(parseAgain, text.slice(0, seen)));
  }
  return (spent * chunks) / sampled;
}

/** Where it cannot read a beginning it has no value to show, but has spent the time. */
function attempt(parseAgain: Reader, text: string): unknown {
  try {
    return parseAgain(text);
  } catch {
    return undefined;
  }
}
