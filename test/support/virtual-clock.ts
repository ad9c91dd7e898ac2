// A virtual clock. Time advances to the next timer when all other work is done, so that a run of hours takes milliseconds.
// With a seeded random source, the same seed gives the same run.

import type { Clock } from '../../src/core/clock.ts';

interface Timer {
  readonly at: number;
  readonly ring: () => void;
}

export class VirtualClock implements Clock {
  readonly random: () => number;
  #time = 0;
  #timers: Timer[] = [];

  constructor(random: () => number) {
    this.random = random;
  }

  now(): number {
    return this.#time;
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = (): void => {
      this.#timers = this.#timers.filter((other) => other !== timer);
      reject(signal.reason as Error);
    };
    const timer = {
      at: this.#time + milliseconds,
      ring: () => {
        signal.removeEventListener('abort', cancel);
        resolve();
      },
    };
    signal.addEventListener('abort', cancel, { once: true });
    this.#insert(timer);
    return promise;
  }

  at(time: number, ring: () => void): void {
    this.#insert({ at: time, ring });
  }

  /** Runs until no timer is left. */
  async run(): Promise<void> {
    await settle();
    for (let timer = this.#timers.shift(); timer !== undefined; timer = this.#timers.shift()) {
      this.#time = Math.max(this.#time, timer.at);
      timer.ring();
      await settle();
    }
  }

  #insert(timer: Timer): void {
    const index = this.#timers.findLastIndex((other) => other.at <= timer.at);
    this.#timers.splice(index + 1, 0, timer);
  }
}

/** Resolves when all work that needs no timer is done. */
function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
