// Stored responses of the Responses wire, so that a client can continue, retrieve and delete them by their id. Each belongs
// to the key that created it, and no other key can read it. The store in memory forgets responses after an hour, and the
// oldest first when its limit is reached. A persistent store implements the same interface.

import { LRUCache } from 'lru-cache';

import type { JsonObject } from '../../core/json.ts';
import type { ResponseLookup, StoredResponse } from '../../wire/openai-responses/conversation.ts';

export interface ResponseStore {
  /** `owner` identifies the key of the client. */
  of(owner: string): OwnedResponses;
}

/** The responses of one owner. */
export interface OwnedResponses extends ResponseLookup {
  put(stored: StoredResponse): void;
  /** Returns whether the response was stored. */
  delete(id: string): boolean;
}

export interface MemoryResponseStoreOptions {
  /** In characters of JSON. */
  readonly limit?: number;
  /** In milliseconds. */
  readonly ttl?: number;
  /** Milliseconds since any start. */
  readonly now?: () => number;
}

const usualLimit = 64 * 1024 * 1024;
const hour = 3_600_000;

export class MemoryResponseStore implements ResponseStore {
  readonly #responses: LRUCache<string, StoredResponse>;
  /** The keys of the responses that contain an item. */
  readonly #items = new Map<string, string>();
  readonly #limit: number;

  constructor({ limit = usualLimit, ttl = hour, now = () => performance.now() }: MemoryResponseStoreOptions = {}) {
    this.#limit = limit;
    this.#responses = new LRUCache({
      maxSize: limit,
      ttl,
      ttlResolution: 0,
      // The library treats a start time of 0 as not set.
      perf: { now: () => now() + 1 },
      sizeCalculation: sizeOf,
      dispose: (stored, key) => this.#forgetItems(stored, key),
    });
  }

  of(owner: string): OwnedResponses {
    return {
      get: (id) => this.#responses.get(keyOf(owner, id)),
      findItem: (itemId) => this.#findItem(owner, itemId),
      put: (stored) => this.#put(owner, stored),
      delete: (id) => this.#responses.delete(keyOf(owner, id)),
    };
  }

  #findItem(owner: string, itemId: string): JsonObject | undefined {
    const key = this.#items.get(keyOf(owner, itemId));
    const stored = key === undefined ? undefined : this.#responses.get(key);
    return stored && itemsOf(stored).find(({ id }) => id === itemId);
  }

  #put(owner: string, stored: StoredResponse): void {
    const key = keyOf(owner, stored.id);
    if (sizeOf(stored) > this.#limit) return;
    this.#responses.set(key, stored);
    for (const { id } of itemsOf(stored)) if (typeof id === 'string') this.#items.set(keyOf(owner, id), key);
  }

  #forgetItems(stored: StoredResponse, key: string): void {
    const [owner = ''] = key.split('\n', 1);
    for (const { id } of itemsOf(stored)) {
      const itemKey = typeof id === 'string' ? keyOf(owner, id) : '';
      if (this.#items.get(itemKey) === key) this.#items.delete(itemKey);
    }
  }
}

function keyOf(owner: string, id: string): string {
  return `${owner}\n${id}`;
}

function itemsOf({ response }: StoredResponse): readonly JsonObject[] {
  return (Array.isArray(response['output']) ? response['output'] : []) as readonly JsonObject[];
}

function sizeOf(stored: StoredResponse): number {
  return JSON.stringify(stored).length;
}
