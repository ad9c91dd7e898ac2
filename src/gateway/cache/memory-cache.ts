// Answers in the memory of this process: those used longest ago go first when there are more bytes than allowed.

import { LRUCache } from 'lru-cache';
import type { Cache } from './cache.ts';

export interface MemoryCacheOptions {
  /** All answers together; 64 MiB when left out. */
  readonly maxBytes?: number;
  /** Milliseconds that never run backwards. */
  readonly now?: () => number;
}

export const defaultMaxBytes = 64 * 1024 * 1024;

/** What an entry takes beside its bytes: key, buffer and list, roughly. */
const entryWeight = 512;

export function createMemoryCache(options: MemoryCacheOptions = {}): Cache {
  const { maxBytes = defaultMaxBytes, now = () => performance.now() } = options;
  const entries = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    sizeCalculation: (bytes) => bytes.length + entryWeight,
    // It would ask the clock only once in a while, and set a timer for that.
    ttlResolution: 0,
    // To the library, what was set at 0 was never set.
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
