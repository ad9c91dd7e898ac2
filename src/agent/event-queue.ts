// Hands events from whoever makes them to the one who reads them. A maker who awaits `emit` goes on only when the reader
// has taken the event and wants more: a slow reader slows the model down, and a reader who cancels at an event knows that
// nothing came after it. Generators inside generators did the same, at three times the cost.

import type { AgentEvent } from './event.ts';

/** Resolves when more is wanted. Who makes events on the side, as tools do, need not wait. */
export type Emit = (event: AgentEvent) => Promise<void>;

export class EventQueue {
  #events: AgentEvent[] = [];
  #reader: PromiseWithResolvers<AgentEvent | undefined> | undefined;
  #more: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  readonly emit: Emit = (event) => {
    this.#more ??= Promise.withResolvers();
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#events.push(event);
    else reader.resolve(event);
    return this.#more.promise;
  };

  /** The next event; nothing when there will be none. */
  next(): Promise<AgentEvent | undefined> {
    const event = this.#events.shift();
    if (event !== undefined || this.#isClosed) return Promise.resolve(event);
    this.#reader ??= Promise.withResolvers();
    const more = this.#more;
    this.#more = undefined;
    more?.resolve();
    return this.#reader.promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#reader?.resolve(undefined);
  }
}
