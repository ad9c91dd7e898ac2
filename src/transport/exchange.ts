// One request and its answer: a connection pushes in, one reader pulls out. Written by hand because a Readable with its
// async iterator costs several times as much per chunk.
// Invariants:
//   1. An abort rejects with the signal's reason as it is, at once, and closes the connection.
//   2. A paused reader pauses the server: no more than `highWaterMark` bytes wait here, plus a read.
//   3. What has arrived is handed out as one chunk, so a burst of small frames costs one wake-up, not hundreds.

import { toConnectionError, type Phase } from '../connection-error.ts';
import { decompress, tooLarge } from '../decompress.ts';
import type { EndSignal, ResponseBody, TransportResponse } from '../transport.ts';
import type { AnswerSink } from './answer-reader.ts';
import { ConnectionFailure } from './failure.ts';
import type { AnswerHead } from './head-parser.ts';
import type { Origin } from './place.ts';
import type { RequestText } from './request-text.ts';

export interface ExchangeOptions {
  readonly origin: Origin;
  readonly connectTimeout: number;
  /** The most bytes the body may have. */
  readonly cap: number;
  readonly signal: EndSignal;
}

/** What an exchange needs of its connection. */
export interface Line {
  resume(): void;
  /** The answer is no longer wanted. */
  abandon(): void;
}

interface Ending {
  readonly failure?: { readonly error: unknown };
}

const highWaterMark = 16 * 1024;
/** From a pool, which is quicker; larger pieces would keep too much of it. */
const mostPooled = 4 * 1024;

export class Exchange implements AnswerSink, AsyncIterableIterator<Uint8Array>, ResponseBody {
  readonly options: ExchangeOptions;
  /** Nothing once the answer begins: a long request would be kept for as long as the answer takes. */
  request: RequestText | undefined;
  phase: Phase = 'connecting';
  readonly answered: Promise<TransportResponse>;
  /** Nothing once it is settled: an idle stream is kept for long. */
  #answer: PromiseWithResolvers<TransportResponse> | undefined;
  #line: Line | undefined;
  #chunks: Uint8Array[] = [];
  #buffered = 0;
  #received = 0;
  #isPaused = false;
  #over: Ending | undefined;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  /** Who waits for all of it, so that nothing has to be paused. */
  #collector: PromiseWithResolvers<Uint8Array> | undefined;

  constructor(request: RequestText, options: ExchangeOptions) {
    this.request = request;
    this.options = options;
    this.#answer = Promise.withResolvers();
    this.answered = this.#answer.promise;
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** From here on it is this connection that can be ended. */
  attach(line: Line, phase: Phase): void {
    this.#line = line;
    this.phase = phase;
  }

  begin(head: AnswerHead): void {
    const { origin } = this.options;
    if (head.status === 407 && origin.proxy !== undefined && !origin.isTunnelled) {
      this.#stop({ error: this.#explain(proxyWantsUser()) });
      return;
    }
    this.phase = 'reading';
    this.request = undefined;
    this.#answer?.resolve(this.#toResponse(head));
    this.#answer = undefined;
  }

  allocate(size: number): Buffer {
    // Pieces that wait would each keep all of the pool they are from.
    const isPooled = size <= mostPooled && this.#chunks.length === 0;
    return isPooled ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
  }

  take(piece: Uint8Array): void {
    if (this.#over !== undefined) return;
    this.#received += piece.length;
    if (this.#received > this.options.cap) {
      this.#stop({ error: tooLarge(this.options.cap) });
      return;
    }
    if (this.#reader !== undefined) {
      this.#reader.resolve({ done: false, value: piece });
      this.#reader = undefined;
      return;
    }
    this.#chunks.push(piece);
    this.#buffered += piece.length;
    this.#isPaused = this.#buffered >= highWaterMark && this.#collector === undefined;
  }

  /** More than anybody has asked for is here. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  end(): void {
    this.#finish();
  }

  /** The connection failed. */
  fail(error: unknown): void {
    this.#finish({ error: this.#explain(error) });
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#chunks.length > 0) return Promise.resolve({ done: false, value: this.#drain() });
    if (this.#over?.failure !== undefined) return Promise.reject(this.#over.failure.error);
    if (this.#over !== undefined) return Promise.resolve({ done: true, value: undefined });
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  whole(): Promise<Uint8Array> {
    if (this.#over?.failure !== undefined) return Promise.reject(this.#over.failure.error);
    if (this.#over !== undefined) return Promise.resolve(this.#drain());
    this.#collector = Promise.withResolvers();
    this.#resume();
    return this.#collector.promise;
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#stop();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onAbort = (): void => {
    this.#stop({ error: this.options.signal.reason });
  };

  #toResponse({ status, headers }: AnswerHead): TransportResponse {
    if (headers['content-encoding'] === undefined) return { status, headers, body: this };
    const { 'content-encoding': encoding, 'content-length': _length, ...rest } = headers;
    return { status, headers: rest, body: decompress(this, encoding, this.options.cap) };
  }

  #drain(): Uint8Array {
    const [first] = this.#chunks;
    const isOnly = first !== undefined && this.#chunks.length === 1;
    const chunk = isOnly ? first : Buffer.concat(this.#chunks, this.#buffered);
    this.#chunks = [];
    this.#buffered = 0;
    this.#resume();
    return chunk;
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#line?.resume();
  }

  /** Ends the exchange from our side: what still waits is dropped and the connection closed. */
  #stop(failure?: { readonly error: unknown }): void {
    this.#chunks = [];
    this.#buffered = 0;
    if (this.#over !== undefined) return;
    const line = this.#line;
    this.#finish(failure);
    line?.abandon();
  }

  #finish(failure?: { readonly error: unknown }): void {
    if (this.#over !== undefined) return;
    this.#over = failure === undefined ? {} : { failure };
    this.#line = undefined;
    this.request = undefined;
    this.#isPaused = false;
    this.options.signal.removeEventListener('abort', this.#onAbort);
    if (failure === undefined) {
      this.#reader?.resolve({ done: true, value: undefined });
      this.#collector?.resolve(this.#drain());
    } else {
      this.#answer?.reject(failure.error);
      this.#reader?.reject(failure.error);
      this.#collector?.reject(failure.error);
    }
    this.#reader = undefined;
  }

  #explain(error: unknown): unknown {
    const { origin, connectTimeout } = this.options;
    return toConnectionError(error, { origin: origin.name, connectTimeout, phase: this.phase });
  }
}

function proxyWantsUser(): ConnectionFailure {
  return new ConnectionFailure('PROXY_REFUSED', 'Proxy Authentication Required (407)');
}
