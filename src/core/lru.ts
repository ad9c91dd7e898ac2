// A bounded map whose missing values are made on demand. Keys come from callers, who may send any number of them, so the
// least recently used entry is dropped when there are too many.

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
