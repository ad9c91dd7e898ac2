// A store in memory with a limit that its owners share. Any owner may use all of it while the others do not need it. When
// it is full, the owner that holds the most loses its least recently used value.
// Invariant: an owner never loses a value while it holds less than an equal share.

import { LRUCache } from 'lru-cache';

export interface SharedLruOptions<Value> {
  /** The size of all values together. */
  readonly limit: number;
  /** A monotonic time in milliseconds. */
  readonly now: () => number;
  /** Called when a value leaves the store. */
  readonly onDrop?: (value: Value, key: string) => void;
}

export interface Entry<Value> {
  readonly owner: string;
  readonly value: Value;
  readonly size: number;
  /** Milliseconds. */
  readonly ttl: number;
}

export class SharedLru<Value extends object> {
  readonly #options: SharedLruOptions<Value>;
  readonly #byOwner = new Map<string, LRUCache<string, Value>>();
  readonly #ownerOf = new Map<string, string>();

  constructor(options: SharedLruOptions<Value>) {
    this.#options = options;
  }

  get(key: string): Value | undefined {
    return this.#holding(key)?.get(key);
  }

  /** Keys are unique among all owners. A value larger than the limit is not kept. */
  set(key: string, { owner, value, size, ttl }: Entry<Value>): void {
    this.delete(key);
    if (size > this.#options.limit) return;
    const own = this.#byOwner.get(owner) ?? this.#open();
    this.#byOwner.set(owner, own);
    this.#ownerOf.set(key, owner);
    own.set(key, value, { size, ttl });
    while (this.#size > this.#options.limit) this.#dropOldest();
  }

  /** Returns whether there was a value. */
  delete(key: string): boolean {
    return this.#holding(key)?.delete(key) ?? false;
  }

  #holding(key: string): LRUCache<string, Value> | undefined {
    return this.#byOwner.get(this.#ownerOf.get(key) ?? '');
  }

  get #size(): number {
    let size = 0;
    for (const values of this.#byOwner.values()) size += values.calculatedSize;
    return size;
  }

  #dropOldest(): void {
    let most = '';
    for (const [owner, { calculatedSize }] of this.#byOwner)
      if (calculatedSize > (this.#byOwner.get(most)?.calculatedSize ?? -1)) most = owner;
    const largest = this.#byOwner.get(most);
    largest?.pop();
    if (largest?.size === 0) this.#byOwner.delete(most);
  }

  #open(): LRUCache<string, Value> {
    const { limit, now, onDrop } = this.#options;
    return new LRUCache({
      maxSize: limit,
      // By default the library caches the time and sets a timer for it.
      ttlResolution: 0,
      // The library treats a start time of 0 as not set.
      perf: { now: () => now() + 1 },
      dispose: (value, key) => {
        this.#ownerOf.delete(key);
        onDrop?.(value, key);
      },
    });
  }
}
