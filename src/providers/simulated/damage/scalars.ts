// Words and numbers as other languages write them.

import { absent } from './accepted.ts';
import { accept, isQuoted, mapTokens, places, replace, schemaAt, textOf, type Draft, type Token } from './draft.ts';
import type { Kind } from './kind.ts';
import { escapeFor, isStandard } from './quotes.ts';

type Words = Readonly<Record<string, string>>;

const pythonWords: Words = { true: 'True', false: 'False', null: 'None' };

export const scalarKinds = {
  'python-literals': { phase: 'notation', damage: (draft) => respell(draft, pythonWords) },
  'uppercase-literals': {
    phase: 'notation',
    damage: (draft) => respell(draft, { true: 'TRUE', false: 'FALSE', null: 'NULL' }),
  },
  'nil-for-null': { phase: 'notation', damage: (draft) => respell(draft, { null: 'nil' }) },
  /** What `repr` prints: the quotes depend on what the string holds. */
  'python-repr': {
    phase: 'notation',
    damage: (draft) => {
      const requoted = mapTokens(draft, (token) => (isQuoted(token) && isStandard(token) ? represent(token) : undefined));
      const source = requoted ?? draft;
      return respell(source, pythonWords) ?? requoted;
    },
  },
  'undefined-for-null': { phase: 'place', damage: (draft, random) => undefinedForNull(draft, random.next()) },
  'not-a-number-for-null': {
    phase: 'place',
    damage: (draft, random) => {
      const found = places(draft, (token) => isBareNull(token) && isNumeric(draft, token));
      if (found.length === 0) return undefined;
      const index = random.pick(found);
      return replace(draft, index, { ...draft.tokens[index]!, text: random.pick(['NaN', 'Infinity', '-Infinity']) });
    },
  },
  'plus-sign': number((text) => /^\d/u.test(text), (text) => `+${text}`),
  'leading-zeros': number((text) => /^[1-9]\d*$/u.test(text), (text) => `00${text}`),
  'trailing-dot': number((text) => /^-?\d+$/u.test(text), (text) => `${text}.`),
  'leading-dot': number((text) => /^-?0\.\d/u.test(text), (text) => text.replace('0.', '.')),
  'digit-underscores': number((text) => /^[1-9]\d{3,}$/u.test(text), (text) => group(text, '_')),
  'hexadecimal-number': number((text) => /^[1-9]\d*$/u.test(text), (text) => `0x${Number(text).toString(16).toUpperCase()}`),
  'bigint-suffix': number((text) => /^\d+$/u.test(text), (text) => `${text}n`),
} as const satisfies Readonly<Record<string, Kind>>;

export function group(digits: string, separator: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3})+(?!\d))/gu, separator);
}

export function isBareNumber({ role, quotes }: Token): boolean {
  return role === 'number' && quotes[0] === '';
}

function isBareNull({ role, text, quotes }: Token): boolean {
  return role === 'literal' && text === 'null' && quotes[0] === '';
}

function respell(draft: Draft, words: Words): Draft | undefined {
  return mapTokens(draft, (token) => {
    const word = token.role === 'literal' ? words[token.text] : undefined;
    return word === undefined ? undefined : { ...token, text: word };
  });
}

function represent(token: Token): Token {
  const text = textOf(token);
  if (text.includes("'") && !text.includes('"')) return token;
  return { ...token, quotes: ["'", "'"], text: escapeFor(token.text, "'") };
}

/** JavaScript writes a missing member as undefined: null and absent are both what it means. */
function undefinedForNull(draft: Draft, chance: number): Draft | undefined {
  const found = places(draft, (token) => isBareNull(token) && typeof token.path.at(-1) === 'string');
  if (found.length === 0) return undefined;
  const index = found[Math.floor(chance * found.length)]!;
  const token = draft.tokens[index]!;
  return accept(replace(draft, index, { ...token, text: 'undefined' }), token.path, [null, absent]);
}

function isNumeric(draft: Draft, { path }: Token): boolean {
  const schema = schemaAt(draft, path);
  if (draft.schema === undefined) return true;
  const types = schema?.['type'];
  return Array.isArray(types) && types.some((type) => type === 'number' || type === 'integer');
}

function number(accepts: (text: string) => boolean, change: (text: string) => string): Kind {
  return {
    phase: 'place',
    damage: (draft, random) => {
      const found = places(draft, (token) => isBareNumber(token) && accepts(token.text));
      if (found.length === 0) return undefined;
      const index = random.pick(found);
      const token = draft.tokens[index]!;
      return replace(draft, index, { ...token, text: change(token.text) });
    },
  };
}
