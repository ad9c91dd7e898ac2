// A time-out and a circuit breaker for a cache. Each operation has a time limit, and after a failure the cache is not used
// for a while. Then one operation tries it in the background, so that only the first call is delayed by a cache that is
// down.

import { SimpleAgentsError } from '../../core/error.ts';
import { macrotask } from '../../core/macrotask.ts';
import { isConfigurationError, type Cache } from './cache.ts';
import { systemClock, type Clock } from '../../core/clock.ts';

export interface GuardOptions {
  /** The time limit of an operation, in milliseconds. */
  readonly timeout: number;
  /** How long the cache is not used after a failure, in milliseconds. */
  readonly rest?: number;
  readonly clock?: Clock;
  /** Called when an operation takes too long. The operation continues in the background. */
  readonly onTimeout?: () => void;
}

export function guardCache(cache: Cache, options: GuardOptions): Cache {
  const guard = new CacheGuard(options);
  return {
    get: (key) => guard.run(() => cache.get(key)),
    set: (...entry) => guard.run(() => cache.set(...entry)),
    delete: (key) => guard.run(() => cache.delete(key)),
  };
}

const defaultRest = 1000;

class CacheGuard {
  readonly #options: GuardOptions;
  readonly #clock: Clock;
  /** Set while the breaker is open: why, and until when. */
  #open: { readonly error: unknown; readonly until: number } | undefined;
  #isTrying = false;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#open === undefined) return this.#attempt(operation);
    if (!this.#isTrying && this.#clock.now() >= this.#open.until) void this.#tryAgain(operation);
    return Promise.reject(
      new SimpleAgentsError('network', 'the cache failed and is not used for a while', { cause: this.#open.error }),
    );
  }

  async #tryAgain(operation: () => Promise<unknown>): Promise<void> {
    this.#isTrying = true;
    await this.#attempt(operation).catch(() => undefined);
    this.#isTrying = false;
  }

  async #attempt<T>(operation: () => Promise<T>): Promise<T> {
    try {
      const result = await this.#inTime(operation());
      this.#open = undefined;
      return result;
    } catch (error) {
      if (!isConfigurationError(error)) {
        this.#open = { error, until: this.#clock.now() + (this.#options.rest ?? defaultRest) };
      }
      throw error;
    }
  }

  async #inTime<T>(result: Promise<T>): Promise<T> {
    const { timeout, onTimeout } = this.#options;
    const done = new AbortController();
    const late = this.#clock.sleep(timeout, done.signal).then(async () => {
      // A result that arrived while this process was busy still has to be read, and is not late.
      await macrotask();
      return undefined;
    });
    try {
      const first = await Promise.race([result.then((value) => ({ value })), late]);
      if (first !== undefined) return first.value;
      onTimeout?.();
      throw new SimpleAgentsError('timeout', `the cache did not respond within ${timeout} ms`);
    } finally {
      done.abort();
      // A late result and the aborted sleep must not become unhandled rejections.
      for (const rest of [late, result]) rest.catch(() => undefined);
    }
  }
}
