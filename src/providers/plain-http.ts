// A transport on Node's own client, for programs that make few calls and must start quickly: undici costs 60 ms of CPU
// before its first request, this 3 for http and 20 for https. Knows no proxies. Otherwise as http.ts, whose tests it passes.

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
  readonly #clients = new Map<string, Promise<Client>>();

  constructor(options: Omit<HttpOptions, 'proxy'>) {
    this.#options = options;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    signal.throwIfAborted();
    const url = parseUrl(request.url);
    const client = await this.#clientFor(url.protocol);
    signal.throwIfAborted();
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
    const clients = await Promise.all(this.#clients.values());
    for (const { agent } of clients) agent.destroy();
    this.#clients.clear();
  }

  #clientFor(protocol: string): Promise<Client> {
    const known = this.#clients.get(protocol) ?? loadClient(protocol);
    this.#clients.set(protocol, known);
    return known;
  }
}

async function loadClient(protocol: string): Promise<Client> {
  const { Agent: PlainAgent, request } = await (protocol === 'https:' ? import('node:https') : import('node:http'));
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

  async *read(response: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
    const { cap, signal } = this.#options;
    let received = 0;
    const stop = (): void => void response.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      for await (const chunk of response as AsyncIterable<Uint8Array>) {
        received += chunk.length;
        if (received > cap) throw tooLarge(cap);
        yield chunk;
      }
      signal.throwIfAborted();
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      throw thrown instanceof SimpleAgentsError ? thrown : this.#explain(thrown);
    } finally {
      signal.removeEventListener('abort', stop);
      response.destroy();
    }
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
        sent.destroy();
      };
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      signal.addEventListener('abort', abort, { once: true });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        settle();
        const isStale = sent.reusedSocket && this.#phase === 'waiting' && error.code === 'ECONNRESET';
        reject(isStale ? new StaleConnection() : this.#explain(error));
      });
      sent.on('response', (response) => {
        settle();
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
