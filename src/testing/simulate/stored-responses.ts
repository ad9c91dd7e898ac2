// The responses that the simulated Responses API stores, so that a client can continue, retrieve and delete them. The
// newest thousand are kept.

import { isRecord, type JsonObject } from '../../core/json.ts';
import {
  resolveConversation,
  type ResolvedConversation,
  type ResponseLookup,
  type StoredResponse,
} from '../../wire/openai-responses/conversation.ts';
import { throwApiError } from './api-error.ts';

const most = 1000;

export class StoredResponses implements ResponseLookup {
  readonly #responses = new Map<string, StoredResponse>();

  get(id: string): StoredResponse | undefined {
    return this.#responses.get(id);
  }

  findItem(itemId: string): JsonObject | undefined {
    for (const { response } of this.#responses.values()) {
      const item = (response['output'] as readonly JsonObject[]).find(({ id }) => id === itemId);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  put(stored: StoredResponse): void {
    this.#responses.set(stored.id, stored);
    const [oldest] = this.#responses.keys();
    if (this.#responses.size > most && oldest !== undefined) this.#responses.delete(oldest);
  }

  delete(id: string): void {
    if (!this.#responses.delete(id)) throwNotFound(id);
  }

  /** The request with the stored items of its conversation. */
  resolve(body: unknown): ResolvedConversation {
    const resolved = resolveConversation(body, this);
    const { previous_response_id: id } = isRecord(resolved.body) ? resolved.body : {};
    if (typeof id !== 'string' || !id.startsWith('resp')) return resolved;
    return throwApiError(`Previous response with id '${id}' not found.`, {
      field: 'previous_response_id',
      code: 'previous_response_not_found',
    });
  }
}

/** The response as the request for it gets it in background mode. */
export function inBackground(response: JsonObject): JsonObject {
  return { ...response, status: 'queued', output: [], usage: null, completed_at: null };
}

export function throwNotFound(id: string): never {
  return throwApiError(`Response with id '${id}' not found.`, { kind: 'not-found', code: 'not_found' });
}
