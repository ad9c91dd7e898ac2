// The name an answer is stored under: SHA-256 over everything that may change the answer, in one canonical form, so
// that the order of an object's members does not matter. Whatever is not known to be without influence is in: a field
// that comes to a request later makes new keys, never a wrong answer.

import type { Sha256 } from '../../core/hash.ts';
import { isRecord } from '../../core/json.ts';
import type { Block, Message } from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest } from '../../core/request.ts';
import type { HealingSettings } from '../output/healing.ts';
import type { ResolveSettings, Target } from '../routing/resolve.ts';
import { resolveRoute } from '../routing/route.ts';

export interface CacheScope {
  /** What the model's name stands for: a name with another target behind it gives other answers. */
  readonly identity: unknown;
  /** Who may be given the answer; if undefined, everyone. */
  readonly caller?: string | undefined;
}

export function cacheKeyOf(request: ChatRequest, { identity, caller }: CacheScope, sha256: Sha256): string {
  const { stream: _stream, user: _user, messages, tools, extra = {}, ...rest } = request;
  const subject = {
    ...rest,
    identity,
    caller,
    messages: messages.map(withoutMarkers),
    tools: tools?.map((tool) => (isOpaqueTool(tool) ? tool : { ...tool, cache: undefined })),
    extra: Object.entries(extra)
      .map(([wire, fields]) => [wire, { ...fields, ...uninfluential }])
      .toSorted(byName),
  };
  return sha256(canonical(subject, sha256));
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
function digestOf(long: string, sha256: Sha256): string {
  return long.isWellFormed() ? `#${sha256(long)}` : JSON.stringify(long);
}

/** JSON with the members of every object in order, and none that is `undefined`. */
function canonical(value: unknown, sha256: Sha256): string {
  if (typeof value === 'string' && value.length > longText) return digestOf(value, sha256);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, sha256)).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  if (typeof value['toJSON'] === 'function') return canonical((value as { toJSON(): unknown }).toJSON(), sha256);
  let members = '';
  for (const name of Object.keys(value).toSorted()) {
    if (value[name] === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonical(value[name], sha256)}`;
  }
  return `{${members}}`;
}

export interface IdentitySettings extends ResolveSettings {
  readonly maxTokens?: number;
  readonly healing?: HealingSettings;
}

/**
 * Everything behind a model's name that may change an answer, so that an alias with a new target does not find the
 * answers of the old one. Keys, time-outs and prices make no difference.
 */
export function cacheIdentity(name: string, settings: IdentitySettings): object {
  const { targets, fallbacks } = resolveRoute(name, settings);
  const { maxTokens, healing } = settings;
  return { targets: [...targets, ...fallbacks].map(describeTarget), maxTokens, healing };
}

function describeTarget({ provider, model }: Target): object {
  const { name, type, baseUrl, headers, seed, script } = provider;
  return { provider: name, type, baseUrl, headers, seed, script, model };
}
