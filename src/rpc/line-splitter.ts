// Splits bytes into lines. Invariants:
//   1. Only LF ends a line. CR stays in the line, and so do U+2028 and U+2029, which JSON strings may contain.
//   2. UTF-8 is decoded once the line is complete, so a cut inside a character does no harm.
//   3. At most `limit` bytes are held. A longer line is dropped while it arrives and reported once, at its end.

export type SplitLine =
  | { readonly kind: 'line'; readonly text: string }
  /** `start` is the beginning of the line, for the error message. */
  | { readonly kind: 'too-long'; readonly bytes: number; readonly start: string };

export const defaultLineLimit = 32 * 1024 * 1024;

const lineFeed = 10;
const startLength = 100;

const initialCapacity = 4096;

export class LineSplitter {
  readonly #limit: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #buffer = new Uint8Array(initialCapacity);
  /** The bytes of the line so far, also those that were dropped. */
  #length = 0;

  constructor(limit = defaultLineLimit) {
    this.#limit = limit;
  }

  push(bytes: Uint8Array): SplitLine[] {
    const lines: SplitLine[] = [];
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, from)) {
      this.#add(bytes.subarray(from, end));
      lines.push(this.#take());
      from = end + 1;
    }
    this.#add(bytes.subarray(from));
    return lines;
  }

  /** Returns the last line, if the input does not end with LF. */
  end(): SplitLine[] {
    return this.#length === 0 ? [] : [this.#take()];
  }

  #add(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, Math.max(0, this.#limit - this.#length));
    this.#reserve(this.#length + kept.length);
    if (kept.length > 0) this.#buffer.set(kept, this.#length);
    this.#length += bytes.length;
  }

  /** The capacity doubles, so that a line that arrives in small chunks is not copied once per chunk. */
  #reserve(length: number): void {
    if (length <= this.#buffer.length || length > this.#limit) return;
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(length, this.#buffer.length * 2)));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }

  #take(): SplitLine {
    const length = this.#length;
    const isTooLong = length > this.#limit;
    const text = this.#decoder.decode(this.#buffer.subarray(0, isTooLong ? startLength : length));
    this.#length = 0;
    if (this.#buffer.length > initialCapacity) this.#buffer = new Uint8Array(initialCapacity);
    return isTooLong ? { kind: 'too-long', bytes: length, start: text } : { kind: 'line', text };
  }
}
