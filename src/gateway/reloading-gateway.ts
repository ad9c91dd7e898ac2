// A gateway that can be replaced at run time. A call stays with the gateway it started on, which is closed after its last
// call. Later calls go to the new gateway. If the new gateway cannot be created, nothing changes.

import type { CallContext } from '../core/call.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../core/embedding.ts';
import type { ForwardRequest, ForwardResponse } from '../core/forward.ts';
import type { ModelListing } from '../core/model-listing.ts';
import type { ModelStream } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import type { Gateway } from './gateway.ts';
import type { BilledUsage } from '../core/usage.ts';
import type { Target } from './routing/resolve.ts';

interface Generation {
  readonly gateway: Gateway;
  calls: number;
  isRetired: boolean;
}

export class ReloadingGateway implements Gateway {
  readonly name = 'gateway';
  readonly #make: () => Promise<Gateway>;
  readonly #retired = new Set<Generation>();
  #current: Generation;
  #reloading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(first: Gateway, make: () => Promise<Gateway>) {
    this.#current = { gateway: first, calls: 0, isRetired: false };
    this.#make = make;
  }

  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const generation = this.#current;
    generation.calls++;
    const release = (): void => this.#release(generation);
    const opening = generation.gateway.open(request, signal, context);
    opening.then((stream) => stream.ended.then(release), release);
    return opening;
  }

  embed(request: EmbeddingRequest, signal: AbortSignal, context?: CallContext): Promise<EmbeddingResponse> {
    const generation = this.#current;
    generation.calls++;
    return generation.gateway.embed(request, signal, context).finally(() => this.#release(generation));
  }

  countTokens(request: ChatRequest, signal: AbortSignal): Promise<number | undefined> {
    return this.#current.gateway.countTokens(request, signal);
  }

  modelListings(): Promise<readonly ModelListing[]> {
    return this.#current.gateway.modelListings();
  }

  modelListing(name: string): Promise<ModelListing> {
    return this.#current.gateway.modelListing(name);
  }

  async forward(request: ForwardRequest, signal: AbortSignal): Promise<ForwardResponse> {
    const generation = this.#current;
    generation.calls++;
    const release = (): void => this.#release(generation);
    try {
      const { body, ...response } = await generation.gateway.forward(request, signal);
      return { ...response, body: withEnd(body, release) };
    } catch (error) {
      release();
      throw error;
    }
  }

  resolve(model?: string): Target {
    return this.#current.gateway.resolve(model);
  }

  hasProvider(name: string): boolean {
    return this.#current.gateway.hasProvider(name);
  }

  costOf(answer: BilledUsage): number | undefined {
    return this.#current.gateway.costOf(answer);
  }

  contextWindowOf(model?: string): number | undefined {
    return this.#current.gateway.contextWindowOf(model);
  }

  /** Rejects if the new gateway cannot be created; the old one stays in use. */
  reload(): Promise<void> {
    // A reload in progress may have read old settings, so another one follows it.
    if (this.#reloading !== undefined) this.#next ??= this.#reloading.then(noop, noop).then(() => this.#begin());
    return this.#next ?? this.#begin();
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#reloading = this.#replace().finally(() => (this.#reloading = undefined));
    return this.#reloading;
  }

  async #replace(): Promise<void> {
    const gateway = await this.#make();
    if (this.#isClosed) return gateway.close();
    const before = this.#current;
    this.#current = { gateway, calls: 0, isRetired: false };
    before.isRetired = true;
    this.#retired.add(before);
    this.#closeIfDone(before);
  }

  #release(generation: Generation): void {
    generation.calls--;
    this.#closeIfDone(generation);
  }

  #closeIfDone(generation: Generation): void {
    if (!generation.isRetired || generation.calls > 0 || !this.#retired.delete(generation)) return;
    // No caller is left to report an error to.
    generation.gateway.close().catch(noop);
  }

  /** Calls in progress fail, also those on retired gateways. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [this.#current, ...this.#retired];
    this.#retired.clear();
    await Promise.all(all.map(({ gateway }) => gateway.close()));
  }
}

async function* withEnd(body: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    onEnd();
  }
}

function noop(): void {}
