// What a gateway learns at run time: which targets fail, how fast each is, whose turn it is, and the responses cached in
// memory. The next gateway gets it after a reload, so that a change of the settings does not start from nothing.
// Invariant: a target with a new address, key or breaker settings starts with a new breaker.

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

  /** One strategy for each name, so that all routes share what it has learned. */
  strategyOf(name: StrategyName, clock: Clock): Strategy {
    return this.#strategies.getOrMake(name, () => createStrategy(name, clock));
  }

  /** The existing cache, unless its size changes. It stays valid because keys include everything that may change a response. */
  memoryCacheOf(maxBytes?: number): Cache {
    if (this.#memory === undefined || this.#memory.maxBytes !== maxBytes) {
      this.#memory = { maxBytes, cache: createMemoryCache(maxBytes === undefined ? {} : { maxBytes }) };
    }
    return this.#memory.cache;
  }
}
