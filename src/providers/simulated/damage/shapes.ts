// The wrong shape: keys, types and wrappers that are not what the schema says. The text is JSON, or no notation at all;
// what was meant shows only beside the schema.

import { isRecord, type JsonSchema, type JsonValue } from '../../../core/json.ts';
import type { Path } from './accepted.ts';
import {
  accept,
  around,
  beside,
  escapeText,
  extra,
  mapTokens,
  places,
  plainQuotes,
  replace,
  schemaAt,
  valueAt,
  write,
  type Draft,
  type Token,
} from './draft.ts';
import type { Kind } from './kind.ts';
import type { Random } from '../random.ts';
import { after } from './marks.ts';
import { bare, isReservedWord } from './quotes.ts';
import { group, isBareNumber } from './scalars.ts';

export const shapeKinds = {
  'numbers-as-strings': shape((draft) =>
    mapTokens(draft, (token) => (token.role === 'number' ? quoted(token, token.text) : undefined)),
  ),
  'number-with-separators': oneNumber(/^[1-9]\d{3,}$/u, (text) => quotedText(group(text, ','))),
  'bare-number-with-separators': {
    ...oneNumber(/^[1-9]\d{3,}$/u, (text) => group(text, ',')),
    // Among the items of a list even a schema cannot tell one number from two.
    damage: (draft, random) => changeNumber(draft, random, isMember, /^[1-9]\d{3,}$/u, (text) => group(text, ',')),
  },
  'number-with-currency': oneNumber(/^\d+\.\d\d?$/u, (text) => quotedText(`$${text}`)),
  'number-with-percent': oneNumber(/^\d{1,2}$/u, (text) => quotedText(`${text}%`)),
  'decimal-comma': {
    ...shape((draft, random) =>
      changeNumber(draft, random, (token) => schemaAt(draft, token.path)?.['type'] === 'number', /^\d+\.\d\d?$/u, (text) =>
        quotedText(text.replace('.', ',')),
      ),
    ),
    readsSchema: true,
  },
  'booleans-as-strings': shape((draft, random) =>
    mapTokens(draft, (token) => {
      if (token.text !== 'true' && token.text !== 'false') return undefined;
      return token.role === 'literal' ? quoted(token, random.pick(spellings[token.text])) : undefined;
    }),
  ),
  'nulls-as-strings': schemaShape((draft, random) =>
    mapTokens(draft, (token) =>
      token.role === 'literal' && token.text === 'null' && !allows(draft, token.path, 'string')
        ? quoted(token, random.pick(['null', 'None', 'N/A', '']))
        : undefined,
    ),
  ),
  'digits-for-string': schemaShape((draft) =>
    mapTokens(draft, (token) =>
      token.role === 'string' && /^\d{1,15}$/u.test(token.text) && allows(draft, token.path, 'string')
        ? bare(token)
        : undefined,
    ),
  ),
  'choice-in-other-case': schemaShape((draft) =>
    mapTokens(draft, (token) => (isChoice(draft, token) ? withText(token, otherCase(token.text)) : undefined)),
  ),
  'choice-in-other-spelling': schemaShape((draft) =>
    mapTokens(draft, (token) =>
      isChoice(draft, token) && /[_-]/u.test(token.text)
        ? withText(token, token.text.replaceAll(/[_-]/gu, ' '))
        : undefined,
    ),
  ),
  'keys-in-other-style': shape((draft) => renameKeys(draft, otherStyle)),
  'keys-with-spaces': shape((draft) => renameKeys(draft, (key) => wordsOf(key).join(' '))),
  'capitalised-keys': shape((draft) => renameKeys(draft, (key) => key.charAt(0).toUpperCase() + key.slice(1))),
  'one-for-list': shape((draft, random) => {
    const found = places(draft, (token) => token.text === '[' && isListOfOne(draft, token) && token.path.length > 0);
    return found.length === 0 ? undefined : unlist(draft, random.pick(found));
  }),
  'list-for-one': shape((draft, random) => {
    const found = places(draft, (token) => token.role === 'string' && isMember(token));
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    return replace(draft, index, extra('['), draft.tokens[index]!, extra(']'));
  }),
  'part-as-string': {
    ...shape((draft, random) => {
      const found = places(draft, (token) => token.role === 'open' && isMember(token) && isContainer(draft, token));
      return found.length === 0 ? undefined : stringify(draft, random.pick(found));
    }),
    ends: true,
  },
  'extra-key': shape((draft, random) => {
    const found = places(draft, (token, index) => token.text === '{' && beside(draft, index, 1)?.role === 'key');
    if (found.length === 0) return undefined;
    const remark = random.pick(['"explanation": "as the text says",', '"confidence": 0.9,', '"_notes": ["checked"],']);
    return after(draft, random.pick(found), remark);
  }),
  'key-again-in-other-case': shape((draft, random) => repeatKey(draft, random, (key) => key.toUpperCase())),
  /** A repeated key alone is JSON, so a comma is left over at the end too. */
  'duplicate-key': {
    phase: 'shape',
    damage: (draft, random) => {
      const repeated = repeatKey(draft, random, (key) => key);
      const end = repeated?.tokens.findLastIndex(({ role }) => role === 'close') ?? -1;
      return repeated && replace(repeated, end, extra(','), repeated.tokens[end]!);
    },
  },

  'wrapper-object': root((draft, random) => {
    const name = random.pick(['result', 'data', 'response', 'output', 'answer']);
    return around(draft, `{"${name}": `, '}');
  }),
  'two-wrapper-objects': root((draft) => around(draft, '{"response": {"data": ', '}}')),
  'wrapper-list': root((draft) =>
    schemaAt(draft, [])?.['type'] === 'array' ? undefined : around(draft, '[', ']'),
  ),
  'lines-for-list': root((draft) => {
    const [list] = draft.accepted;
    if (!Array.isArray(list) || list.length < 2 || !list.every((item) => isRecord(item))) return undefined;
    return { ...draft, tokens: draft.tokens.flatMap((token, index) => line(draft, token, index)) };
  }),
  'first-attempt-before': root((draft) => {
    const attempt = firstAttempt(draft);
    return attempt === undefined ? undefined : around(draft, `${attempt}\n\nCorrection:\n\n`, '');
  }),
  'key-value-lines': flat((entries) => entries.map(([key, text]) => `${key}: ${text}`).join('\n')),
  'markdown-list': flat((entries) => entries.map(([key, text]) => `- **${key}**: ${text}`).join('\n')),
} as const satisfies Readonly<Record<string, Kind>>;

const spellings = { true: ['true', 'True', 'yes', 'TRUE'], false: ['false', 'False', 'no', 'FALSE'] } as const;

function shape(damage: Kind['damage']): Kind {
  return { phase: 'shape', damage, needsSchema: true };
}

function schemaShape(damage: Kind['damage']): Kind & { readonly readsSchema: true } {
  return { ...shape(damage), readsSchema: true };
}

function root(damage: Kind['damage']): Kind {
  return { phase: 'root', damage, needsSchema: true };
}

function oneNumber(pattern: RegExp, change: (text: string) => string): Kind {
  return shape((draft, random) => changeNumber(draft, random, () => true, pattern, change));
}

function changeNumber(
  draft: Draft,
  random: Random,
  accepts: (token: Token) => boolean,
  pattern: RegExp,
  change: (text: string) => string,
): Draft | undefined {
  const found = places(draft, (token) => isBareNumber(token) && pattern.test(token.text) && accepts(token));
  if (found.length === 0) return undefined;
  const index = random.pick(found);
  const token = draft.tokens[index]!;
  return replace(draft, index, { ...token, text: change(token.text) });
}

function quotedText(text: string): string {
  return `"${text}"`;
}

function quoted(token: Token, text: string): Token {
  return { ...token, quotes: plainQuotes, text };
}

function withText(token: Token, text: string): Token | undefined {
  return text === token.text ? undefined : { ...token, text };
}

function isMember({ path }: Token): boolean {
  return typeof path.at(-1) === 'string';
}

function allows(draft: Draft, path: Path, type: string): boolean {
  const types = schemaAt(draft, path)?.['type'];
  return types === type || (Array.isArray(types) && types.includes(type));
}

function isChoice(draft: Draft, token: Token): boolean {
  return token.role === 'string' && schemaAt(draft, token.path)?.['enum'] !== undefined;
}

function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return text === upper ? text.toLowerCase() : upper;
}

/** Renames the keys the schema names, where the new names differ and stay apart. */
function renameKeys(draft: Draft, rename: (key: string) => string): Draft | undefined {
  return mapTokens(draft, (token) => {
    if (token.role !== 'key' || !/^[A-Za-z]\w*$/u.test(token.text)) return undefined;
    return withText(token, rename(token.text));
  });
}

function otherStyle(key: string): string {
  const words = wordsOf(key);
  if (key.includes('_')) return words.map((word, place) => (place === 0 ? word : capitalised(word))).join('');
  return words.join('_');
}

function wordsOf(key: string): string[] {
  return key
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, '_')
    .toLowerCase()
    .split('_')
    .filter((word) => word !== '');
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function isListOfOne(draft: Draft, { path }: Token): boolean {
  const list = valueAt(draft, path);
  return Array.isArray(list) && list.length === 1 && !Array.isArray(list[0]);
}

/** The brackets of a list of one disappear, with the space they had inside. */
function unlist(draft: Draft, index: number): Draft {
  const { path } = draft.tokens[index]!;
  const end = closerOf(draft, index);
  const isInside = (place: number): boolean => place === index + 1 || place === end - 1;
  const tokens = draft.tokens.flatMap((token, place) => {
    if (place === index || place === end) return [{ ...token, text: '', touched: true }];
    return token.role === 'space' && isInside(place) ? [] : [token];
  });
  return accept({ ...draft, tokens }, path, [valueAt(draft, path)!]);
}

function closerOf({ tokens }: Draft, index: number): number {
  const { path } = tokens[index]!;
  return tokens.findIndex((token, place) => place > index && token.role === 'close' && samePath(token.path, path));
}

function samePath(first: Path, second: Path): boolean {
  return first.length === second.length && first.every((key, depth) => key === second[depth]);
}

function isContainer(draft: Draft, { path }: Token): boolean {
  const value = valueAt(draft, path);
  return isRecord(value) || Array.isArray(value);
}

function stringify(draft: Draft, index: number): Draft {
  const end = closerOf(draft, index);
  const inner = write({ ...draft, tokens: draft.tokens.slice(index, end + 1) });
  const text: Token = { ...extra(escapeText(inner)), quotes: plainQuotes };
  return { ...draft, tokens: [...draft.tokens.slice(0, index), text, ...draft.tokens.slice(end + 1)] };
}

/** A text or number of an object stands there twice, first with another value: the later or the exact one is meant. */
function repeatKey(draft: Draft, random: Random, rename: (key: string) => string): Draft | undefined {
  const found = places(draft, (token, index) => token.role === 'key' && isRepeatable(draft, token, index, rename));
  if (found.length === 0) return undefined;
  const index = random.pick(found);
  const key = draft.tokens[index]!;
  const value = valueAt(draft, key.path);
  const earlier = typeof value === 'number' ? String(value + 1) : quotedText('draft');
  return replace(draft, index, extra(`"${rename(key.text)}": ${earlier}, `), key);
}

function isRepeatable(draft: Draft, token: Token, index: number, rename: (key: string) => string): boolean {
  const value = valueAt(draft, token.path);
  const colon = beside(draft, index, 1);
  const isScalar = typeof value === 'number' || (typeof value === 'string' && schemaIsOpen(schemaAt(draft, token.path)));
  const isOther = rename(token.text) === token.text || rename(token.text).toLowerCase() === token.text.toLowerCase();
  return isScalar && isOther && colon?.role === 'colon' && /^[a-z]\w*$/u.test(token.text);
}

function schemaIsOpen(schema: JsonSchema | undefined): boolean {
  return schema === undefined || Object.keys(schema).length === 1;
}

/** The items of the outermost list, each on its own line. */
function line(draft: Draft, token: Token, index: number): Token[] {
  const isOuter = token.path.length === 0 && (token.role === 'open' || token.role === 'close');
  if (isOuter) return [];
  if (token.role === 'comma' && token.path.length === 0) return [extra('\n')];
  const beforeItem = token.role === 'space' && token.path.length <= 1 && beside(draft, index, 1)?.path.length === 1;
  return beforeItem && draft.tokens[index - 1]?.path.length === 0 ? [] : [token];
}

/** The same text with one other number or word in it: as good an answer as the one that follows. */
function firstAttempt(draft: Draft): string | undefined {
  const changed = mapTokens(draft, (token) => (token.role === 'number' ? { ...token, text: `${Math.trunc(Number(token.text)) + 7}` } : undefined));
  return changed && write(changed);
}

/** An object of texts and numbers only, written without JSON. */
function flat(form: (entries: readonly (readonly [string, string])[]) => string): Kind {
  return {
    ...root((draft) => {
      const entries = flatEntries(draft.accepted[0]);
      return entries === undefined ? undefined : { ...draft, tokens: [extra(form(entries))] };
    }),
    ends: true,
  };
}

function flatEntries(value: JsonValue | undefined): [string, string][] | undefined {
  if (!isRecord(value) || Object.keys(value).length < 2) return undefined;
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  const isPlain = ([key, member]: readonly [string, JsonValue]): boolean =>
    /^[A-Za-z]\w*$/u.test(key) && (typeof member === 'number' || typeof member === 'boolean' || isPlainLine(member));
  return entries.every(isPlain) ? entries.map(([key, member]) => [key, String(member)]) : undefined;
}

function isPlainLine(value: JsonValue): boolean {
  return typeof value === 'string' && /^\p{L}[\p{L}\d ,.'-]*$/u.test(value) && !isReservedWord(value) && value === value.trim();
}
