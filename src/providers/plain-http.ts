// A transport on Node's own client, for programs that make few calls and must start quickly: undici costs 60 ms of CPU
// before its first request, this 3 for http and 20 for https. Knows no proxies; the rest is as in http.ts.

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { SimpleAgentsError } from '../core/error.ts';
import { toConnectionError, type Phase } from './connection-error.ts';
import { acceptedEncodings, decompress, tooLarge } from './decompress.ts';
import { defaultMaxResponseBytes, flatten, parseUrl, type HttpOptions } from './http.ts';
import { defaultTimeouts } from './timeouts.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export function createPlainTransport(options: Omit<HttpOptions, 'proxy'> = {}): Transport {
  return new PlainTransport(options);
}

/** `node:http` or `node:https`: what both have. */
interface Client {
  readonly agent: Agent;
  request(url: URL, options: RequestOptions): ClientRequest;
}

class PlainTransport implements Transport {
  readonly #options: Omit<HttpOptions, 'proxy'>;
  readonly #clients = new Map<string, Client>();

  constructor(options: Omit<HttpOptions, 'proxy'>) {
    this.#options = options;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    signal.throwIfAborted();
    const url = parseUrl(request.url);
    const client = this.#clientFor(url.protocol);
    const connectTimeout = request.connectTimeout ?? this.#options.connectTimeout ?? defaultTimeouts.connect;
    const cap = this.#options.maxResponseBytes ?? defaultMaxResponseBytes;
    const exchange = new PlainExchange({ url, connectTimeout, cap, signal });
    const response = await exchange.run(client, request);
    const { 'content-encoding': encoding, ...rest } = flatten(response.headers);
    const status = response.statusCode ?? 0;
    if (encoding === undefined) return { status, headers: rest, body: exchange.read(response) };
    delete rest['content-length'];
    return { status, headers: rest, body: decompress(exchange.read(response), encoding, cap) };
  }

  async close(): Promise<void> {
    for (const { agent } of this.#clients.values()) agent.destroy();
    this.#clients.clear();
  }

  #clientFor(protocol: string): Client {
    const known = this.#clients.get(protocol) ?? clientFor(protocol);
    this.#clients.set(protocol, known);
    return known;
  }
}

/** Not imported: an import of these asks for all they export, among it a WebSocket, and with that for Node's own undici. */
function clientFor(protocol: string): Client {
  const { Agent: PlainAgent, request } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  return { agent: new PlainAgent({ keepAlive: true }), request };
}

interface ExchangeOptions {
  readonly url: URL;
  readonly connectTimeout: number;
  readonly cap: number;
  readonly signal: AbortSignal;
}

/** One request and its answer. */
class PlainExchange {
  readonly #options: ExchangeOptions;
  #phase: Phase = 'connecting';

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  async run(client: Client, request: TransportRequest): Promise<IncomingMessage> {
    try {
      return await this.#attempt(client, request);
    } catch (thrown) {
      // A connection that was kept may have been closed by the server while nobody looked.
      if (!(thrown instanceof StaleConnection)) throw thrown;
      return await this.#attempt(client, request);
    }
  }

  read(response: IncomingMessage): AsyncIterable<Uint8Array> {
    const { cap, signal } = this.#options;
    const explain = (thrown: unknown): unknown => (signal.aborted ? signal.reason : this.#explain(thrown));
    return new PlainBody(response, cap, explain);
  }

  #attempt(client: Client, { method, headers, body }: TransportRequest): Promise<IncomingMessage> {
    const { signal } = this.#options;
    this.#phase = 'connecting';
    const sent = this.#open(client, {
      method,
      agent: client.agent,
      headers: {
        'accept-encoding': acceptedEncodings,
        ...headers,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
    return new Promise<IncomingMessage>((resolve, reject) => {
      const timer = this.#watchConnecting(sent);
      const abort = (): void => {
        reject(signal.reason as Error);
        sent.destroy(new Error('no longer wanted'));
      };
      signal.addEventListener('abort', abort, { once: true });
      sent.on('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && this.#phase === 'waiting' && error.code === 'ECONNRESET';
        reject(isStale ? new StaleConnection() : this.#explain(error));
      });
      sent.on('response', (response) => {
        this.#phase = 'reading';
        resolve(response);
      });
      sent.end(body);
    });
  }

  #open(client: Client, options: RequestOptions): ClientRequest {
    const { url } = this.#options;
    try {
      return client.request(url, options);
    } catch (error) {
      const { message } = error as Error;
      throw new SimpleAgentsError('configuration', `the request to ${url.origin} cannot be sent: ${message}`);
    }
  }

  #watchConnecting(sent: ClientRequest): NodeJS.Timeout | undefined {
    const { connectTimeout, url } = this.#options;
    const expire = (): void => void sent.destroy(Object.assign(new Error('no connection'), { code: connectExpired }));
    const timer = connectTimeout > 0 ? setTimeout(expire, connectTimeout) : undefined;
    const connected = (): void => {
      clearTimeout(timer);
      this.#phase = 'waiting';
    };
    sent.once('socket', (socket: Socket) => {
      if (socket.connecting) socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    return timer;
  }

  #explain(thrown: unknown): SimpleAgentsError {
    const { url, connectTimeout } = this.#options;
    return toConnectionError(thrown, { origin: url.origin, phase: this.#phase, connectTimeout });
  }
}

/** As undici calls it, so that it is explained in one place. */
const connectExpired = 'UND_ERR_CONNECT_TIMEOUT';

class StaleConnection extends Error {}

interface Ending {
  readonly failure?: { readonly error: unknown };
}

/** Not a generator: whoever leaves while waiting for the next piece must not wait for it. */
class PlainBody implements AsyncIterableIterator<Uint8Array> {
  readonly #response: IncomingMessage;
  readonly #cap: number;
  #received = 0;
  #over: Ending | undefined;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;

  constructor(response: IncomingMessage, cap: number, explain: (thrown: unknown) => unknown) {
    this.#response = response;
    this.#cap = cap;
    response.on('readable', () => this.#advance());
    response.on('end', () => this.#finish());
    response.on('error', (error) => this.#finish({ error: explain(error) }));
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const reader = Promise.withResolvers<IteratorResult<Uint8Array>>();
    this.#reader = reader;
    this.#advance();
    return reader.promise;
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#finish();
    this.#response.destroy();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #advance(): void {
    if (this.#reader === undefined) return;
    const chunk = this.#over === undefined ? (this.#response.read() as Uint8Array | null) : null;
    if (chunk === null) {
      if (this.#over !== undefined) this.#settle(this.#over);
      return;
    }
    this.#received += chunk.length;
    if (this.#received > this.#cap) {
      this.#finish({ error: tooLarge(this.#cap) });
      this.#response.destroy();
      return;
    }
    this.#reader.resolve({ done: false, value: chunk });
    this.#reader = undefined;
  }

  #finish(failure?: { readonly error: unknown }): void {
    this.#over ??= failure === undefined ? {} : { failure };
    this.#settle(this.#over);
  }

  #settle({ failure }: Ending): void {
    if (failure === undefined) this.#reader?.resolve({ done: true, value: undefined });
    else this.#reader?.reject(failure.error);
    this.#reader = undefined;
  }
}
