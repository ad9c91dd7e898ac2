// Keeps the head and tail of an unbounded output in constant memory. Bytes in, text out; cuts are between characters.

import { excerptOf } from '../../agent/excerpt.ts';

export class BoundedOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  /** A ring buffer, created when the head is full. `#next` is the position of the next byte. */
  #tail: Buffer | undefined;
  #next = 0;
  #total = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  /** Bytes received. */
  get total(): number {
    return this.#total;
  }

  push(bytes: Buffer): void {
    this.#total += bytes.length;
    const fitting = bytes.subarray(0, this.#half - this.#headSize);
    // A copy, because a slice would keep the complete read buffer in memory.
    if (fitting.length > 0) this.#head.push(Buffer.from(fitting));
    this.#headSize += fitting.length;
    this.#pushTail(bytes.subarray(fitting.length));
  }

  #pushTail(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#tail ??= Buffer.alloc(this.#half);
    const last = bytes.subarray(Math.max(0, bytes.length - this.#half));
    const first = last.subarray(0, this.#half - this.#next);
    this.#tail.set(first, this.#next);
    this.#tail.set(last.subarray(first.length), 0);
    this.#next = (this.#next + last.length) % this.#half;
  }

  toText(marker: (omitted: number) => string): string {
    const head = Buffer.concat(this.#head);
    const tail = this.#tailBytes();
    const omitted = this.#total - head.length - tail.length;
    if (omitted === 0) return Buffer.concat([head, tail]).toString('utf8');
    return excerptOf(head, tail, marker(omitted));
  }

  #tailBytes(): Buffer {
    const tail = this.#tail;
    if (tail === undefined) return Buffer.alloc(0);
    if (this.#total - this.#headSize <= this.#half) return tail.subarray(0, this.#total - this.#headSize);
    return Buffer.concat([tail.subarray(this.#next), tail.subarray(0, this.#next)]);
  }
}
