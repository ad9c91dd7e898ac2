// Which value of an enumeration a text means: written exactly, in another case or with other marks, by an alias, or
// mentioned as the only one in a short text. Two different mentions, or a negated one, mean none.

import { normaliseName } from './name.ts';
import type { EnumSchema } from './schema.ts';

export interface EnumMatch {
  readonly value: unknown;
  readonly by: 'exact' | 'similar' | 'mention';
}

interface Index {
  readonly exact: ReadonlyMap<string, unknown>;
  readonly similar: ReadonlyMap<string, unknown>;
  readonly mention: RegExp | undefined;
}

const indices = new WeakMap<EnumSchema, Index>();

/** Texts longer than this are not searched for a mention. */
const longestMention = 4000;

export function matchEnum(schema: EnumSchema, text: string): EnumMatch | undefined {
  const index = indexOf(schema);
  const trimmed = trimMarks(text);
  if (index.exact.has(text)) return { value: index.exact.get(text), by: 'exact' };
  if (index.exact.has(trimmed)) return { value: index.exact.get(trimmed), by: 'similar' };
  const similar = normaliseName(trimmed);
  if (index.similar.has(similar)) return { value: index.similar.get(similar), by: 'similar' };
  return text.length > longestMention ? undefined : matchMention(index, text);
}

/** Quotes, stars and full stops around a word are not part of it. */
function trimMarks(text: string): string {
  return text.trim().replaceAll(/^["'`*_\s]+|["'`*_.!,;:\s]+$/g, '');
}

/** A few words before the mention, with nothing in between that ends a phrase. */
const negation =
  /(?:\b(?:not|never|no|neither|nor|cannot|without|except|but)|n['’]t)(?:\s+[\p{L}\p{N}]+){0,3}\s+["'`*]*$/u;

function matchMention(index: Index, text: string): EnumMatch | undefined {
  if (index.mention === undefined) return undefined;
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  const found = new Set<unknown>();
  for (const match of plain.matchAll(index.mention)) {
    if (negation.test(plain.slice(0, match.index))) return undefined;
    found.add(index.similar.get(normaliseName(match[0])));
  }
  if (found.size !== 1) return undefined;
  const [value] = found;
  return { value, by: 'mention' };
}

function indexOf(schema: EnumSchema): Index {
  let index = indices.get(schema);
  if (index === undefined) {
    index = buildIndex(schema);
    indices.set(schema, index);
  }
  return index;
}

function buildIndex(schema: EnumSchema): Index {
  const exact = new Map<string, unknown>();
  const similar = new Map<string, unknown>();
  const names: string[] = [];
  for (const value of schema.values) {
    const aliases = schema.aliases.get(value) ?? [];
    for (const name of [String(value), ...aliases]) {
      if (!exact.has(name)) exact.set(name, value);
      const plain = normaliseName(name);
      if (plain !== '' && !similar.has(plain)) similar.set(plain, value);
      names.push(name);
    }
    // "name: description" is how a prompt often lists them.
    const [first, second] = aliases;
    if (first !== undefined && second !== undefined) similar.set(normaliseName(`${first}: ${second}`), value);
  }
  return { exact, similar, mention: mentionOf(names) };
}

/** Whole words only, the longest name first, so that `NOT_SPAM` is not seen as `SPAM`. */
function mentionOf(names: readonly string[]): RegExp | undefined {
  const patterns = names
    .map((name) => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss'))
    .filter((name) => name.trim() !== '')
    .toSorted((left, right) => right.length - left.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/[\s_-]+/g, '[\\s_\\-]+'));
  if (patterns.length === 0) return undefined;
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${patterns.join('|')})(?![\\p{L}\\p{N}_])`, 'gu');
}
