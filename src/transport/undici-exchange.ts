// One request and its response over undici's `dispatch`. undici pushes chunks in, and one reader pulls them out.
// Invariants:
//   1. An abort immediately rejects with the signal's reason, unchanged, and closes the connection.
//   2. A slow reader pauses the server: at most `highWaterMark` bytes are buffered, plus one read.
//   3. Buffered bytes are returned as one chunk, so a burst of small frames wakes the reader once.

import { finished, PullIterator } from '../core/pull-iterator.ts';
import { toConnectionError, type ConnectionPhase } from './connection-error.ts';
import { codingsOf, findMisframed, tooLarge } from './content-coding.ts';
import { decompress, failingBody } from './decompress.ts';
import type { ResponseBody, TransportResponse } from './transport.ts';

export interface UndiciExchangeOptions {
  readonly origin: string;
  readonly connectTimeout: number;
  /** The maximum size of the body in bytes. */
  readonly cap: number;
  readonly signal: AbortSignal;
}

/** The part of undici's controller that is used here. */
interface DispatchController {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

type UndiciHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

interface ExchangeEnd {
  readonly failure?: { readonly error: unknown };
}

const highWaterMark = 16 * 1024;

/** The reason passed to undici when we cancel a request. It is never shown. */
const unwanted = new Error('the response is no longer wanted');

/** Implements the handler of undici's `dispatch`. */
export class UndiciExchange extends PullIterator<Uint8Array> implements ResponseBody {
  readonly response: Promise<TransportResponse>;
  readonly #options: UndiciExchangeOptions;
  readonly #response = Promise.withResolvers<TransportResponse>();
  #phase: ConnectionPhase = 'connecting';
  #controller: DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #buffered = 0;
  #received = 0;
  #over: ExchangeEnd | undefined;
  /** Set when the complete body is read at once, so that nothing has to be paused. */
  #collector: PromiseWithResolvers<Uint8Array> | undefined;

  constructor(options: UndiciExchangeOptions) {
    super();
    this.#options = options;
    this.response = this.#response.promise;
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: DispatchController): void {
    this.#phase = 'waiting';
    // The request was cancelled while it waited for a connection.
    if (this.#over !== undefined) controller.abort(unwanted);
    else this.#controller = controller;
  }

  onResponseStart(_controller: DispatchController, status: number, headers: UndiciHeaders): void {
    if (status < 200 || this.#over !== undefined) return;
    this.#phase = 'reading';
    this.#response.resolve(this.#toResponse(status, headers));
  }

  onResponseData(controller: DispatchController, chunk: Uint8Array): void {
    if (this.#over !== undefined) return;
    this.#received += chunk.length;
    if (this.#received > this.#options.cap) {
      this.#stop({ error: tooLarge(this.#options.cap) });
      return;
    }
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    this.wake();
    if (this.#buffered >= highWaterMark && this.#collector === undefined) controller.pause();
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: DispatchController, error: Error): void {
    const { origin, connectTimeout } = this.#options;
    this.#finish({ error: toConnectionError(error, { origin, connectTimeout, phase: this.#phase }) });
  }

  protected override take(): IteratorResult<Uint8Array, undefined> | undefined {
    if (this.#chunks.length > 0) return { done: false, value: this.#drain() };
    if (this.#over?.failure !== undefined) throw this.#over.failure.error;
    return this.#over && finished;
  }

  /** Nothing to do: undici pushes the chunks. */
  protected override request(): void {}

  protected override leave(): void {
    this.#stop();
  }

  readAll(): Promise<Uint8Array> {
    if (this.#over?.failure !== undefined) return Promise.reject(this.#over.failure.error);
    if (this.#over !== undefined) return Promise.resolve(this.#drain());
    this.#collector = Promise.withResolvers();
    this.#controller?.resume();
    return this.#collector.promise;
  }

  readonly #onAbort = (): void => {
    this.#stop({ error: this.#options.signal.reason });
  };

  #toResponse(status: number, received: UndiciHeaders): TransportResponse {
    const headers = joinRepeated(received);
    const problem = findMisframed(headers);
    if (problem !== undefined) return { status, headers, isEncoded: true, body: failingBody(this, problem) };
    if (headers['content-encoding'] === undefined) return { status, headers, body: this };
    const { 'content-encoding': encoding, 'content-length': _encodedLength, ...rest } = headers;
    const decoded = { status, headers: rest, body: decompress(this, encoding, this.#options.cap) };
    return codingsOf(encoding).length === 0 ? decoded : { ...decoded, isEncoded: true };
  }

  #drain(): Uint8Array {
    const [first] = this.#chunks;
    const isOnly = first !== undefined && this.#chunks.length === 1;
    const chunk = isOnly ? first : Buffer.concat(this.#chunks, this.#buffered);
    this.#chunks = [];
    this.#buffered = 0;
    this.#controller?.resume();
    return chunk;
  }

  /** Cancels the exchange: drops what has arrived and closes the connection. */
  #stop(failure?: { readonly error: unknown }): void {
    this.#chunks = [];
    this.#buffered = 0;
    if (this.#over !== undefined) return;
    const controller = this.#controller;
    this.#finish(failure);
    controller?.abort(unwanted);
  }

  #finish(failure?: { readonly error: unknown }): void {
    if (this.#over !== undefined) return;
    this.#over = failure === undefined ? {} : { failure };
    this.#controller = undefined;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    if (failure === undefined) {
      this.#collector?.resolve(this.#drain());
    } else {
      this.#response.reject(failure.error);
      this.#collector?.reject(failure.error);
    }
    this.wake();
  }
}

function joinRepeated(headers: UndiciHeaders): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined && name !== '__proto__')
      joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
