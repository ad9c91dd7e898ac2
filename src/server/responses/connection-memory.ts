// The newest response of a connection, which the client can continue although it is not stored. Everything else is looked
// up among the stored responses.

import type { JsonObject } from '../../core/json.ts';
import type { ResponseLookup, StoredResponse } from '../../wire/openai-responses/conversation.ts';

export class ConnectionMemory implements ResponseLookup {
  readonly #stored: ResponseLookup;
  #newest: StoredResponse | undefined;

  constructor(stored: ResponseLookup) {
    this.#stored = stored;
  }

  get(id: string): StoredResponse | undefined {
    return this.#newest?.id === id ? this.#newest : this.#stored.get(id);
  }

  findItem(itemId: string): JsonObject | undefined {
    const output = (this.#newest?.response['output'] ?? []) as readonly JsonObject[];
    return output.find(({ id }) => id === itemId) ?? this.#stored.findItem(itemId);
  }

  /** Whether the response with this id is the newest of the connection. */
  has(id: unknown): boolean {
    return id !== undefined && this.#newest?.id === id;
  }

  remember(response: StoredResponse): void {
    this.#newest = response;
  }

  forget(): void {
    this.#newest = undefined;
  }
}
