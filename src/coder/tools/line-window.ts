// Extracts a range of lines from a stream of bytes, up to a maximum size. Earlier lines are only counted.

export interface LineRange {
  /** Counted from 1. */
  readonly first: number;
  readonly count: number;
}

const lineBreak = 10;

export class LineWindow {
  readonly #range: LineRange;
  readonly #limit: number;
  readonly #kept: Buffer[] = [];
  #size = 0;
  /** The line being read, counted from 1. */
  #line = 1;
  /** Whether the line being read has at least one byte. */
  #isOpen = false;
  #isCut = false;

  constructor(range: LineRange, limit: number) {
    this.#range = range;
    this.#limit = limit;
  }

  push(bytes: Buffer): void {
    const { first } = this.#range;
    let start = this.#line >= first ? 0 : bytes.length;
    let end = 0;
    while (end < bytes.length && !this.isFull) {
      const at = bytes.indexOf(lineBreak, end);
      end = at === -1 ? bytes.length : at + 1;
      this.#isOpen = at === -1;
      if (at === -1) break;
      this.#line += 1;
      if (this.#line === first) start = end;
    }
    if (start < end) this.#keep(bytes.subarray(start, end));
  }

  #keep(part: Buffer): void {
    const fitting = part.subarray(0, this.#limit - this.#size);
    this.#isCut = fitting.length < part.length;
    this.#size += fitting.length;
    // A copy, because the caller reuses its buffer.
    this.#kept.push(Buffer.from(fitting));
  }

  /** No further bytes would be kept. */
  get isFull(): boolean {
    return this.#isCut || this.#line >= this.#range.first + this.#range.count;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Lines seen so far. */
  get total(): number {
    return this.#isOpen ? this.#line : this.#line - 1;
  }

  get text(): string {
    return Buffer.concat(this.#kept).toString('utf8');
  }
}
