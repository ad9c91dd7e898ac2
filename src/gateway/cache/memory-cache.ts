// A cache in the memory of this process. The least recently used responses are dropped when it is full.

import { LRUCache } from 'lru-cache';
import type { Cache } from './cache.ts';

export interface MemoryCacheOptions {
  /** The maximum size of all responses together. Defaults to 64 MiB. */
  readonly maxBytes?: number;
  /** Monotonic time in milliseconds. */
  readonly now?: () => number;
}

export const defaultMaxBytes = 64 * 1024 * 1024;

/** The approximate overhead of an entry, in bytes: key, buffer and list. */
const entryWeight = 512;

export function createMemoryCache(options: MemoryCacheOptions = {}): Cache {
  const { maxBytes = defaultMaxBytes, now = () => performance.now() } = options;
  const entries = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    sizeCalculation: (bytes) => bytes.length + entryWeight,
    // By default the library caches the time and sets a timer for it.
    ttlResolution: 0,
    // The library treats a start time of 0 as not set.
    perf: { now: () => now() + 1 },
  });
  return {
    get: (key) => Promise.resolve(entries.get(key)),
    set(key, bytes, ttl) {
      entries.set(key, bytes, { ttl });
      return Promise.resolve();
    },
    delete(key) {
      entries.delete(key);
      return Promise.resolve();
    },
  };
}
