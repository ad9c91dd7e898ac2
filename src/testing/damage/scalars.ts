// Damage: literals and numbers as other languages write them.

import type { JsonValue } from '../../core/json.ts';
import { absent } from './accepted-values.ts';
import { accept, isQuoted, mapTokens, schemaAt, textOf, type DamageDraft, type Token } from './draft.ts';
import { habit, slip, type DamageDefinition } from './damage-definition.ts';
import { rewrite } from './marks.ts';
import { escapeFor, isStandard } from './quotes.ts';

type Words = Readonly<Record<string, string>>;

const pythonWords: Words = { true: 'True', false: 'False', null: 'None' };

export const scalarKinds = {
  'python-literals': habit((token) => respell(token, pythonWords)),
  'uppercase-literals': habit((token) => respell(token, { true: 'TRUE', false: 'FALSE', null: 'NULL' })),
  'nil-for-null': habit((token) => respell(token, { null: 'nil' })),
  'python-repr': {
    phase: 'notation',
    damage: (draft) => mapTokens(draft, (token) => represent(token) ?? respell(token, pythonWords)),
  },
  // In JavaScript, a missing member is undefined, so null and absent are both accepted.
  'undefined-for-null': slip(
    (token) => isBareNull(token) && typeof token.path.at(-1) === 'string',
    (draft, index) => accept(rewrite(draft, index, 'undefined'), draft.tokens[index]!.path, [null, absent]),
  ),
  'not-a-number-for-null': slip(
    (token, _, draft) => isBareNull(token) && isNumeric(draft, token),
    (draft, index, random) => rewrite(draft, index, random.pick(['NaN', 'Infinity', '-Infinity'])),
  ),
  'plus-sign': oneNumber(/^\d/u, (text) => `+${text}`),
  // Digits that begin with zeros are often a code, so text is accepted too.
  'leading-zeros': oneNumber(
    /^[1-9]\d*$/u,
    (text) => `00${text}`,
    (text) => [Number(text), `00${text}`],
  ),
  'trailing-dot': oneNumber(/^-?\d+$/u, (text) => `${text}.`),
  'leading-dot': oneNumber(/^-?0\.\d/u, (text) => text.replace('0.', '.')),
  'digit-underscores': oneNumber(/^[1-9]\d{3,}$/u, (text) => group(text, '_')),
  'hexadecimal-number': oneNumber(/^[1-9]\d*$/u, (text) => `0x${Number(text).toString(16).toUpperCase()}`),
  'bigint-suffix': oneNumber(/^\d+$/u, (text) => `${text}n`),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

export function group(digits: string, separator: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3})+(?!\d))/gu, separator);
}

export function isBareNumber({ role, quotes }: Token): boolean {
  return role === 'number' && quotes[0] === '';
}

function isBareNull({ role, text, quotes }: Token): boolean {
  return role === 'literal' && text === 'null' && quotes[0] === '';
}

function respell(token: Token, words: Words): Token | undefined {
  const word = token.role === 'literal' ? words[token.text] : undefined;
  return word === undefined ? undefined : { ...token, text: word };
}

/** As Python's `repr` prints it: a string with single quotes and no double quotes keeps its double quotes. */
function represent(token: Token): Token | undefined {
  if (!isQuoted(token) || !isStandard(token)) return undefined;
  const text = textOf(token);
  if (text.includes("'") && !text.includes('"')) return undefined;
  return { ...token, quotes: ["'", "'"], text: escapeFor(token.text, "'") };
}

function isNumeric(draft: DamageDraft, { path }: Token): boolean {
  if (draft.schema === undefined) return true;
  const types = schemaAt(draft, path)?.['type'];
  return Array.isArray(types) && types.some((type) => type === 'number' || type === 'integer');
}

function oneNumber(
  pattern: RegExp,
  change: (text: string) => string,
  readings?: (text: string) => readonly JsonValue[],
): DamageDefinition {
  return slip(
    (token) => isBareNumber(token) && pattern.test(token.text),
    (draft, index) => {
      const { text, path } = draft.tokens[index]!;
      const changed = rewrite(draft, index, change(text));
      return readings === undefined ? changed : accept(changed, path, readings(text));
    },
  );
}
