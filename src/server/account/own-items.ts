// The items of a request in the Responses wire, for a key that shares the provider's account. A provider looks up what it
// stored by the id of an item, whoever's it is. So only ids of items that this key got, and that are still stored here,
// are sent.

import { isRecord, type JsonObject } from '../../core/json.ts';
import type { ResponseLookup } from '../../wire/openai-responses/conversation.ts';
import type { CallExchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { ServerState } from '../server-state.ts';
import { sharesAccount } from './shared-account.ts';

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

/**
 * The body with the items of its member `name` that the key may send. Throws 400 for an item that only its id describes and
 * that the key does not own.
 */
export function withOwnItems(
  exchange: CallExchange,
  state: Pick<ServerState, 'authentication'>,
  { body, name, responses }: { readonly body: unknown; readonly name: string; readonly responses: ResponseLookup },
): unknown {
  const items = isRecord(body) ? body[name] : undefined;
  if (!Array.isArray(items) || !sharesAccount(exchange, state)) return body;
  const own = (items as readonly unknown[]).flatMap((item, index): readonly unknown[] => {
    const id = isRecord(item) ? item['id'] : undefined;
    if (!isRecord(item) || id === undefined || id === null) return [item];
    const isOwned = typeof id === 'string' && responses.findItem(id) !== undefined;
    return isOwned ? [item] : withoutId(item as JsonObject, `${name}[${index}]`);
  });
  return { ...(body as object), [name]: own };
}

function withoutId(item: JsonObject, path: string): readonly JsonObject[] {
  const { id: _unowned, ...rest } = item;
  const { role, 'encrypted_content': encrypted } = item;
  const type = item['type'] ?? (typeof role === 'string' ? 'message' : 'item_reference');
  if (type === 'reasoning') return typeof encrypted === 'string' ? [rest] : [];
  if (completeTypes.has(type)) return [rest];
  const message = `${path}.id: the item was not created with this key, or is no longer stored; send its content`;
  return throwHttpError(400, message, { field: `${path}.id` });
}
