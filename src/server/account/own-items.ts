// The items of a request in the Responses wire, for a key that shares the provider's account. A provider looks up what it
// stored by the id of an item, no matter which key created it. So only ids of items that this key got, and that are still stored here,
// are sent.

import { isRecord, type JsonObject } from '../../core/json.ts';
import type { ResponseLookup } from '../../wire/openai-responses/conversation.ts';
import type { CallExchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { ServerState } from '../server-state.ts';
import { checkReferences, sharesAccount } from './shared-account.ts';
import { findReference } from './stored-reference.ts';

/** Items whose content is in the request, so that they need no id. */
const completeTypes: ReadonlySet<unknown> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'computer_call_output',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'tool_search_output',
  'mcp_approval_response',
  'compaction',
]);

interface ItemsOf {
  readonly body: unknown;
  /** The member with the items. */
  readonly name: string;
  readonly responses: ResponseLookup;
}

/** The body with the items that the key may send. Throws 400 or 403 for the others. */
export function withOwnItems(
  exchange: CallExchange,
  state: Pick<ServerState, 'authentication'>,
  { body, name, responses }: ItemsOf,
): unknown {
  if (!isRecord(body) || !sharesAccount(exchange, state)) return body;
  const items = body[name];
  if (!Array.isArray(items)) {
    checkReferences(exchange, state, { [name]: items });
    return body;
  }
  const own = (items as readonly unknown[]).flatMap((item, index): readonly unknown[] => {
    const stored = findStored(item, responses);
    if (stored !== undefined) return [toOwn(item, stored)];
    const path = `${name}[${index}]`;
    const sent = isRecord(item) ? withoutId(item, path) : [item];
    for (const each of sent) checkReferences(exchange, state, { [path]: each });
    return sent;
  });
  return { ...body, [name]: own };
}

function findStored(item: unknown, responses: ResponseLookup): JsonObject | undefined {
  return isRecord(item) && typeof item['id'] === 'string' ? responses.findItem(item['id']) : undefined;
}

/** What an item names, such as its container, is sent as this key got it from the provider. */
function toOwn(item: unknown, stored: JsonObject): unknown {
  const { id, ...rest } = item as JsonObject;
  if (typeOf(rest) === 'item_reference') return { type: 'item_reference', id };
  return findReference({ item: { type: 'message', ...rest } }) === undefined ? item : stored;
}

function typeOf({ type, role }: Readonly<Record<string, unknown>>): unknown {
  return type ?? (typeof role === 'string' ? 'message' : 'item_reference');
}

function withoutId(item: Readonly<Record<string, unknown>>, path: string): readonly object[] {
  const { id, ...rest } = item;
  if (id === undefined || id === null) return [item];
  const type = typeOf(item);
  if (type === 'reasoning') return typeof item['encrypted_content'] === 'string' ? [rest] : [];
  if (completeTypes.has(type)) return [rest];
  const message = `${path}.id: the item was not created with this key, or is no longer stored; send its content`;
  return throwHttpError(400, message, { field: `${path}.id` });
}
