// Cuts a stream of server-sent events at the ends of frames, so that nothing is ever sent of a frame that does not come
// whole. Bytes pass as they are: a chunk that ends with a frame, as nearly all do, is handed on untouched.
// Invariant: all that is given out, joined, is the input without the unwanted frames and without a half one at its end.

import type { StreamPassthrough } from './wire.ts';

/** A kind of frame that is left out. */
export interface UnwantedFrame {
  /** Whether there may be one among the frames: asked of every chunk, so it has to be quick. */
  mayBeIn(frames: Uint8Array): boolean;
  /** Sees the data of each frame where there may be one. What it throws means no. */
  isUnwanted(data: string): boolean;
}

const lineFeed = 10;
const carriageReturn = 13;
const nothing = new Uint8Array(0);

export class CompleteFrames implements StreamPassthrough {
  readonly #unwanted: UnwantedFrame | undefined;
  /** The beginning of a frame, in the pieces it came in: joining them each time would be quadratic. */
  #held: Uint8Array[] = [];

  constructor(unwanted?: UnwantedFrame) {
    this.#unwanted = unwanted;
  }

  push(chunk: Uint8Array): Uint8Array {
    const end = this.#lastEnd(chunk);
    if (end === 0) {
      if (chunk.length > 0) this.#held.push(chunk);
      return nothing;
    }
    const isWhole = end === chunk.length;
    const whole = this.#join(isWhole ? chunk : chunk.subarray(0, end));
    this.#held = isWhole ? [] : [chunk.subarray(end)];
    return this.#unwanted === undefined ? whole : leaveOut(whole, this.#unwanted);
  }

  /** The last frame may lack its blank line, and even the end of its line; half a line is nothing. */
  end(): Uint8Array {
    const rest = this.#join(nothing);
    this.#held = [];
    if (!endsWithLine(rest)) return nothing;
    return this.#unwanted === undefined ? rest : leaveOut(rest, this.#unwanted);
  }

  #join(last: Uint8Array): Uint8Array {
    return this.#held.length === 0 ? last : joinBytes([...this.#held, last]);
  }

  /** Where the last blank line of the chunk ends; it may have begun in what is held. 0: there is none. */
  #lastEnd(chunk: Uint8Array): number {
    let at = chunk.lastIndexOf(lineFeed);
    while (at !== -1) {
      const before = this.#byteAt(chunk, at - 1);
      if (before === lineFeed || (before === carriageReturn && this.#byteAt(chunk, at - 2) === lineFeed)) return at + 1;
      at = at === 0 ? -1 : chunk.lastIndexOf(lineFeed, at - 1);
    }
    return 0;
  }

  #byteAt(chunk: Uint8Array, index: number): number | undefined {
    let at = index;
    for (let piece = this.#held.length - 1; at < 0 && piece >= 0; piece--) {
      const held = this.#held[piece] ?? nothing;
      at += held.length;
      if (at >= 0) return held[at];
    }
    return chunk[at];
  }
}

function leaveOut(frames: Uint8Array, unwanted: UnwantedFrame): Uint8Array {
  if (!unwanted.mayBeIn(frames)) return frames;
  const text = latin1.decode(frames);
  const kept: Uint8Array[] = [];
  let start = 0;
  for (const { index, 0: blank } of text.matchAll(/\r?\n\r?\n|$/g)) {
    const end = index + blank.length;
    const frame = text.slice(start, end);
    if (!test(() => unwanted.isUnwanted(dataOf(frame)))) kept.push(frames.subarray(start, end));
    start = end;
  }
  return joinBytes(kept);
}

/** One character for each byte, so that places in the text are places in the bytes. */
const latin1 = new TextDecoder('latin1');

function dataOf(frame: string): string {
  const lines = frame.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice('data:'.length)).join('\n');
}

/** All data is JSON, but for the word one wire ends with. */
function endsWithLine(rest: Uint8Array): boolean {
  const end = rest.at(-1);
  if (end === lineFeed || end === carriageReturn) return true;
  const [last = ''] = latin1
    .decode(rest)
    .split(/[\r\n]/)
    .slice(-1);
  const data = last.replace(/^data:\s*/, '');
  return data === '[DONE]' || test(() => JSON.parse(data) !== undefined);
}

function test(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
