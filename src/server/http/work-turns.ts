// Spreads the work of large requests over the turns of the event loop, so that they do not stop other requests. A request
// asks for a turn before each step that may take long, such as parsing its body. Invariants:
//   1. One step runs at a time, and everything else that is ready runs before the next one.
//   2. After a step, the loop is free for as long as the step took: large requests use at most half of the time.
//   3. Owners take turns, so many requests of one owner do not delay the first one of another.

export interface WorkClock {
  /** Milliseconds since any start. */
  now(): number;
  /** Calls `run` after everything that is ready, and after `delay` milliseconds. */
  defer(run: () => void, delay: number): void;
}

/** Milliseconds. A step on a busy loop seems to take longer than it does. */
const longestRest = 50;

const systemClock: WorkClock = {
  now: () => performance.now(),
  defer: (run, delay) => void (delay > 0 ? setTimeout(run, delay) : setImmediate(run)),
};

export class WorkTurns {
  readonly #clock: WorkClock;
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  constructor(clock: WorkClock = systemClock) {
    this.#clock = clock;
  }

  /** Resolves when the next step of a request of this owner may run. The step lasts until the caller waits for I/O. */
  next(owner: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(owner);
    if (waiting === undefined) this.#waiting.set(owner, [resolve]);
    else waiting.push(resolve);
    if (!this.#isBusy) {
      this.#isBusy = true;
      this.#clock.defer(() => this.#run(), 0);
    }
    return promise;
  }

  #run(): void {
    const begin = this.#take();
    if (begin === undefined) {
      this.#isBusy = false;
      return;
    }
    const begun = this.#clock.now();
    begin();
    this.#clock.defer(() => this.#clock.defer(() => this.#run(), this.#restAfter(begun)), 0);
  }

  #restAfter(begun: number): number {
    return Math.min(Math.round(this.#clock.now() - begun), longestRest);
  }

  /** The first request of the next owner. The owner then waits behind the others. */
  #take(): (() => void) | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [owner, waiting] = next;
    const begin = waiting.shift();
    this.#waiting.delete(owner);
    if (waiting.length > 0) this.#waiting.set(owner, waiting);
    return begin;
  }
}
