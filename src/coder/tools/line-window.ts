// Some lines out of a stream of bytes, within a limit of size. Lines before them are counted and let go.

export interface LineRange {
  /** Counted from 1. */
  readonly first: number;
  readonly count: number;
}

const lineBreak = 10;

export class LineWindow {
  readonly #range: LineRange;
  readonly #room: number;
  readonly #kept: Buffer[] = [];
  #size = 0;
  /** The line being read, counted from 1. */
  #line = 1;
  /** Whether the line being read has any byte yet. */
  #isOpen = false;
  #isCut = false;

  constructor(range: LineRange, room: number) {
    this.#range = range;
    this.#room = room;
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
    const fitting = part.subarray(0, this.#room - this.#size);
    this.#isCut = fitting.length < part.length;
    this.#size += fitting.length;
    // The caller uses its buffer again.
    this.#kept.push(Buffer.from(fitting));
  }

  /** Nothing that follows would be kept. */
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
