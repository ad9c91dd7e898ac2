// Streams whose bytes pass unchanged to a client of Google's Gemini wire. Google's clients do not read server-sent events
// in general: those for Python and Go fail at a comment, at a field other than `data`, and at `[DONE]`; Python's needs the
// space after `data:`, Go's a frame of one line, and JavaScript's the blank line at the end. Invariants:
//   1. The output has only frames `data: {…}` of one line, each with its blank line. Frames in that form are not changed.
//   2. From the frame with the reason of the end on, the last frame is held back until the end, because the report of the call
//      is written into it.

import { concat } from '../../core/bytes.ts';
import type { JsonObject } from '../../core/json.ts';
import { CompleteFrames } from '../complete-frames.ts';
import { FrameSplitter } from '../frame-splitter.ts';
import type { StreamPassthrough } from '../wire.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const lineFeed = 10;
const carriageReturn = 13;
const quote = 34;
const nothing = new Uint8Array(0);
const opening = encoder.encode('data: {');
/** The members that end a response. */
const endings = ['"finishReason"', '"blockReason"'].map((name) => encoder.encode(name));

export class GeminiFrames implements StreamPassthrough {
  readonly #complete = new CompleteFrames();
  #isEnding = false;
  /** The last frame, once the stream is ending. */
  #held: Uint8Array = nothing;

  push(chunk: Uint8Array): Uint8Array {
    const frames = plain(this.#complete.push(chunk));
    if (frames.length === 0) return frames;
    this.#isEnding ||= hasEnding(frames);
    if (!this.#isEnding) return frames;
    const all = concat([this.#held, frames]);
    const last = new FrameSplitter().frameEnds(all).at(-2) ?? 0;
    this.#held = all.subarray(last);
    return all.subarray(0, last);
  }

  end(): Uint8Array {
    const rest = this.#complete.end();
    const all = concat([this.#held, rest.length === 0 ? rest : rewritten(rest)]);
    this.#held = nothing;
    return all;
  }
}

function plain(frames: Uint8Array): Uint8Array {
  return isPlain(frames) ? frames : rewritten(frames);
}

/** Whether every frame is one line that begins with `data: {`. */
function isPlain(frames: Uint8Array): boolean {
  let isAfterBlank = true;
  let start = 0;
  while (start < frames.length) {
    const end = frames.indexOf(lineFeed, start);
    const isBlank = end === start || (end === start + 1 && frames[start] === carriageReturn);
    if (end === -1 || (!isBlank && !(isAfterBlank && isAt(frames, opening, start)))) return false;
    isAfterBlank = isBlank;
    start = end + 1;
  }
  return true;
}

function isAt(bytes: Uint8Array, sought: Uint8Array, at: number): boolean {
  return sought.every((byte, index) => bytes[at + index] === byte);
}

function hasEnding(frames: Uint8Array): boolean {
  for (let at = frames.indexOf(quote); at !== -1; at = frames.indexOf(quote, at + 1)) {
    if (endings.some((name) => isAt(frames, name, at))) return true;
  }
  return false;
}

/** The same data in the form that every client reads. Frames without an object are left out. */
function rewritten(frames: Uint8Array): Uint8Array {
  const text = decoder.decode(frames);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const data = text.split(/\r?\n\r?\n/).map(dataOf);
  const kept = data.filter((object) => object.startsWith('{'));
  return encoder.encode(kept.map((object) => `data: ${object}${lineEnd}${lineEnd}`).join(''));
}

/** The line breaks of JSON have no meaning. */
function dataOf(frame: string): string {
  const lines = frame.split(/\r?\n|\r/).filter((line) => line.startsWith('data:'));
  return lines
    .map((line) => line.slice('data:'.length))
    .join(' ')
    .trim();
}

/** Writes what happened to the call into the last frame, as a member that every client ignores. */
export function addReport(frames: string, report: JsonObject): string {
  const end = frames.lastIndexOf('}');
  if (end === -1) return frames;
  const comma = frames.slice(0, end).trimEnd().endsWith('{') ? '' : ',';
  return `${frames.slice(0, end)}${comma}"simpleAgents":${JSON.stringify(report)}${frames.slice(end)}`;
}
