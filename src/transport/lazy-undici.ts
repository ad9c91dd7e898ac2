// The undici transport, loaded at the first request because undici takes about 50 ms to load.

import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import type { UndiciOptions } from './undici.ts';

export function createUndiciTransport(options: UndiciOptions = {}): Transport {
  return new LazyTransport(async () => (await import('./undici.ts')).openUndiciTransport(options));
}

class LazyTransport implements Transport {
  readonly #open: () => Promise<Transport>;
  #opening: Promise<Transport> | undefined;
  #transport: Transport | undefined;

  constructor(open: () => Promise<Transport>) {
    this.#open = open;
  }

  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    return this.#transport?.send(request, signal) ?? this.#load().then((transport) => transport.send(request, signal));
  }

  async close(): Promise<void> {
    const transport = await this.#opening?.catch(() => undefined);
    await transport?.close();
  }

  async #load(): Promise<Transport> {
    this.#opening ??= this.#open();
    try {
      this.#transport = await this.#opening;
      return this.#transport;
    } catch (error) {
      // A certificate file that could not be read may exist at the next request.
      this.#opening = undefined;
      throw error;
    }
  }
}
