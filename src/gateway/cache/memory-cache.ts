// A cache in the memory of this process. When it is full, the caller with the most responses loses its least recently used.

import type { Cache } from './cache.ts';
import { SharedLru } from './shared-lru.ts';

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
  const entries = new SharedLru<Uint8Array>({ limit: maxBytes, now });
  return {
    get: (key) => Promise.resolve(entries.get(key)),
    set(key, bytes, ttl, owner = '') {
      entries.set(key, { owner, value: bytes, size: bytes.length + entryWeight, ttl });
      return Promise.resolve();
    },
    delete(key) {
      entries.delete(key);
      return Promise.resolve();
    },
  };
}
