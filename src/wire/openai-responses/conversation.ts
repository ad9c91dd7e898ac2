// The conversation of a request, with what the server stored: the items of the previous response,
// and the items that the request names only by their id. A provider then needs no state of its own.
// A response or an item that is not stored stays in the request, because the provider may know it.

import { isRecord, type JsonObject } from '../../core/json.ts';

export interface StoredResponse {
  readonly id: string;
  /** The response object, as the client received it. */
  readonly response: JsonObject;
  /** The items of the conversation before the response. */
  readonly input: readonly JsonObject[];
}

/** The stored responses of one client. */
export interface ResponseLookup {
  get(id: string): StoredResponse | undefined;
  /** An output item of a stored response. Clients refer to items by their id. */
  findItem(itemId: string): JsonObject | undefined;
}

export interface ResolvedConversation {
  /** The body to decode. */
  readonly body: unknown;
  /** The items of the conversation, to store them with the response. */
  readonly input: readonly JsonObject[];
}

export function resolveConversation(body: unknown, store: ResponseLookup): ResolvedConversation {
  if (!isRecord(body)) return { body, input: [] };
  const { previous_response_id: previousId, ...rest } = body;
  const own = itemsOf(body['input']);
  const previous = typeof previousId === 'string' ? store.get(previousId) : undefined;
  if (own === undefined) return { body, input: [] };
  const resolved = own.map((item) => resolveItem(item, store));
  const isChanged = resolved.some((item, index) => item !== own[index]);
  if (previous === undefined) return { body: isChanged ? { ...body, input: resolved } : body, input: resolved };
  const before = [...previous.input, ...((previous.response['output'] ?? []) as readonly JsonObject[])];
  const input = [...before, ...resolved];
  return { body: { ...rest, input }, input };
}

/** Undefined for an input that is not valid. The wire rejects it. */
function itemsOf(input: unknown): readonly JsonObject[] | undefined {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  return Array.isArray(input) && input.every(isRecord) ? (input as JsonObject[]) : undefined;
}

function resolveItem(item: JsonObject, store: ResponseLookup): JsonObject {
  const { type, id, role } = item;
  const isReference = (type ?? 'item_reference') === 'item_reference' && role === undefined;
  if (!isReference || typeof id !== 'string') return item;
  return store.findItem(id) ?? item;
}
