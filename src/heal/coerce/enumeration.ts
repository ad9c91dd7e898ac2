// Finds the enum value that a text means. The text may be the exact value, a different spelling, an alias, or a short
// text that mentions exactly one value. Several different mentions, a negated one or a heading match nothing.

import { HealBudget } from '../budget.ts';
import { normaliseName } from '../schema/name.ts';
import type { EnumSchema } from '../schema/schema.ts';

export interface EnumMatch {
  readonly value: unknown;
  readonly by: 'exact' | 'similar' | 'mention' | 'similar-mention';
}

interface Index {
  readonly exact: ReadonlyMap<string, unknown>;
  /** By name in lower case. */
  readonly cased: ReadonlyMap<string, unknown>;
  /** Normalised names that several values share, such as `j` and `j-`. */
  readonly ambiguous: ReadonlySet<string>;
  readonly similar: ReadonlyMap<string, unknown>;
  readonly names: readonly Name[];
}

interface Name {
  readonly name: string;
  readonly normal: string;
}

const indices = new WeakMap<EnumSchema, Index>();

/** Longer texts are not searched for mentions or other spellings. */
const maxMentionLength = 4000;

/** In a longer text, a mention has to be spelled like the value: `other` is a common word, `OTHER` is not. */
const maxSpellingLength = 200;

/** Maximum total length of the names searched for in a text, because each is tried at every position. */
const maxMentionNames = 6000;

/** Cost of normalising and indexing a name. */
const stepsPerName = 6;

/** Cost of building the regular expression for the names that occur in a text. */
const stepsPerExpression = 500;

/** Roughly how many characters are searched in the time of one step. */
const charactersPerStep = 200;

export function matchEnum(schema: EnumSchema, text: string, budget = new HealBudget()): EnumMatch | undefined {
  const index = indexOf(schema, budget);
  if (index.exact.has(text)) return { value: index.exact.get(text), by: 'exact' };
  if (text.length > maxMentionLength) return undefined;
  const trimmed = trimMarks(text);
  if (index.exact.has(trimmed)) return { value: index.exact.get(trimmed), by: 'similar' };
  for (const lower of [text.toLowerCase(), trimmed.toLowerCase()])
    if (index.cased.has(lower)) return { value: index.cased.get(lower), by: 'similar' };
  const similar = normaliseName(trimmed);
  if (index.ambiguous.has(similar)) return undefined;
  if (index.similar.has(similar)) return { value: index.similar.get(similar), by: 'similar' };
  return matchMention(index, text, budget);
}

/** Deeper values count as different. */
const maxComparedDepth = 400;

/** Whether an object or array equals one of the enum's values. */
export function hasEqualValue({ values }: EnumSchema, value: unknown, budget: HealBudget): boolean {
  for (const allowed of values) if (isEqual(allowed, value, budget, maxComparedDepth)) return true;
  return false;
}

function isEqual(allowed: unknown, value: unknown, budget: HealBudget, left: number): boolean {
  budget.spend(1);
  if (typeof allowed !== 'object' || allowed === null || typeof value !== 'object' || value === null)
    return allowed === value;
  const names = Object.keys(allowed);
  if (left === 0 || Array.isArray(allowed) !== Array.isArray(value) || names.length !== Object.keys(value).length)
    return false;
  return names.every(
    (name) =>
      Object.hasOwn(value, name) && isEqual(Reflect.get(allowed, name), Reflect.get(value, name), budget, left - 1),
  );
}

const marksBefore = /["'`*_\s]/;
const marksAfter = /["'`*_.!,;:\s]/;

/** Removes quotes, asterisks and punctuation around a word. */
function trimMarks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && marksBefore.test(text.charAt(start))) start++;
  while (end > start && marksAfter.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** How many characters before a mention are searched for a negation. */
const maxNegationDistance = 200;

/** A negation at most three words before the mention, without punctuation in between. */
const negation =
  /(?:\b(?:not|never|no|neither|nor|cannot|without|except|but)|n['’]t)(?:\s+[\p{L}\p{N}]+){0,3}\s+["'`*]*$/u;

function matchMention(index: Index, text: string, budget: HealBudget): EnumMatch | undefined {
  const mentions = mentionsIn(index, text, budget);
  const [only] = mentions;
  if (only === undefined || mentions.size > 1) return undefined;
  const [value, { isNegated, isSpelled }] = only;
  return isNegated ? undefined : { value, by: isSpelled ? 'mention' : 'similar-mention' };
}

/** The enum values that a text mentions. */
export function mentionedValues(schema: EnumSchema, text: string, budget: HealBudget): unknown[] {
  if (text.length > maxMentionLength) return [];
  return [...mentionsIn(indexOf(schema, budget), text, budget).keys()];
}

interface Mention {
  readonly isNegated: boolean;
  /** Spelled like the value. */
  readonly isSpelled: boolean;
}

function mentionsIn(index: Index, text: string, budget: HealBudget): Map<unknown, Mention> {
  const found = new Map<unknown, Mention>();
  const mention = mentionIn(index, text, budget);
  if (mention === undefined) return found;
  const plain = withoutAccents(text);
  const lower = plain.toLowerCase();
  for (const match of lower.matchAll(mention)) {
    const end = match.index + match[0].length;
    const isSpelled = index.exact.has(plain.slice(match.index, end));
    if (!isSpelled && (text.length > maxSpellingLength || isHeading(plain, end))) continue;
    const value = index.similar.get(normaliseName(match[0]));
    const isNegated = negation.test(lower.slice(Math.max(0, match.index - maxNegationDistance), match.index));
    const before = found.get(value);
    found.set(value, {
      isNegated: isNegated || before?.isNegated === true,
      isSpelled: isSpelled || before?.isSpelled === true,
    });
  }
  return found;
}

/** `Question: How do I …` */
function isHeading(text: string, end: number): boolean {
  return /^["'`*_]*:["'`*_]*\s*\S/.test(text.slice(end, end + 20));
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
}

const booleans = indexNames([true, false], () => []);

/** Reads texts such as `Answer: **True**`. */
export function mentionedBoolean(text: string, budget: HealBudget): boolean | undefined {
  if (text.length > maxMentionLength) return undefined;
  return matchMention(booleans, text, budget)?.value as boolean | undefined;
}

function indexOf(schema: EnumSchema, budget: HealBudget): Index {
  let index = indices.get(schema);
  if (index === undefined) {
    index = indexNames(schema.values, (value) => schema.aliases.get(value) ?? [], budget);
    indices.set(schema, index);
  }
  return index;
}

function indexNames(
  values: Iterable<unknown>,
  aliasesOf: (value: unknown) => readonly string[],
  budget = new HealBudget(),
): Index {
  const exact = new Map<string, unknown>();
  const cased = new Map<string, unknown>();
  const similar = new Map<string, unknown>();
  const ambiguous = new Set<string>();
  const names: Name[] = [];
  for (const value of values) {
    // Objects and arrays have no name.
    if (typeof value === 'object' && value !== null) continue;
    const aliases = aliasesOf(value);
    for (const name of [String(value), ...aliases]) {
      budget.spend(stepsPerName + name.length / 16);
      if (!exact.has(name)) exact.set(name, value);
      if (!cased.has(name.toLowerCase())) cased.set(name.toLowerCase(), value);
      const normal = normaliseName(name);
      if (similar.has(normal) && similar.get(normal) !== value) ambiguous.add(normal);
      if (normal !== '' && !similar.has(normal)) similar.set(normal, value);
      names.push({ name, normal });
    }
    // Prompts often list values as "name: description".
    const [first, second] = aliases;
    if (first !== undefined && second !== undefined) similar.set(normaliseName(`${first}: ${second}`), value);
  }
  return { exact, cased, similar, ambiguous, names };
}

/**
 * Builds an expression that finds the names in the text. A cheap test comes first, because most texts contain none of
 * them.
 */
function mentionIn({ names }: Index, text: string, budget: HealBudget): RegExp | undefined {
  const searched = normaliseName(text);
  budget.spend(names.length * (1 + searched.length / charactersPerStep));
  const found = names.filter(({ normal }) => searched.includes(normal)).map(({ name }) => name);
  const length = found.reduce((sum, name) => sum + name.length, 0);
  if (found.length === 0 || length > maxMentionNames) return undefined;
  budget.spend(stepsPerExpression + (length * text.length) / charactersPerStep);
  return mentionOf(found);
}

/** Matches entire words only, longest name first, so that `NOT_SPAM` is not read as `SPAM`. */
function mentionOf(names: readonly string[]): RegExp | undefined {
  const patterns = names
    .map((name) => withoutAccents(name).toLowerCase())
    .filter((name) => name.trim() !== '')
    .toSorted((left, right) => right.length - left.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/[\s_-]+/g, '[\\s_\\-]+'));
  if (patterns.length === 0) return undefined;
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${patterns.join('|')})(?![\\p{L}\\p{N}_])`, 'gu');
}
