// The name an answer is stored under: SHA-256 over everything that may change the answer, in one canonical form, so
// that the order of an object's members does not matter. Whatever is not known to be without influence is in: a field
// that comes to a request later makes new keys, never a wrong answer.

import { hash } from 'node:crypto';
import { isRecord } from '../../core/json.ts';
import type { Block, Message } from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest } from '../../core/request.ts';

/**
 * `identity` is what the model's name stands for: with another target behind it, a name gives other answers. `caller` is
 * who may be given the answer; left out, everyone.
 */
export function cacheKeyOf(request: ChatRequest, identity: unknown, caller?: string): string {
  const { stream: _stream, user: _user, messages, tools, extra = {}, ...rest } = request;
  return hash(
    'sha256',
    canonical({
      ...rest,
      identity,
      caller,
      messages: messages.map(withoutMarkers),
      tools: tools?.map((tool) => (isOpaqueTool(tool) ? tool : { ...tool, cache: undefined })),
      extra: Object.entries(extra)
        .map(([wire, fields]) => [wire, { ...fields, ...uninfluential }])
        .toSorted(byName),
    }),
  );
}

/** They ask to be told more of the same answer, and what they tell is not in our events. */
const uninfluential = { 'logprobs': undefined, 'top_logprobs': undefined };

function byName([left]: readonly unknown[], [right]: readonly unknown[]): number {
  return String(left) < String(right) ? -1 : 1;
}

/** Markers for the provider's prompt cache change the price of an answer, not the answer. */
function withoutMarkers({ role, content }: Message): object {
  return { role, content: content.map(withoutMarker) };
}

function withoutMarker(block: Block): object {
  if (block.type === 'opaque' || block.type === 'reasoning') return block;
  if (block.type !== 'tool-result') return { ...block, cache: undefined };
  return { ...block, cache: undefined, content: block.content.map(withoutMarker) };
}

/** Longer ones, images above all, stand as their hash: writing 5 MB into JSON took longer than hashing them. */
const longText = 4096;

/** A mark that no JSON begins with. Halves of characters are not told apart by a hash, so such a text stays itself. */
function digestOf(long: string): string {
  return long.isWellFormed() ? `#${hash('sha256', long)}` : JSON.stringify(long);
}

/** JSON with the members of every object in order, and none that is `undefined`. */
function canonical(value: unknown): string {
  if (typeof value === 'string' && value.length > longText) return digestOf(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  if (typeof value['toJSON'] === 'function') return canonical((value as { toJSON(): unknown }).toJSON());
  let members = '';
  for (const name of Object.keys(value).toSorted()) {
    if (value[name] === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonical(value[name])}`;
  }
  return `{${members}}`;
}
