// Events of work that goes on by itself, several tools at once say, as one stream to yield from.

import type { AgentEvent } from './event.ts';

export class EventChannel {
  #events: AgentEvent[] = [];
  #wake: () => void = () => undefined;

  push(event: AgentEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  /** The events as they come until the work is done, then what it gave. */
  async *readUntil<T>(work: Promise<T>): AsyncGenerator<AgentEvent, T, undefined> {
    let isDone = false;
    const finish = (): void => {
      isDone = true;
      this.#wake();
    };
    work.then(finish, finish);
    for (;;) {
      const events = this.#events;
      this.#events = [];
      yield* events;
      if (this.#events.length > 0) continue;
      if (isDone) return work;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
