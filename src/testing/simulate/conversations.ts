// The conversations of the simulated Responses API: `/v1/conversations`, and what a response reads from one and adds to it.
// The newest thousand are kept.

import { isRecord, type JsonObject } from '../../core/json.ts';
import { conversationIdOf } from '../../wire/openai-responses/response-object.ts';
import { fingerprint } from '../model/random.ts';
import { throwApiError } from './api-error.ts';
import {
  admit,
  jsonResponse,
  type SimulatedCall,
  type SimulatedExchange,
  type SimulatedExchangeOptions,
} from './exchange.ts';

const most = 1000;
const createdAt = 1735689600;

export interface Conversation {
  readonly id: string;
  metadata: unknown;
  readonly items: JsonObject[];
}

export class Conversations {
  readonly #conversations = new Map<string, Conversation>();
  #count = 0;

  create({ items, metadata = {} }: Record<string, unknown>): Conversation {
    const created = { id: `conv_${fingerprint(String((this.#count += 1)))}`, metadata, items: itemsIn(items) };
    this.#conversations.set(created.id, created);
    const [oldest] = this.#conversations.keys();
    if (this.#conversations.size > most && oldest !== undefined) this.#conversations.delete(oldest);
    return created;
  }

  get(id: string): Conversation {
    const details = { kind: 'not-found', code: 'not_found' } as const;
    return this.#conversations.get(id) ?? throwApiError(`Conversation with id '${id}' not found.`, details);
  }

  delete(id: string): void {
    this.get(id);
    this.#conversations.delete(id);
  }

  /** The conversation that a request for a response names. */
  of(body: unknown): Conversation | undefined {
    const id = isRecord(body) ? conversationIdOf(body) : undefined;
    return id === undefined ? undefined : this.get(id);
  }
}

function itemsIn(items: unknown): JsonObject[] {
  const list = Array.isArray(items) ? (items.filter(isRecord) as JsonObject[]) : [];
  return list.map((item) => ({ id: `msg_${fingerprint(JSON.stringify(item))}`, type: 'message', ...item }));
}

/** `segments`: what follows `/v1/conversations`. */
export function handleConversation(
  segments: readonly string[],
  call: SimulatedCall,
  options: SimulatedExchangeOptions,
): SimulatedExchange {
  const { method } = call;
  const body = method === 'POST' ? admit(call, options) : {};
  if (options.requireKey) call.dialect.authenticate(call.headers, call.body.text);
  const sent = isRecord(body) ? body : {};
  const [id, part, itemId] = segments;
  const { conversations } = options;
  const answer = (): JsonObject => {
    if (id === undefined) return method === 'POST' ? toObject(conversations.create(sent)) : throwUnknown(call);
    const found = conversations.get(id);
    if (part === undefined) return onConversation(found, sent, call, options);
    return part === 'items' ? onItems(found, { itemId, sent, call }) : throwUnknown(call);
  };
  return { response: jsonResponse(200, answer()), fault: call.fault };
}

function onConversation(
  found: Conversation,
  sent: Record<string, unknown>,
  { method }: SimulatedCall,
  { conversations }: SimulatedExchangeOptions,
): JsonObject {
  if (method === 'POST') found.metadata = sent['metadata'] ?? found.metadata;
  if (method !== 'DELETE') return toObject(found);
  conversations.delete(found.id);
  return { id: found.id, object: 'conversation.deleted', deleted: true };
}

interface ItemRequest {
  readonly itemId: string | undefined;
  readonly sent: Record<string, unknown>;
  readonly call: SimulatedCall;
}

function onItems(conversation: Conversation, { itemId, sent, call }: ItemRequest): JsonObject {
  const { items } = conversation;
  if (itemId === undefined) {
    const added = call.method === 'POST' ? itemsIn(sent['items']) : [];
    items.push(...added);
    return toList(call.method === 'POST' ? added : items.toReversed());
  }
  const at = items.findIndex(({ id }) => id === itemId);
  const item = items[at];
  if (item === undefined) return throwApiError(`Item with id '${itemId}' not found.`, { kind: 'not-found' });
  if (call.method !== 'DELETE') return item;
  items.splice(at, 1);
  return toObject(conversation);
}

function toObject({ id, metadata }: Conversation): JsonObject {
  return { id, object: 'conversation', created_at: createdAt, metadata: metadata as JsonObject };
}

function toList(data: readonly JsonObject[]): JsonObject {
  const ends = { first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
  return { object: 'list', data, ...ends, has_more: false };
}

function throwUnknown({ method }: SimulatedCall): never {
  return throwApiError(`Invalid URL (${method} /v1/conversations)`, { kind: 'not-found', code: 'unknown_url' });
}
