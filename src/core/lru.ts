// A bounded map that creates missing values on demand. Keys come from callers, so their number is not limited; when the
// map is full, the least recently used entry is dropped.

import { LRUCache } from 'lru-cache';

const maxEntries = 1000;

export class LruMap<Key extends string, Value extends object> {
  readonly #entries = new LRUCache<Key, Value>({ max: maxEntries });

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  getOrMake(key: Key, make: (key: Key) => Value): Value {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.#entries.set(key, made);
    return made;
  }
}
