// Runs at most a fixed number of tasks at the same time. Tasks that have to wait start in the order of their calls.

export class ParallelLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /** Rejects with the signal's reason, without running the task, if the signal aborts while the task waits. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  /** Resolves when another task hands over its place. */
  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(start), 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.push(start);
    return promise;
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
