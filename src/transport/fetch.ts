// The transport over `fetch`, the runtime's own or one that is passed in. It imports no Node module, so it runs wherever
// `fetch` does. The runtime manages connections, decodes the body and has its own connect time-out. Proxies and
// certificates need `undici.ts`.

import type { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { toConnectionError, transportClosed } from './connection-error.ts';
import { codingNamesOf, codingsOf, findMisframed, findUndecodable, tooLarge } from './content-coding.ts';
import { checkHeaders, parseUrl } from './request-headers.ts';
import {
  defaultMaxResponseBytes,
  type ResponseBody,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

export interface FetchOptions {
  /** Defaults to the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** The maximum size of a response in bytes, after decompression. */
  readonly maxResponseBytes?: number;
  /** The connect time-out that the passed `fetch` applies, in milliseconds, for messages. */
  readonly connectTimeout?: number;
}

export function createFetchTransport(options: FetchOptions = {}): Transport {
  return new FetchTransport(options);
}

class FetchTransport implements Transport {
  /** Node's `fetch` ends a call after 300 s without a response or without a byte of its body. */
  readonly prefersStreams = true;
  readonly #options: FetchOptions;
  readonly #calls = new Set<FetchCall>();

  constructor(options: FetchOptions) {
    this.#options = options;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    signal.throwIfAborted();
    const { fetch = globalThis.fetch, maxResponseBytes: cap = defaultMaxResponseBytes, connectTimeout } = this.#options;
    const { method, body, upload } = request;
    const url = parseUrl(request.url);
    const headers = checkHeaders(request.headers, url.origin);
    const ended = (): unknown => this.#calls.delete(call);
    const call = new FetchCall({ origin: url.origin, connectTimeout, cap, signal, ended });
    this.#calls.add(call);
    const options = { method, headers, redirect: 'manual' as const, signal: call.signal };
    const content = upload === undefined ? body : ReadableStream.from(upload);
    // `duplex` is required for a stream.
    return call.open(() => fetch(url, content === undefined ? options : { ...options, body: content, duplex: 'half' }));
  }

  /** Cancels all calls. Idle connections belong to the runtime. */
  async close(): Promise<void> {
    for (const call of this.#calls) call.close();
  }
}

interface CallOptions {
  readonly origin: string;
  readonly connectTimeout: number | undefined;
  readonly cap: number;
  readonly signal: AbortSignal;
  /** Called once, when the call is over. */
  readonly ended: () => unknown;
}

/** One call and its body. It has its own signal, which closes the connection when the call ends early. */
class FetchCall implements AsyncIterableIterator<Uint8Array>, ResponseBody {
  readonly #options: CallOptions;
  readonly #controller = new AbortController();
  #phase: 'requesting' | 'reading' = 'requesting';
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #received = 0;
  #isDone = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: CallOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async open(fetch: () => Promise<Response>): Promise<TransportResponse> {
    try {
      const response = await fetch();
      this.#phase = 'reading';
      this.#reader = response.body?.getReader();
      const { status, headers, isEncoded, problem } = describe(response);
      if (problem !== undefined) this.#fail(problem);
      return { status, headers, ...(isEncoded && { isEncoded }), body: this };
    } catch (error) {
      throw this.#fail(error);
    }
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isDone) return { done: true, value: undefined };
    try {
      const { done, value } = (await this.#reader?.read()) ?? { done: true };
      if (done || this.#isDone || value === undefined) return this.#finish();
      this.#received += value.length;
      if (this.#received > this.#options.cap) throw tooLarge(this.#options.cap);
      return { done: false, value };
    } catch (error) {
      if (this.#isDone) return { done: true, value: undefined };
      throw this.#fail(error);
    }
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#isDone && this.#failure === undefined) {
      this.#finish();
      this.#controller.abort();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  close(): void {
    this.#fail(Object.assign(new Error('the transport was closed'), { code: transportClosed }));
  }

  readonly #onAbort = (): void => {
    this.#fail(this.#options.signal.reason);
  };

  #finish(): IteratorReturnResult<undefined> {
    this.#isDone = true;
    this.#release();
    return { done: true, value: undefined };
  }

  /** Keeps the first failure. Errors that `fetch` throws afterwards are consequences of it. */
  #fail(error: unknown): unknown {
    if (this.#isDone) return error;
    if (this.#failure === undefined) {
      const { origin, connectTimeout, signal } = this.#options;
      const connection = omitUndefined({ origin, connectTimeout, phase: this.#phase });
      this.#failure = { error: signal.aborted ? signal.reason : toConnectionError(error, connection) };
      this.#release();
      this.#controller.abort(this.#failure.error);
    }
    return this.#failure.error;
  }

  #release(): void {
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#options.ended();
  }
}

interface Described {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly isEncoded: true | undefined;
  /** The reason why the body must not be read. */
  readonly problem: SimpleAgentsError | undefined;
}

function describe({ status, type, headers: received }: Response): Described {
  const headers = Object.fromEntries(received);
  const { 'content-encoding': encoding = '', 'content-length': _encodedLength, ...rest } = headers;
  const misframed = findMisframed(headers);
  return {
    // Browsers hide the status of a redirect that was not followed.
    status: type === 'opaqueredirect' ? 302 : status,
    headers: encoding === '' ? headers : rest,
    isEncoded: codingsOf(encoding).length === 0 && misframed === undefined ? undefined : true,
    // `fetch` does not decode the body if one of several names is not a coding.
    problem: misframed ?? findUndecodable(codingsOf(encoding).length === 0 ? [] : codingNamesOf(encoding)),
  };
}
