// What a gateway learns while it works: which targets fail, how quick each is, whose turn it is, and the answers it keeps
// in memory. Handed to the gateway that replaces it, so that a change of the settings does not begin from nothing.
// Invariant: what was learnt of a target with another address, another key or another breaker is not held against it.

import { Breaker, type BreakerSettings } from './resilience/breaker.ts';
import type { Cache } from './cache/cache.ts';
import { createMemoryCache } from './cache/memory-cache.ts';
import { LruMap } from '../core/lru.ts';
import type { Target } from './routing/resolve.ts';
import { createStrategy, type Strategy, type StrategyName } from './routing/strategy.ts';
import type { Clock } from '../core/clock.ts';

export class LearnedState {
  readonly #breakers = new LruMap<string, Breaker>();
  readonly #strategies = new LruMap<StrategyName, Strategy>();
  #memory: { readonly maxBytes: number | undefined; readonly cache: Cache } | undefined;

  breakerOf(target: Target, settings: Partial<BreakerSettings> = {}): Breaker {
    return this.#breakers.getOrMake(JSON.stringify([target, settings]), () => new Breaker(settings));
  }

  /** One for each name, so that all routes know what it has learnt. */
  strategyOf(name: StrategyName, clock: Clock): Strategy {
    return this.#strategies.getOrMake(name, () => createStrategy(name, clock));
  }

  /** The one there is, unless it shall be of another size: answers are kept under all that may change them. */
  memoryCacheOf(maxBytes?: number): Cache {
    if (this.#memory === undefined || this.#memory.maxBytes !== maxBytes) {
      this.#memory = { maxBytes, cache: createMemoryCache(maxBytes === undefined ? {} : { maxBytes }) };
    }
    return this.#memory.cache;
  }
}
