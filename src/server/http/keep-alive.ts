// Sends keep-alives on all streams of a server from one timer, which runs only while there are streams.

import type { StreamSender } from './event-sender.ts';
import { IndexedSet } from './indexed-set.ts';

export class KeepAlive {
  readonly #senders = new IndexedSet<StreamSender>();
  readonly #interval: number;
  #timer: NodeJS.Timeout | undefined;

  /** `maxSilence`: the longest silence in a stream, in milliseconds. 0 turns them off. */
  constructor(maxSilence: number) {
    this.#interval = maxSilence / 2;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#senders.size;
  }

  add(sender: StreamSender): void {
    this.#senders.add(sender);
    if (this.#interval > 0) this.#timer ??= setInterval(() => this.#tick(), this.#interval).unref();
  }

  delete(sender: StreamSender): void {
    this.#senders.delete(sender);
    if (this.#senders.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    for (const sender of this.#senders) sender.keepAlive(this.#interval);
  }
}
