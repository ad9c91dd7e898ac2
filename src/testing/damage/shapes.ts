// Damage: wrong shape. Keys and types differ from the schema. The text is valid JSON, and only the schema shows what was
// meant.

import { isRecord, type JsonSchema } from '../../core/json.ts';
import type { ValuePath } from './accepted-values.ts';
import {
  beside,
  escapeText,
  extra,
  mapTokens,
  plainQuotes,
  replace,
  schemaAt,
  valueAt,
  toText,
  type DamageDraft,
  type Token,
} from './draft.ts';
import { somewhere, type DamageDefinition } from './damage-definition.ts';
import { after, rewrite } from './marks.ts';
import { bare } from './quotes.ts';
import { group, isBareNumber } from './scalars.ts';

const spellings = { true: ['true', 'True', 'yes', 'TRUE'], false: ['false', 'False', 'no', 'FALSE'] } as const;

export const shapeKinds = {
  'numbers-as-strings': everyToken((token) => (isBareNumber(token) ? quoted(token, token.text) : undefined)),
  'number-with-separators': oneNumber(/^[1-9]\d{3,}$/u, (text) => `"${group(text, ',')}"`),
  // Not for list items, where even a schema cannot distinguish one number from two.
  'bare-number-with-separators': shape(
    somewhere(
      (token) => isBareNumber(token) && isMember(token) && /^[1-9]\d{3,}$/u.test(token.text),
      (draft, index) => rewrite(draft, index, group(draft.tokens[index]!.text, ',')),
    ),
  ),
  'number-with-currency': oneNumber(/^\d+\.\d\d?$/u, (text) => `"$${text}"`),
  'number-with-percent': oneNumber(/^\d{1,2}$/u, (text) => `"${text}%"`),
  'decimal-comma': shapeBySchema(
    somewhere(
      (token, _, draft) => isBareNumber(token) && allows(draft, token, 'number') && /^\d+\.\d\d?$/u.test(token.text),
      (draft, index) => rewrite(draft, index, `"${draft.tokens[index]!.text.replace('.', ',')}"`),
    ),
  ),
  'booleans-as-strings': shape((draft, random) =>
    mapTokens(draft, (token) => (isBoolean(token) ? quoted(token, random.pick(spellings[token.text])) : undefined)),
  ),
  'nulls-as-strings': shapeBySchema((draft, random) =>
    mapTokens(draft, (token) =>
      token.role === 'literal' && token.text === 'null' && !allows(draft, token, 'string')
        ? quoted(token, random.pick(['null', 'None', 'N/A', '']))
        : undefined,
    ),
  ),
  'digits-for-string': everyTokenBySchema((token, draft) =>
    token.role === 'string' && /^\d{1,15}$/u.test(token.text) && allows(draft, token, 'string')
      ? bare(token)
      : undefined,
  ),
  'choice-in-other-case': everyTokenBySchema((token, draft) =>
    isChoice(draft, token) ? renamed(token, otherCase) : undefined,
  ),
  'choice-in-other-spelling': everyTokenBySchema((token, draft) =>
    isChoice(draft, token) ? renamed(token, (text) => text.replaceAll(/[_-]/gu, ' ')) : undefined,
  ),
  'keys-in-other-style': everyToken((token) => (isNamed(token) ? renamed(token, otherStyle) : undefined)),
  'keys-with-spaces': everyToken((token) =>
    isNamed(token) ? renamed(token, (key) => wordsOf(key).join(' ')) : undefined,
  ),
  'capitalised-keys': everyToken((token) => (isNamed(token) ? renamed(token, capitalised) : undefined)),
  'one-for-list': shape(
    somewhere((token, _, draft) => token.text === '[' && token.path.length > 0 && isListOfOne(draft, token), unlist),
  ),
  // Not for strings, where the brackets may be part of the text.
  'list-for-one': shape(
    somewhere(
      (token) => isMember(token) && (isBareNumber(token) || isBoolean(token)),
      (draft, index) => replace(draft, index, extra('['), draft.tokens[index]!, extra(']')),
    ),
  ),
  'part-as-string': {
    ...shape(somewhere((token) => token.role === 'open' && token.text !== '' && isMember(token), stringify)),
    whole: true,
  },
  'extra-key': shape(
    somewhere(
      (token, index, draft) => token.text === '{' && beside(draft, index, 1)?.role === 'key',
      (draft, index, random) =>
        after(
          draft,
          index,
          random.pick(['"explanation": "as the text says",', '"confidence": 0.9,', '"_notes": ["checked"],']),
        ),
    ),
  ),
  // The key that is spelled as in the schema counts.
  'key-again-in-other-case': shape(
    somewhere(isRepeatableAsNamed, (draft, index) => repeatKey(draft, index, (key) => key.toUpperCase())),
  ),
  // The last one counts. A repeated key alone is valid JSON, so a trailing comma is added too.
  'duplicate-key': {
    phase: 'shape',
    damage: somewhere(isRepeatable, (draft, index) => {
      const repeated = repeatKey(draft, index, (key) => key);
      const end = repeated.tokens.findLastIndex(({ role }) => role === 'close');
      return replace(repeated, end, extra(','), repeated.tokens[end]!);
    }),
  },
} as const satisfies Readonly<Record<string, DamageDefinition>>;

type BySchema = DamageDefinition & { readonly readsSchema: true };

function shape(damage: DamageDefinition['damage']): DamageDefinition {
  return { phase: 'shape', damage, needsSchema: true };
}

function shapeBySchema(damage: DamageDefinition['damage']): BySchema {
  return { ...shape(damage), readsSchema: true };
}

function everyToken(change: (token: Token, draft: DamageDraft) => Token | undefined): DamageDefinition {
  return shape((draft) => mapTokens(draft, (token) => change(token, draft)));
}

function everyTokenBySchema(change: (token: Token, draft: DamageDraft) => Token | undefined): BySchema {
  return { ...everyToken(change), readsSchema: true };
}

function oneNumber(pattern: RegExp, change: (text: string) => string): DamageDefinition {
  return shape(
    somewhere(
      (token) => isBareNumber(token) && pattern.test(token.text),
      (draft, index) => rewrite(draft, index, change(draft.tokens[index]!.text)),
    ),
  );
}

function quoted(token: Token, text: string): Token {
  return { ...token, quotes: plainQuotes, text };
}

function renamed(token: Token, rename: (text: string) => string): Token | undefined {
  const text = rename(token.text);
  return text === token.text ? undefined : { ...token, text };
}

function isMember({ path }: Token): boolean {
  return typeof path.at(-1) === 'string';
}

function isNamed({ role, text }: Token): boolean {
  return role === 'key' && /^[A-Za-z]\w*$/u.test(text);
}

function isBoolean(token: Token): token is Token & { text: 'true' | 'false' } {
  return token.role === 'literal' && (token.text === 'true' || token.text === 'false');
}

function allows(draft: DamageDraft, { path }: Token, type: string): boolean {
  const types = schemaAt(draft, path)?.['type'];
  return types === type || (Array.isArray(types) && types.includes(type));
}

function isChoice(draft: DamageDraft, { role, path }: Token): boolean {
  return role === 'string' && schemaAt(draft, path)?.['enum'] !== undefined;
}

function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return text === upper ? text.toLowerCase() : upper;
}

function otherStyle(key: string): string {
  const [first = '', ...rest] = wordsOf(key);
  return key.includes('_') ? first + rest.map(capitalised).join('') : [first, ...rest].join('_');
}

function wordsOf(key: string): string[] {
  const apart = key.replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, '_').toLowerCase();
  return apart.split('_').filter((word) => word !== '');
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function isListOfOne(draft: DamageDraft, { path }: Token): boolean {
  const list = valueAt(draft, path);
  return Array.isArray(list) && list.length === 1 && !Array.isArray(list[0]);
}

/** Removes the brackets of a list of one item, and the space inside them. */
function unlist(draft: DamageDraft, index: number): DamageDraft {
  const end = closerOf(draft, index);
  const tokens = draft.tokens.flatMap((token, at) => {
    if (at === index || at === end) return [{ ...token, text: '', touched: true }];
    return token.role === 'space' && (at === index + 1 || at === end - 1) ? [] : [token];
  });
  return { ...draft, tokens };
}

function stringify(draft: DamageDraft, index: number): DamageDraft {
  const end = closerOf(draft, index);
  const inner = toText({ ...draft, tokens: draft.tokens.slice(index, end + 1) });
  const text: Token = { ...extra(escapeText(inner)), quotes: plainQuotes };
  return { ...draft, tokens: [...draft.tokens.slice(0, index), text, ...draft.tokens.slice(end + 1)] };
}

function closerOf({ tokens }: DamageDraft, index: number): number {
  const { path } = tokens[index]!;
  return tokens.findIndex((token, at) => at > index && token.role === 'close' && isSamePath(token.path, path));
}

function isSamePath(first: ValuePath, second: ValuePath): boolean {
  return first.length === second.length && first.every((key, depth) => key === second[depth]);
}

/** Whether the token is a key whose value is a number or free text. */
function isRepeatable(token: Token, index: number, draft: DamageDraft): boolean {
  if (token.role !== 'key' || !/^[a-z]\w*$/u.test(token.text)) return false;
  const value = valueAt(draft, token.path);
  const isText = typeof value === 'string' && isOpen(schemaAt(draft, token.path));
  return (typeof value === 'number' || isText) && beside(draft, index, 1)?.role === 'colon';
}

/** Whether the key is still spelled as in the schema. Only then is it clear which of the two counts. */
function isRepeatableAsNamed(token: Token, index: number, draft: DamageDraft): boolean {
  return token.text === token.path.at(-1) && isRepeatable(token, index, draft);
}

function isOpen(schema: JsonSchema | undefined): boolean {
  return !isRecord(schema) || Object.keys(schema).length === 1;
}

/** Inserts a copy of the member with another value before it. */
function repeatKey(draft: DamageDraft, index: number, rename: (key: string) => string): DamageDraft {
  const key = draft.tokens[index]!;
  const value = valueAt(draft, key.path);
  const earlier = typeof value === 'number' ? String(value + 1) : '"draft"';
  return replace(draft, index, extra(`"${rename(key.text)}": ${earlier}, `), key);
}
