// A gateway that can be replaced at run time. A call stays with the gateway it started on, which is closed after its last
// call. Later calls go to the new gateway. If the new gateway cannot be created, nothing changes.

import type { CallContext } from '../core/call.ts';
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

  resolve(model?: string): Target {
    return this.#current.gateway.resolve(model);
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

function noop(): void {}
