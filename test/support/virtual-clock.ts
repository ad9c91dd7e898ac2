// A virtual clock that advances only when nothing else can run, with random numbers from a seed: hours take milliseconds,
// and the same seed gives the same run.

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
    const leave = (): void => {
      this.#timers = this.#timers.filter((other) => other !== timer);
      reject(signal.reason as Error);
    };
    const timer = {
      at: this.#time + milliseconds,
      ring: () => {
        signal.removeEventListener('abort', leave);
        resolve();
      },
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#insert(timer);
    return promise;
  }

  at(time: number, ring: () => void): void {
    this.#insert({ at: time, ring });
  }

  /** Runs until no sleep is pending. */
  async run(): Promise<void> {
    await quiet();
    for (let timer = this.#timers.shift(); timer !== undefined; timer = this.#timers.shift()) {
      this.#time = Math.max(this.#time, timer.at);
      timer.ring();
      await quiet();
    }
  }

  #insert(timer: Timer): void {
    const place = this.#timers.findLastIndex((other) => other.at <= timer.at);
    this.#timers.splice(place + 1, 0, timer);
  }
}

/** Resolves when everything that needs no timer has run. */
function quiet(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
