// Damage: a text that is cut off. The accepted values contain everything before the cut, and an open string as far as it
// goes. If only the name of a member or the bracket of a container was written, both readings are accepted: the member is
// present (null, empty) or absent.

import { isRecord, type JsonValue } from '../../core/json.ts';
import { absent, isEmpty, prune, withValueAt, type Alternative, type ValuePath } from './accepted-values.ts';
import { isValue, schemaAt, unescapeText, type DamageDraft, type Token } from './draft.ts';
import type { DamageDefinition } from './damage-definition.ts';
import type { Random } from '../model/random.ts';

/** A position inside a token. `offset` characters of it are kept, including quotes. */
interface Cut {
  readonly index: number;
  readonly offset: number;
}

export const cutKinds = {
  'truncated': cut((draft, random) => {
    const lengths = draft.tokens.map(lengthOf);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    let offset = Math.max(1, Math.floor(total * (0.3 + 0.65 * random.next())));
    const index = lengths.findIndex((length) => (offset -= length) <= 0);
    return index === -1 ? undefined : { index, offset: offset + lengths[index]! };
  }),
  'truncated-in-string': cut((draft, random) =>
    inside(draft, random, ({ role, text }) => role === 'string' && text !== ''),
  ),
  'truncated-in-key': cut((draft, random) => inside(draft, random, ({ role, text }) => role === 'key' && text !== '')),
  'truncated-in-number': cut((draft, random) =>
    inside(draft, random, ({ role, text }) => role === 'number' && text.length > 1),
  ),
  'truncated-in-literal': cut((draft, random) => inside(draft, random, ({ role }) => role === 'literal')),
  'truncated-in-escape': cut((draft, random) => {
    const found = cuttable(draft, (token) => token.role === 'string' && escapesOf(token).length > 0);
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    const token = draft.tokens[index]!;
    const { start, length } = random.pick(escapesOf(token));
    return { index, offset: token.quotes[0].length + start + random.integer(1, length - 1) };
  }),
  'truncated-after-value': cut((draft, random) => behind(draft, random, isValue)),
  'truncated-after-comma': cut((draft, random) => behind(draft, random, ({ role }) => role === 'comma')),
  'truncated-after-colon': cut((draft, random) => behind(draft, random, ({ role }) => role === 'colon')),
  'truncated-after-key': cut((draft, random) => behind(draft, random, ({ role }) => role === 'key')),
  'truncated-after-opener': cut((draft, random) =>
    behind(draft, random, ({ role, path }) => role === 'open' && path.length > 0),
  ),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

function cut(choose: (draft: DamageDraft, random: Random) => Cut | undefined): DamageDefinition {
  return {
    phase: 'cut',
    damage: (draft, random) => {
      const position = choose(draft, random);
      return position === undefined || !isCuttable(draft, position.index) ? undefined : cutAt(draft, position);
    },
  };
}

/** A cut must be after all other damage, which would otherwise be lost, and in an undamaged token. */
function isCuttable(draft: DamageDraft, index: number): boolean {
  const token = draft.tokens[index]!;
  return !token.touched && index > lastTouched(draft) && !isInAlternative(draft, token.path);
}

function cuttable(draft: DamageDraft, accepts: (token: Token) => boolean): number[] {
  const last = lastTouched(draft);
  return [...draft.tokens.keys()].filter((index) => {
    const token = draft.tokens[index]!;
    // The first tokens contain no value yet.
    return index > Math.max(last, 4) && accepts(token) && !isInAlternative(draft, token.path);
  });
}

/** An incomplete value does not show which alternative was meant. */
function isInAlternative(draft: DamageDraft, path: ValuePath): boolean {
  if (draft.schema === undefined) return false;
  return (
    path.some((_, depth) => schemaAt(draft, path.slice(0, depth))?.['anyOf'] !== undefined) ||
    hasAlternative(draft, path)
  );
}

function hasAlternative(draft: DamageDraft, path: ValuePath): boolean {
  return schemaAt(draft, path)?.['anyOf'] !== undefined;
}

function lastTouched({ tokens }: DamageDraft): number {
  return tokens.findLastIndex(({ touched }) => touched);
}

function inside(draft: DamageDraft, random: Random, accepts: (token: Token) => boolean): Cut | undefined {
  const found = cuttable(draft, accepts);
  if (found.length === 0) return undefined;
  const index = random.pick(found);
  const token = draft.tokens[index]!;
  const start = token.quotes[0].length;
  return { index, offset: random.integer(start + 1, start + Math.max(1, token.text.length - 1)) };
}

function behind(draft: DamageDraft, random: Random, accepts: (token: Token) => boolean): Cut | undefined {
  const found = cuttable(draft, accepts);
  if (found.length === 0) return undefined;
  const index = random.pick(found);
  return { index, offset: lengthOf(draft.tokens[index]!) };
}

function cutAt(draft: DamageDraft, { index, offset }: Cut): DamageDraft {
  const token = draft.tokens[index]!;
  const written = wholeCharacters((token.quotes[0] + token.text + token.quotes[1]).slice(0, offset));
  const isOpen = written.length < lengthOf(token) && (isValue(token) || token.role === 'key');
  const before = draft.tokens.slice(0, isOpen ? index : index + 1);
  const accepted = draft.accepted.flatMap((value) => {
    const kept = keepWritten(value, before);
    return isOpen
      ? readingsInside(kept, token, readingsOf(token, written, { draft, value }))
      : readingsBetween(kept, lastToken(before), draft);
  });
  const last = { ...token, text: written, quotes: ['', ''] as const };
  return { ...draft, tokens: [...draft.tokens.slice(0, index), last], accepted };
}

/** Never ends inside a surrogate pair. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/u.test(text) ? text.slice(0, -1) : text;
}

function lastToken(tokens: readonly Token[]): Token | undefined {
  return tokens.findLast(({ role }) => role !== 'space');
}

function keepWritten(value: JsonValue, before: readonly Token[]): JsonValue {
  const written = new Set(
    before.flatMap((token) => (isValue(token) || token.role === 'open' ? [JSON.stringify(token.path)] : [])),
  );
  return prune(value, (path) => written.has(JSON.stringify(path)));
}

/** The accepted values for a cut between two tokens. */
function readingsBetween(kept: JsonValue, last: Token | undefined, draft: DamageDraft): JsonValue[] {
  if (last === undefined) return [kept];
  // Digits may be missing, so leaving out the last number is accepted too.
  if (last.role === 'number') return [kept, withValueAt(kept, last.path, absent)];
  if (last.role === 'open') return withoutEmpty(kept, last.path);
  if (last.role === 'key' || last.role === 'colon') {
    const path = last.role === 'key' ? last.path : nameBefore(draft, last);
    return [withValueAt(kept, path, null), ...withoutEmpty(kept, path.slice(0, -1))];
  }
  return [kept];
}

function nameBefore({ tokens }: DamageDraft, colon: Token): ValuePath {
  return tokens.slice(0, tokens.indexOf(colon)).findLast(({ role }) => role === 'key')!.path;
}

/** The accepted values for a cut inside a token. */
function readingsInside(kept: JsonValue, token: Token, readings: readonly Alternative[]): JsonValue[] {
  return readings.flatMap((reading) =>
    reading === absent ? withoutEmpty(kept, token.path.slice(0, -1)) : [withValueAt(kept, token.path, reading)],
  );
}

function readingsOf(
  token: Token,
  written: string,
  { draft, value }: { draft: DamageDraft; value: JsonValue },
): Alternative[] {
  if (token.role === 'key') return [absent];
  const whole = at(value, token.path) ?? null;
  if (token.role === 'literal') return [whole, null, absent];
  const begun = written.slice(token.quotes[0].length);
  if (token.role === 'number') return numberReadings(begun);
  const text = unescapeText(begun);
  const schema = schemaAt(draft, token.path);
  // An incomplete enum value or date is not valid: it may be completed or left out.
  if (isRecord(schema) && Object.keys(schema).length > 1) return [text, whole, absent];
  if (/[\ud800-\udbff]$/u.test(text)) return [text, text.slice(0, -1)];
  if (text === '') return [text, absent];
  // Trailing space of a response is often lost.
  return text === text.trimEnd() ? [text] : [text, text.trimEnd()];
}

function numberReadings(written: string): Alternative[] {
  const digits = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/u.exec(written)?.[0];
  return digits === undefined ? [null, absent] : [Number(digits), absent];
}

/** The value, and the value without the empty containers that were just opened. */
function withoutEmpty(value: JsonValue, path: ValuePath): JsonValue[] {
  const readings = [value];
  let current = value;
  for (let rest = path; rest.length > 0 && isEmpty(at(current, rest)); rest = rest.slice(0, -1)) {
    current = withValueAt(current, rest, absent);
    readings.push(current);
  }
  return readings;
}

function at(value: JsonValue, path: ValuePath): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of path) current = (current as Readonly<Record<string | number, JsonValue>> | undefined)?.[key];
  return current;
}

function lengthOf({ text, quotes: [opening, closing] }: Token): number {
  return opening.length + text.length + closing.length;
}

function escapesOf({ text }: Token): { start: number; length: number }[] {
  return [...text.matchAll(/\\(?:u[\da-f]{4}|.)/giu)].map((found) => ({ start: found.index, length: found[0].length }));
}
