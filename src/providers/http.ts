// The file that opens connections to model providers (but see plain-http.ts). One pool per origin, HTTP/1.1, no redirects,
// no environment: proxies come in as data. Knows nothing of models, statuses or retries.
// Invariants:
//   1. An abort rejects with the signal's reason as it is, at once, and closes the socket.
//   2. A paused reader pauses the server: no more than `highWaterMark` bytes wait here, plus a socket read or two.
//   3. What has arrived is handed out as one chunk, so a burst of small frames costs one wake-up, not hundreds.

import type { Dispatcher } from 'undici';
import { SimpleAgentsError } from '../core/error.ts';
import { toConnectionError, type Phase } from './connection-error.ts';
import { acceptedEncodings, decompress, tooLarge } from './decompress.ts';
import { defaultTimeouts } from './timeouts.ts';
import type { EndSignal, ResponseBody, Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface HttpOptions {
  /** In milliseconds, for requests that bring none of their own; 0 means no limit. */
  readonly connectTimeout?: number;
  readonly proxy?: ProxySettings;
  /** The most bytes one answer may have, after decompression. */
  readonly maxResponseBytes?: number;
}

/** As the environment variables of the same names are understood. */
export interface ProxySettings {
  /** Also used for https when `httpsProxy` is left out. */
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts to reach directly, separated by commas; `*` for all. */
  readonly noProxy?: string;
}

export const defaultMaxResponseBytes = 64 * 1024 * 1024;
const highWaterMark = 16 * 1024;

const mostPlaces = 1000;

interface Place {
  readonly origin: string;
  readonly path: string;
}

export function createHttpTransport(options: HttpOptions = {}): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #options: HttpOptions;
  /** By URL: a provider asks the same one every time, and parsing it costs more than all else here. */
  readonly #places = new Map<string, Place>();
  /** By connect time-out, which undici fixes per dispatcher. */
  readonly #dispatchers = new Map<number, Promise<Dispatcher>>();
  /** Those that are there already: nobody has to wait for them. */
  readonly #ready = new Map<number, Dispatcher>();

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  async send(request: TransportRequest, signal: EndSignal): Promise<TransportResponse> {
    signal.throwIfAborted();
    const { origin, path } = this.#placeOf(request.url);
    const connectTimeout = request.connectTimeout ?? this.#options.connectTimeout ?? defaultTimeouts.connect;
    const dispatcher = this.#ready.get(connectTimeout) ?? (await this.#dispatcher(connectTimeout));
    signal.throwIfAborted();
    const cap = this.#options.maxResponseBytes ?? defaultMaxResponseBytes;
    const exchange = new Exchange({ origin, connectTimeout, cap, signal });
    dispatcher.dispatch(
      {
        origin,
        path,
        method: request.method,
        headers: { 'accept-encoding': acceptedEncodings, ...request.headers },
        body: request.body ?? null,
        // Waiting is the caller's business, who knows what a sign of life is.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    );
    const { status, headers } = await exchange.head.promise;
    if (headers['content-encoding'] === undefined) return { status, headers, body: exchange };
    const { 'content-encoding': encoding, 'content-length': _length, ...rest } = headers;
    return { status, headers: rest, body: decompress(exchange, encoding, cap) };
  }

  async close(): Promise<void> {
    const dispatchers = [...this.#dispatchers.values()];
    this.#dispatchers.clear();
    this.#ready.clear();
    await Promise.allSettled(dispatchers.map(async (dispatcher) => (await dispatcher).destroy()));
  }

  #placeOf(url: string): Place {
    let place = this.#places.get(url);
    if (place === undefined) {
      const { origin, pathname, search } = parseUrl(url);
      place = { origin, path: pathname + search };
      if (this.#places.size === mostPlaces) this.#places.clear();
      this.#places.set(url, place);
    }
    return place;
  }

  #dispatcher(connectTimeout: number): Promise<Dispatcher> {
    let dispatcher = this.#dispatchers.get(connectTimeout);
    if (dispatcher === undefined) {
      dispatcher = createDispatcher(connectTimeout, this.#options.proxy);
      this.#dispatchers.set(connectTimeout, dispatcher);
      dispatcher.then(
        (ready) => {
          if (this.#dispatchers.has(connectTimeout)) this.#ready.set(connectTimeout, ready);
        },
        // What was missing, a free file descriptor for one, may be there the next time.
        () => this.#dispatchers.delete(connectTimeout),
      );
    }
    return dispatcher;
  }
}

/** undici hands these on to `net.connect`; its types do not tell. */
const socketOptions: object = { highWaterMark };

/** Imports undici only when the first request goes out: that costs about 90 ms of CPU. */
async function createDispatcher(connectTimeout: number, proxy: ProxySettings = {}): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  const options = { connectTimeout, allowH2: false };
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = proxy;
  if (httpProxy === '' && httpsProxy === '') return new Agent({ ...options, connect: socketOptions });
  try {
    // Empty strings, because undici looks into the environment for what is undefined.
    return new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy });
  } catch {
    throw new SimpleAgentsError('configuration', 'the proxy is not a URL like http://host:port', { field: 'proxy' });
  }
}

export function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new SimpleAgentsError('configuration', 'the base URL must be a full one, like https://host/v1', {
    field: 'baseUrl',
  });
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
}

interface ExchangeOptions {
  readonly origin: string;
  readonly connectTimeout: number;
  readonly cap: number;
  readonly signal: EndSignal;
}

/**
 * One request and its answer: undici pushes in, one reader pulls out. Written by hand because a Readable with
 * its async iterator costs several times as much per chunk.
 */
class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array>, ResponseBody {
  readonly head = Promise.withResolvers<Head>();
  readonly #options: ExchangeOptions;
  #controller: Dispatcher.DispatchController | undefined;
  #phase: Phase = 'connecting';
  #chunks: Uint8Array[] = [];
  #buffered = 0;
  #received = 0;
  #over: { readonly failure?: { readonly error: unknown } } | undefined;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  /** Who waits for all of it, so that nothing has to be paused. */
  #collector: PromiseWithResolvers<Uint8Array> | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#phase = 'waiting';
    if (this.#over !== undefined) this.#disconnect();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#phase = 'reading';
    // Pieces of the first 64 KiB that were read, which they would hold for as long as a stream lasts.
    controller.rawHeaders = null;
    this.head.resolve({ status, headers: flatten(headers) });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#over !== undefined) return;
    this.#received += chunk.length;
    if (this.#received > this.#options.cap) {
      this.#stop({ error: tooLarge(this.#options.cap) });
      return;
    }
    if (this.#reader !== undefined) {
      this.#reader.resolve({ done: false, value: chunk });
      this.#reader = undefined;
      return;
    }
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < highWaterMark || this.#collector !== undefined) return;
    // A copy, for pieces of a read hold all 64 KiB of it, and a slow reader is waited for.
    if (chunk.length < highWaterMark) this.#chunks = [Buffer.concat(this.#chunks, this.#buffered)];
    controller.pause();
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const { origin, connectTimeout } = this.#options;
    this.#finish({ error: toConnectionError(error, { origin, connectTimeout, phase: this.#phase }) });
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#chunks.length > 0) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#over?.failure !== undefined) return Promise.reject(this.#over.failure.error);
    if (this.#over !== undefined) return Promise.resolve({ done: true, value: undefined });
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  whole(): Promise<Uint8Array> {
    if (this.#over?.failure !== undefined) return Promise.reject(this.#over.failure.error);
    if (this.#over !== undefined) return Promise.resolve(this.#take());
    this.#collector = Promise.withResolvers();
    if (this.#controller?.paused) this.#controller.resume();
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
    this.#stop({ error: this.#options.signal.reason });
  };

  #take(): Uint8Array {
    const [first] = this.#chunks;
    const isOnly = first !== undefined && this.#chunks.length === 1;
    const chunk = isOnly ? first : Buffer.concat(this.#chunks, this.#buffered);
    this.#chunks = [];
    this.#buffered = 0;
    // May push the next chunks in before it returns.
    if (this.#controller?.paused) this.#controller.resume();
    return chunk;
  }

  /** Ends the exchange from our side: what still waits is dropped and the socket closed. */
  #stop(failure?: { readonly error: unknown }): void {
    this.#chunks = [];
    this.#buffered = 0;
    if (this.#over !== undefined) return;
    this.#finish(failure);
    this.#disconnect();
  }

  #finish(failure?: { readonly error: unknown }): void {
    if (this.#over !== undefined) return;
    this.#over = failure === undefined ? {} : { failure };
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    if (failure === undefined) {
      this.#reader?.resolve({ done: true, value: undefined });
      this.#collector?.resolve(this.#take());
    } else {
      this.head.reject(failure.error);
      this.#reader?.reject(failure.error);
      this.#collector?.reject(failure.error);
    }
    this.#reader = undefined;
  }

  #disconnect(): void {
    this.#controller?.abort(new Error('no longer wanted'));
  }
}

export function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  // oxlint-disable-next-line guard-for-in -- undici makes the object, and `Object.entries` makes a list for each header
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
