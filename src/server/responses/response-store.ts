// Stored responses of the Responses wire, so that a client can continue, retrieve and delete them by their id. Each belongs
// to the key that created it, and no other key can read it. The store in memory forgets responses after an hour, and the
// oldest of the key that holds the most when its limit is reached. A persistent store implements the same interface.

import type { JsonObject } from '../../core/json.ts';
import { SharedLru } from '../../gateway/cache/shared-lru.ts';
import type { ResponseLookup, StoredResponse } from '../../wire/openai-responses/conversation.ts';

export interface ResponseStore {
  /** `owner` identifies the key of the client. `part`: one of several stores of this key that do not share responses. */
  of(owner: string, part?: string): OwnedResponses;
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
  readonly #responses: SharedLru<StoredResponse>;
  readonly #ttl: number;
  /** The keys of the responses that contain an item. */
  readonly #items = new Map<string, string>();

  constructor({ limit = usualLimit, ttl = hour, now = () => performance.now() }: MemoryResponseStoreOptions = {}) {
    this.#ttl = ttl;
    this.#responses = new SharedLru({ limit, now, onDrop: (stored, key) => this.#forgetItems(stored, key) });
  }

  of(owner: string, part = ''): OwnedResponses {
    const place = `${owner}\n${part}`;
    return {
      get: (id) => this.#responses.get(keyOf(place, id)),
      findItem: (itemId) => this.#findItem(place, itemId),
      put: (stored) => this.#put(owner, place, stored),
      delete: (id) => this.#responses.delete(keyOf(place, id)),
    };
  }

  #findItem(place: string, itemId: string): JsonObject | undefined {
    const key = this.#items.get(keyOf(place, itemId));
    const stored = key === undefined ? undefined : this.#responses.get(key);
    return stored && itemsOf(stored).find(({ id }) => id === itemId);
  }

  #put(owner: string, place: string, stored: StoredResponse): void {
    const key = keyOf(place, stored.id);
    this.#responses.set(key, { owner, value: stored, size: sizeOf(stored), ttl: this.#ttl });
    if (this.#responses.get(key) === undefined) return;
    for (const { id } of itemsOf(stored)) if (typeof id === 'string') this.#items.set(keyOf(place, id), key);
  }

  #forgetItems(stored: StoredResponse, key: string): void {
    const place = key.slice(0, key.lastIndexOf('\n'));
    for (const { id } of itemsOf(stored)) {
      const itemKey = typeof id === 'string' ? keyOf(place, id) : '';
      if (this.#items.get(itemKey) === key) this.#items.delete(itemKey);
    }
  }
}

function keyOf(place: string, id: string): string {
  return `${place}\n${id}`;
}

function itemsOf({ response }: StoredResponse): readonly JsonObject[] {
  return (Array.isArray(response['output']) ? response['output'] : []) as readonly JsonObject[];
}

function sizeOf(stored: StoredResponse): number {
  return JSON.stringify(stored).length;
}
