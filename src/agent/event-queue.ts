// A queue with backpressure between producers of events and one reader. A producer that awaits `emit` continues only when
// the reader has taken the event and requests the next one. So a slow reader slows the model down, and a reader that cancels
// at an event knows that nothing happened after it.

import type { AgentEvent } from './event.ts';

/** Resolves when the reader requests more. Producers that need no backpressure, such as tools, do not await it. */
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

  /** Resolves to undefined when the queue is closed and empty. */
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
