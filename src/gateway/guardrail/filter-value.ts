// Filters texts inside other values: JSON, the arguments of a tool call, and errors, which may quote a response.

import { addressesIn, SimpleAgentsError } from '../../core/error.ts';
import { isRecord, omitUndefined } from '../../core/json.ts';
import type { ToolCallBlock } from '../../core/message.ts';
import { filterText, type TextFilter } from './text-filter.ts';

/** Every string and every member's name. A number is replaced by a string if its digits are a finding. */
export function filterJson<T>(filter: TextFilter, value: T): T {
  return filterUnknown(filter, value) as T;
}

function filterUnknown(filter: TextFilter, value: unknown): unknown {
  if (typeof value === 'string') return filterText(filter, value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = filterText(filter, String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => filterUnknown(filter, item));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    filterText(filter, name),
    filterUnknown(filter, member),
  ]);
  return Object.fromEntries(members);
}

/**
 * The arguments without findings, as text; `undefined` if there are none. The text is judged as well as its value, because
 * it may contain what the value does not, such as a repeated member.
 */
export function filterArguments(filter: TextFilter, text: string, { input, error }: ToolCallBlock): string | undefined {
  const readable = decodeEscapes(text);
  const isClean = filterText(filter, text) === text && filterText(filter, readable) === readable;
  if (error !== undefined) return isClean ? undefined : filterText(filter, readable);
  const before = JSON.stringify(input ?? {});
  const after = JSON.stringify(filterJson(filter, input ?? {}));
  return isClean && before === after ? undefined : after;
}

/** `\u0041` as the character it stands for, in text that is not JSON. */
function decodeEscapes(text: string): string {
  return text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** An error of a provider may quote the response. Its cause is dropped, because it may as well. */
export function filterError(filter: TextFilter, error: unknown): unknown {
  if (!(error instanceof SimpleAgentsError)) return error;
  const { kind, message, text, value, code, status, retryAfterMs, target, field, requestId } = error;
  const details = omitUndefined({ status, retryAfterMs, target, field, requestId, addresses: addressesIn(error) });
  const quoted = filterJson(filter, omitUndefined({ text, value, code }));
  return new SimpleAgentsError(kind, filterText(filter, message), { ...details, ...quoted });
}
