// `fetch` over the host's HTTP client, as far as `transport/fetch.ts` uses it.

import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { configurationFailure, type ConnectionOptions, type EngineHost } from './host.ts';
import type { HostFailure, HostRequest, HostResponseHead } from './host.ts';

type Fetch = typeof globalThis.fetch;
type ReadResult =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: undefined };

/** The requests of all transports of an engine, by id. */
export class HostRequests {
  readonly #host: EngineHost;
  readonly #open = new Map<number, OpenRequest>();
  #nextId = 1;

  constructor(host: EngineHost) {
    this.#host = host;
  }

  /** Throws what `connectionFor` throws. */
  createFetch(connectionFor: (url: URL) => ConnectionOptions): Fetch {
    // Only the parts of a response that the transport reads.
    return (async (url: URL, init: RequestInit) => this.#fetch(url, init, connectionFor(url))) as unknown as Fetch;
  }

  takeHead(id: number, head: HostResponseHead): void {
    this.#open.get(id)?.head.resolve(head);
  }

  takeChunk(id: number, bytes: Uint8Array | undefined): void {
    const request = this.#open.get(id);
    if (bytes === undefined) this.#open.delete(id);
    request?.chunk?.resolve(bytes === undefined ? { done: true } : { done: false, value: bytes });
  }

  takeFailure(id: number, failure: HostFailure): void {
    this.#fail(id, toFailure(failure));
  }

  async #fetch(url: URL, init: RequestInit, connection: ConnectionOptions): Promise<unknown> {
    const id = this.#nextId++;
    const request: OpenRequest = { head: Promise.withResolvers() };
    this.#open.set(id, request);
    init.signal?.addEventListener('abort', () => this.#cancel(id, init.signal?.reason), { once: true });
    this.#host.fetch(id, JSON.stringify(toHostRequest(url, init, connection)));
    const { status, headers } = await request.head.promise;
    const reader = { read: () => this.#read(id) };
    return { status, type: 'basic', headers, body: { getReader: () => reader } };
  }

  #read(id: number): Promise<ReadResult> {
    const request = this.#open.get(id);
    if (request === undefined) return Promise.resolve({ done: true });
    if (request.failure !== undefined) return Promise.reject(request.failure.error);
    request.chunk = Promise.withResolvers();
    this.#host.pull(id);
    return request.chunk.promise;
  }

  #cancel(id: number, reason: unknown): void {
    if (!this.#open.has(id)) return;
    this.#fail(id, reason);
    this.#open.delete(id);
    this.#host.cancel(id);
  }

  #fail(id: number, error: unknown): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    // A failure between two reads is reported by the next one.
    request.failure = { error };
    request.head.reject(error);
    request.chunk?.reject(error);
    request.head.promise.catch(() => undefined);
  }
}

interface OpenRequest {
  readonly head: PromiseWithResolvers<HostResponseHead>;
  /** The chunk that is being read. */
  chunk?: PromiseWithResolvers<ReadResult>;
  failure?: { readonly error: unknown };
}

function toFailure({ code, message, field }: HostFailure): Error {
  if (code !== configurationFailure) return Object.assign(new Error(message), { code });
  return new SimpleAgentsError('configuration', message, omitUndefined({ field }));
}

function toHostRequest(url: URL, { method, headers, body }: RequestInit, connection: ConnectionOptions): HostRequest {
  return omitUndefined({
    method: method ?? 'GET',
    url: url.href,
    headers: headers as Readonly<Record<string, string>>,
    body: (body as string | null | undefined) ?? undefined,
    connection,
  });
}
