// A gateway that can be replaced while it works. A call stays with the gateway it began on, which is closed when its
// last call has ended; calls that begin later go to the new one. What cannot be made changes nothing.

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

  /** Rejects when there is no new gateway to be had; the old one goes on. */
  reload(): Promise<void> {
    // What is being made may be of a moment ago: whoever asks now gets one made later.
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
    // Nobody is left who could be told.
    generation.gateway.close().catch(noop);
  }

  /** Calls under way fail, whichever gateway they are on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [this.#current, ...this.#retired];
    this.#retired.clear();
    await Promise.all(all.map(({ gateway }) => gateway.close()));
  }
}

function noop(): void {}
