// Takes an answer apart as its bytes come: a head, then the pieces of a body. A synchronous machine; it knows no sockets, and
// the bytes it is given may be overwritten once it returns, so a piece is a copy, one for each push.

import { ChunkedDecoder, type Memory } from './chunked-decoder.ts';
import { closedByServer, ConnectionFailure } from './failure.ts';
import { framingOf, type Framing } from './framing.ts';
import { HeadParser, type AnswerHead } from './head-parser.ts';

/** Who is told. */
export interface AnswerSink extends Memory {
  begin(head: AnswerHead): void;
  take(piece: Uint8Array): void;
}

export class AnswerReader {
  /** Whether the last byte has come. */
  isDone = false;
  framing: Framing | undefined;
  /** Nothing once the head is there: a stream may last for long. */
  #parser: HeadParser | undefined = new HeadParser();
  readonly #sink: AnswerSink;
  /** Of a body whose length was said. */
  #left = 0;
  #chunked: ChunkedDecoder | undefined;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Gives the place behind what belongs to the answer. Throws what is no HTTP. */
  push(bytes: Buffer, end: number): number {
    let position = 0;
    if (this.#parser !== undefined) {
      position = this.#parser.push(bytes, 0, end);
      const { head } = this.#parser;
      if (head === undefined) return position;
      this.#parser = undefined;
      this.#begin(head);
    }
    return position === end || this.isDone ? position : this.#readBody(bytes, position, end);
  }

  /** The connection has ended. Throws when the answer has not. */
  finish(): void {
    if (this.isDone) return;
    if (this.framing?.length === 'until-close') {
      this.isDone = true;
      return;
    }
    throw typeof this.framing?.length === 'number'
      ? new ConnectionFailure('SHORT_ANSWER', `${this.#left} bytes are missing`)
      : closedByServer();
  }

  #begin(head: AnswerHead): void {
    this.framing = framingOf(head);
    const { length } = this.framing;
    if (length === 'chunked') this.#chunked = new ChunkedDecoder(this.#sink);
    this.#left = typeof length === 'number' ? length : Infinity;
    this.isDone = length === 0;
    this.#sink.begin(head);
  }

  #readBody(bytes: Buffer, start: number, end: number): number {
    if (this.#chunked !== undefined) return this.#readChunks(this.#chunked, bytes, { start, end });
    const count = Math.min(this.#left, end - start);
    const piece = this.#sink.allocate(count);
    bytes.copy(piece, 0, start, start + count);
    this.#left -= count;
    this.isDone = this.#left === 0;
    this.#sink.take(piece);
    return start + count;
  }

  #readChunks(chunked: ChunkedDecoder, bytes: Buffer, { start, end }: { start: number; end: number }): number {
    try {
      return chunked.push(bytes, start, end);
    } finally {
      this.isDone = chunked.isDone;
      // Also what came before bytes that make no sense.
      const piece = chunked.take();
      if (piece !== undefined) this.#sink.take(piece);
    }
  }
}
