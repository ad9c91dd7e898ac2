// The key of a stored response: SHA-256 over everything that may change the response, in canonical form, so that the order
// of an object's members does not matter. Every field is included unless it is known to have no influence. A new field of
// a request therefore leads to new keys, never to a wrong response.

import type { Sha256 } from '../../core/hash.ts';
import { isRecord } from '../../core/json.ts';
import type { Block, Message } from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest } from '../../core/request.ts';
import type { Guardrail } from '../guardrail/guardrail.ts';
import type { HealingSettings } from '../output/healing.ts';
import type { ResolveSettings, Target } from '../routing/resolve.ts';
import { resolveRoute } from '../routing/route.ts';

export interface CacheScope {
  /** What the model's name stands for, because a name with another target gives other responses. */
  readonly identity: unknown;
  /** Who may get the response; everyone if `undefined`. */
  readonly caller?: string | undefined;
}

export function cacheKeyOf(request: ChatRequest, { identity, caller }: CacheScope, sha256: Sha256): string {
  const { stream: _stream, user: _user, client, messages, tools, extra = {}, ...rest } = request;
  const subject = {
    ...rest,
    identity,
    caller,
    version: client?.version,
    messages: messages.map(withoutMarkers),
    tools: tools?.map((tool) => (isOpaqueTool(tool) ? tool : { ...tool, cache: undefined })),
    extra: Object.entries(extra)
      .map(([wire, fields]) => [wire, { ...fields, ...uninfluential }])
      .toSorted(byName),
  };
  return canonicalKey(subject, sha256);
}

/** The order of an object's members does not matter. */
export function canonicalKey(subject: object, sha256: Sha256): string {
  return sha256(canonical(subject, sha256));
}

/** They add details to the same response, and our events do not contain these details. */
const uninfluential = { 'logprobs': undefined, 'top_logprobs': undefined };

function byName([left]: readonly unknown[], [right]: readonly unknown[]): number {
  return String(left) < String(right) ? -1 : 1;
}

/** Markers for the provider's prompt cache change the price of a response, not the response. */
function withoutMarkers({ role, content }: Message): object {
  return { role, content: content.map(withoutMarker) };
}

function withoutMarker(block: Block): object {
  if (block.type === 'opaque' || block.type === 'reasoning') return block;
  if (block.type !== 'tool-result') return { ...block, cache: undefined };
  return { ...block, cache: undefined, content: block.content.map(withoutMarker) };
}

/** Longer texts, above all images, are replaced by their hash, which is faster than escaping them as JSON. */
const longText = 4096;

/** JSON never starts with `#`. Text with lone surrogates is not hashed, because UTF-8 maps all of them to one character. */
function digestOf(long: string, sha256: Sha256): string {
  return long.isWellFormed() ? `#${sha256(long)}` : JSON.stringify(long);
}

/** JSON with the members of every object sorted, and without `undefined` members. */
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
  readonly guardrails?: readonly Guardrail[];
}

/**
 * Everything behind a model's name that may change a response, so that an alias with a new target does not find the
 * responses of the old one. Keys, time-outs and prices are not included.
 */
export function cacheIdentity(name: string, settings: IdentitySettings): object {
  const { targets, fallbacks } = resolveRoute(name, settings);
  const { maxTokens, healing, guardrails } = settings;
  const filters = guardrails?.map(({ filter: _filter, ...guardrail }) => guardrail);
  return { targets: [...targets, ...fallbacks].map(describeTarget), maxTokens, healing, guardrails: filters };
}

function describeTarget({ provider, model }: Target): object {
  const { name, type, baseUrl, headers, rules, seed, script, settings } = provider;
  return { provider: name, type, baseUrl, headers, rules, seed, script, settings, model };
}
