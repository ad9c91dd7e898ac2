// Which value of an enumeration a text means: written exactly, in another case or with other marks, by an alias, or
// mentioned as the only one in a short text. Two different mentions, or a negated one, mean none.

import { HealBudget } from '../budget.ts';
import { normaliseName } from '../schema/name.ts';
import type { EnumSchema } from '../schema/schema.ts';

export interface EnumMatch {
  readonly value: unknown;
  readonly by: 'exact' | 'similar' | 'mention';
}

interface Index {
  readonly exact: ReadonlyMap<string, unknown>;
  readonly similar: ReadonlyMap<string, unknown>;
  readonly names: readonly Name[];
}

interface Name {
  readonly name: string;
  readonly normal: string;
}

const indices = new WeakMap<EnumSchema, Index>();

/** Texts longer than this are not searched for a mention, nor for another spelling. */
const maxMentionLength = 4000;

/** Names of more characters together are not looked for in a text: each would be tried at every place. */
const maxMentionNames = 6000;

/** To normalise a name and to index it. */
const stepsPerName = 6;

/** To make an expression of the names that a text has in it. */
const stepsPerExpression = 500;

/** The characters that are searched in the time of a step, roughly. */
const charactersPerStep = 200;

export function matchEnum(schema: EnumSchema, text: string, budget = new HealBudget()): EnumMatch | undefined {
  const index = indexOf(schema, budget);
  if (index.exact.has(text)) return { value: index.exact.get(text), by: 'exact' };
  if (text.length > maxMentionLength) return undefined;
  const trimmed = trimMarks(text);
  if (index.exact.has(trimmed)) return { value: index.exact.get(trimmed), by: 'similar' };
  const similar = normaliseName(trimmed);
  if (index.similar.has(similar)) return { value: index.similar.get(similar), by: 'similar' };
  return matchMention(index, text, budget);
}

const marksBefore = /["'`*_\s]/;
const marksBehind = /["'`*_.!,;:\s]/;

/** Quotes, stars and full stops around a word are not part of it. */
function trimMarks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && marksBefore.test(text.charAt(start))) start++;
  while (end > start && marksBehind.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** A negation further away is not looked for. */
const maxNegationDistance = 200;

/** A few words before the mention, with nothing in between that ends a phrase. */
const negation =
  /(?:\b(?:not|never|no|neither|nor|cannot|without|except|but)|n['’]t)(?:\s+[\p{L}\p{N}]+){0,3}\s+["'`*]*$/u;

function matchMention(index: Index, text: string, budget: HealBudget): EnumMatch | undefined {
  const mention = mentionIn(index, text, budget);
  if (mention === undefined) return undefined;
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  const found = new Set<unknown>();
  for (const match of plain.matchAll(mention)) {
    if (negation.test(plain.slice(Math.max(0, match.index - maxNegationDistance), match.index))) return undefined;
    found.add(index.similar.get(normaliseName(match[0])));
  }
  if (found.size !== 1) return undefined;
  const [value] = found;
  return { value, by: 'mention' };
}

function indexOf(schema: EnumSchema, budget: HealBudget): Index {
  let index = indices.get(schema);
  if (index === undefined) {
    index = buildIndex(schema, budget);
    indices.set(schema, index);
  }
  return index;
}

function buildIndex(schema: EnumSchema, budget: HealBudget): Index {
  const exact = new Map<string, unknown>();
  const similar = new Map<string, unknown>();
  const names: Name[] = [];
  for (const value of schema.values) {
    const aliases = schema.aliases.get(value) ?? [];
    for (const name of [String(value), ...aliases]) {
      budget.spend(stepsPerName + name.length / 16);
      if (!exact.has(name)) exact.set(name, value);
      const normal = normaliseName(name);
      if (normal !== '' && !similar.has(normal)) similar.set(normal, value);
      names.push({ name, normal });
    }
    // "name: description" is how a prompt often lists them.
    const [first, second] = aliases;
    if (first !== undefined && second !== undefined) similar.set(normaliseName(`${first}: ${second}`), value);
  }
  return { exact, similar, names };
}

/** Finds the names in the text. Most texts have none of them in any spelling, which is quickly found. */
function mentionIn({ names }: Index, text: string, budget: HealBudget): RegExp | undefined {
  const searched = normaliseName(text);
  budget.spend(names.length * (1 + searched.length / charactersPerStep));
  const found = names.filter(({ normal }) => searched.includes(normal)).map(({ name }) => name);
  const length = found.reduce((sum, name) => sum + name.length, 0);
  if (found.length === 0 || length > maxMentionNames) return undefined;
  budget.spend(stepsPerExpression + (length * text.length) / charactersPerStep);
  return mentionOf(found);
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
