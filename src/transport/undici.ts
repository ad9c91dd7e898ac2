// The transport over real connections: HTTP/1.1, kept connections, no redirects, no environment: proxies come in as data.
// Puts together what `http/` has; only `http/socket.ts` opens a connection. Knows nothing of models, statuses or retries.

import { Exchange } from './http/exchange.ts';
import { Places } from './http/place.ts';
import { Pool } from './http/pool.ts';
import type { ProxySettings } from './http/proxy.ts';
import { encodeRequest } from './http/request-text.ts';
import { defaultTimeouts } from './timeouts.ts';
import type { EndSignal, Transport, TransportRequest, TransportResponse } from './transport.ts';

export type { ProxySettings } from './http/proxy.ts';

export interface HttpOptions {
  /** In milliseconds, for requests that bring none of their own; 0 means no limit. */
  readonly connectTimeout?: number;
  readonly proxy?: ProxySettings;
  /** The most bytes one answer may have, after decompression. */
  readonly maxResponseBytes?: number;
}

const defaultMaxResponseBytes = 64 * 1024 * 1024;

export function createHttpTransport(options: HttpOptions = {}): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #connectTimeout: number;
  readonly #cap: number;
  readonly #places: Places;
  readonly #pool = new Pool();

  constructor({ connectTimeout, maxResponseBytes, proxy }: HttpOptions) {
    this.#connectTimeout = connectTimeout ?? defaultTimeouts.connect;
    this.#cap = maxResponseBytes ?? defaultMaxResponseBytes;
    this.#places = new Places(proxy);
  }

  send(request: TransportRequest, signal: EndSignal): Promise<TransportResponse> {
    try {
      signal.throwIfAborted();
      const place = this.#places.of(request.url);
      const exchange = new Exchange(encodeRequest(place, request), {
        origin: place.origin,
        connectTimeout: request.connectTimeout ?? this.#connectTimeout,
        cap: this.#cap,
        signal,
      });
      this.#pool.send(exchange);
      return exchange.answered;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async close(): Promise<void> {
    this.#pool.close();
  }
}
