// Takes a chunked body apart. Extensions and trailers are checked and dropped. However the bytes are cut, the result is the
// same; sizes, lines and trailers are bounded; a line that does not end with CR LF, a size that is no hexadecimal number
// and a chunk that is longer than its size are refused.

import { notHttp } from './failure.ts';
import { HeadParser } from './head-parser.ts';

export const mostChunkLineBytes = 4096;

/** Where pieces are put. */
export interface Memory {
  allocate(size: number): Buffer;
}

type State = 'size' | 'extension' | 'size-end' | 'data' | 'data-end' | 'data-end-line' | 'trailer' | 'done';

const [lineFeed, carriageReturn, semicolon] = [0x0a, 0x0d, 0x3b];

export class ChunkedDecoder {
  #state: State = 'size';
  #size = 0;
  #lineBytes = 0;
  #trailer: HeadParser | undefined;
  readonly #memory: Memory;
  #target: Buffer | undefined;
  #written = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Gives the place behind what belongs to the body. */
  push(source: Buffer, start: number, end: number): number {
    let position = start;
    while (position < end && this.#state !== 'done') {
      if (this.#state === 'data') position = this.#copy(source, position, end);
      else if (this.#state === 'trailer') position = this.#readTrailer(source, position, end);
      else this.#step(source[position++] ?? 0);
    }
    return position;
  }

  /** What has come of the body since the last time, in one piece. */
  take(): Buffer | undefined {
    const [target, written] = [this.#target, this.#written];
    this.#target = undefined;
    this.#written = 0;
    return target === undefined || written === target.length ? target : target.subarray(0, written);
  }

  #copy(source: Buffer, start: number, end: number): number {
    const stop = Math.min(start + this.#size, end);
    this.#target ??= this.#memory.allocate(end - start);
    source.copy(this.#target, this.#written, start, stop);
    this.#written += stop - start;
    this.#size -= stop - start;
    if (this.#size === 0) this.#state = 'data-end';
    return stop;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'size':
        return this.#readSize(byte);
      case 'extension':
        return this.#readExtension(byte);
      case 'size-end':
        expect(byte, lineFeed);
        this.#lineBytes = 0;
        this.#state = this.#size === 0 ? 'trailer' : 'data';
        return;
      case 'data-end':
        expect(byte, carriageReturn);
        this.#state = 'data-end-line';
        return;
      default:
        expect(byte, lineFeed);
        this.#state = 'size';
    }
  }

  #readSize(byte: number): void {
    const digit = digitOf(byte);
    if (digit !== -1) {
      this.#size = this.#size * 16 + digit;
      this.#count();
      if (this.#size > Number.MAX_SAFE_INTEGER) throw notHttp('a chunk of an impossible size');
      return;
    }
    if (this.#lineBytes === 0 || (byte !== carriageReturn && byte !== semicolon))
      throw notHttp('a chunk without a size');
    this.#state = byte === carriageReturn ? 'size-end' : 'extension';
  }

  #readExtension(byte: number): void {
    this.#count();
    if (byte === carriageReturn) this.#state = 'size-end';
    else if ((byte < 0x20 && byte !== 0x09) || byte === 0x7f) throw notHttp('a chunk extension has control characters');
  }

  #count(): void {
    this.#lineBytes += 1;
    if (this.#lineBytes > mostChunkLineBytes) throw notHttp(`a chunk line of more than ${mostChunkLineBytes} bytes`);
  }

  #readTrailer(source: Buffer, start: number, end: number): number {
    if (this.#trailer === undefined && source[start] === carriageReturn && source[start + 1] === lineFeed) {
      // As nearly always. What lies behind `end` is of an earlier read and must not count.
      if (start + 2 <= end) {
        this.#state = 'done';
        return start + 2;
      }
    }
    this.#trailer ??= new HeadParser('fields');
    const position = this.#trailer.push(source, start, end);
    if (this.#trailer.head !== undefined) this.#state = 'done';
    return position;
  }
}

function expect(byte: number, expected: number): void {
  if (byte !== expected) throw notHttp('a chunk does not end where it should');
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
