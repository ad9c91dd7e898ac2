// Stored responses of the Responses wire, so that a client can continue, retrieve and delete them by their id. Each belongs
// to the key that created it, and no other key can read it. The store in memory forgets responses after an hour, and the
// oldest of the key that holds the most when its limit is reached. A persistent store implements the same interface.

import type { JsonObject, JsonValue } from '../../core/json.ts';
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
  /** In bytes of JSON. */
  readonly limit?: number;
  /** In milliseconds. */
  readonly ttl?: number;
  /** Milliseconds since any start. */
  readonly now?: () => number;
}

const usualLimit = 64 * 1024 * 1024;
const hour = 3_600_000;

/** JSON in bytes, which takes a small part of the memory of the values. */
interface KeptResponse {
  readonly id: string;
  /** Without its output. */
  readonly response: Buffer;
  readonly output: readonly KeptItem[];
  readonly input: Buffer;
}

interface KeptItem {
  readonly id: string;
  readonly item: Buffer;
}

export class MemoryResponseStore implements ResponseStore {
  readonly #responses: SharedLru<KeptResponse>;
  readonly #ttl: number;
  /** The keys of the responses that contain an item. */
  readonly #items = new Map<string, string>();

  constructor({ limit = usualLimit, ttl = hour, now = () => performance.now() }: MemoryResponseStoreOptions = {}) {
    this.#ttl = ttl;
    this.#responses = new SharedLru({ limit, now, onDrop: (kept, key) => this.#forgetItems(kept, key) });
  }

  of(owner: string, part = ''): OwnedResponses {
    const place = `${owner}\n${part}`;
    return {
      get: (id) => toStored(this.#responses.get(keyOf(place, id))),
      findItem: (itemId) => this.#findItem(place, itemId),
      put: (stored) => this.#put(owner, place, stored),
      delete: (id) => this.#responses.delete(keyOf(place, id)),
    };
  }

  #findItem(place: string, itemId: string): JsonObject | undefined {
    const key = this.#items.get(keyOf(place, itemId));
    const kept = key === undefined ? undefined : this.#responses.get(key);
    const found = kept?.output.find(({ id }) => id === itemId);
    return found && parse(found.item);
  }

  #put(owner: string, place: string, stored: StoredResponse): void {
    const key = keyOf(place, stored.id);
    const kept = toKept(stored);
    this.#responses.set(key, { owner, value: kept, size: sizeOf(kept), ttl: this.#ttl });
    if (this.#responses.get(key) === undefined) return;
    for (const { id } of kept.output) if (id !== '') this.#items.set(keyOf(place, id), key);
  }

  #forgetItems({ output }: KeptResponse, key: string): void {
    const place = key.slice(0, key.lastIndexOf('\n'));
    for (const { id } of output) {
      const itemKey = keyOf(place, id);
      if (this.#items.get(itemKey) === key) this.#items.delete(itemKey);
    }
  }
}

function keyOf(place: string, id: string): string {
  return `${place}\n${id}`;
}

function toKept({ id, response, input }: StoredResponse): KeptResponse {
  const output = Array.isArray(response['output']) ? (response['output'] as JsonObject[]) : [];
  const items = output.map((item) => ({ id: typeof item['id'] === 'string' ? item['id'] : '', item: toBytes(item) }));
  return { id, response: toBytes({ ...response, output: [] }), output: items, input: toBytes(input) };
}

function toStored(kept: KeptResponse | undefined): StoredResponse | undefined {
  if (kept === undefined) return undefined;
  const { id, response, output, input } = kept;
  const items = output.map(({ item }) => parse(item));
  return { id, response: { ...parse(response), output: items }, input: JSON.parse(input.toString()) as JsonObject[] };
}

function toBytes(value: JsonValue | readonly JsonObject[]): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function parse(bytes: Buffer): JsonObject {
  return JSON.parse(bytes.toString()) as JsonObject;
}

function sizeOf({ response, output, input }: KeptResponse): number {
  return output.reduce((sum, { item }) => sum + item.length, response.length + input.length);
}
