// The newest response of a connection that is not stored, so that the client can continue it on this connection.
// Everything else is looked up among the stored responses. All connections share one store with a size limit.

import type { JsonObject } from '../../core/json.ts';
import type { ResponseLookup, StoredResponse } from '../../wire/openai-responses/conversation.ts';
import type { OwnedResponses } from './response-store.ts';

export class ConnectionMemory implements ResponseLookup {
  readonly #stored: ResponseLookup;
  readonly #own: OwnedResponses;
  #newestId: string | undefined;

  /** `own`: the responses of this connection in the shared store. */
  constructor(stored: ResponseLookup, own: OwnedResponses) {
    this.#stored = stored;
    this.#own = own;
  }

  get(id: string): StoredResponse | undefined {
    return this.#own.get(id) ?? this.#stored.get(id);
  }

  findItem(itemId: string): JsonObject | undefined {
    return this.#own.findItem(itemId) ?? this.#stored.findItem(itemId);
  }

  /** Whether the response with this id is the newest of the connection. */
  has(id: unknown): boolean {
    return this.#newestId !== undefined && this.#newestId === id;
  }

  remember(response: StoredResponse): void {
    this.forget();
    this.#own.put(response);
    this.#newestId = response.id;
  }

  forget(): void {
    if (this.#newestId !== undefined) this.#own.delete(this.#newestId);
    this.#newestId = undefined;
  }
}
