// One clock for all streams of a server: thousands of idle streams cost one timer. It runs only while there are streams.

import type { EventSender } from './event-sender.ts';
import { IndexedSet } from './indexed-set.ts';

export class KeepAlive {
  readonly #senders = new IndexedSet<EventSender>();
  readonly #turn: number;
  #timer: NodeJS.Timeout | undefined;

  /** No silence is longer than so many milliseconds; 0: none is ended. */
  constructor(longestSilence: number) {
    this.#turn = longestSilence / 2;
  }

  /** How many streams are open. */
  get size(): number {
    return this.#senders.size;
  }

  add(sender: EventSender): void {
    this.#senders.add(sender);
    if (this.#turn > 0) this.#timer ??= setInterval(() => this.#tick(), this.#turn).unref();
  }

  delete(sender: EventSender): void {
    this.#senders.delete(sender);
    if (this.#senders.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    for (const sender of this.#senders) sender.keepAlive(this.#turn);
  }
}
