// Passes on a stream of server-sent events in complete frames: an incomplete frame is held back until its end arrives. The
// bytes are not changed, and a chunk that ends with a frame, as nearly all do, is not copied.
// Invariant: the output, joined, is the input without unwanted frames and without an incomplete frame at its end.

import type { StreamPassthrough } from './wire.ts';

/** A kind of frame that is left out. */
export interface UnwantedFrame {
  /** Whether the frames may contain one. Called for every chunk, so it must be fast. */
  mayBeIn(frames: Uint8Array): boolean;
  /** Called with the data of each frame if `mayBeIn` returned true. An exception means no. */
  isUnwanted(data: string): boolean;
}

const lineFeed = 10;
const carriageReturn = 13;
const nothing = new Uint8Array(0);

export class CompleteFrames implements StreamPassthrough {
  readonly #unwanted: UnwantedFrame | undefined;
  /** The beginning of a frame, as a list of chunks, because joining them each time would be quadratic. */
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

  /** The last frame may lack its blank line, and even its line end. An incomplete line is dropped. */
  end(): Uint8Array {
    const rest = this.#join(nothing);
    this.#held = [];
    if (!endsWithLine(rest)) return nothing;
    return this.#unwanted === undefined ? rest : leaveOut(rest, this.#unwanted);
  }

  #join(last: Uint8Array): Uint8Array {
    return this.#held.length === 0 ? last : joinBytes([...this.#held, last]);
  }

  /** The end of the last blank line of the chunk, which may begin in the held bytes. 0 if there is none. */
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

/** One character for each byte, so that offsets in the text are offsets in the bytes. */
const latin1 = new TextDecoder('latin1');

function dataOf(frame: string): string {
  const lines = frame.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice('data:'.length)).join('\n');
}

/** Whether the last line is complete: JSON, or the terminator of the OpenAI wire. */
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
