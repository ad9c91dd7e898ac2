// Damage inside one string: quotes, line breaks and escapes that are invalid in JSON. The words of the string stay. If a
// damage needs something that the string does not contain, it is inserted between the words.

import {
  accept,
  escapeText,
  isFreeText,
  isQuoted,
  mapTokens,
  replace,
  textOf,
  type DamageDraft,
  type Token,
} from './draft.ts';
import type { Random } from '../model/random.ts';
import { habit, slip, type DamageDefinition } from './damage-definition.ts';
import { rewrite } from './marks.ts';
import { bare, isNameKey, isStandard } from './quotes.ts';

export const stringKinds = {
  'inner-quotes': quoting((head, word, tail) => `${head} "${word}" ${tail}`),
  'inner-quotes-at-start': quoting((head, word, tail) => `"${head}" ${word} ${tail}`),
  'inner-quotes-at-end': quoting((head, word, tail) => `${head} ${word} "${tail}"`),
  'inner-quotes-before-comma': quoting((head, word, tail) => `${head} "${word}", ${tail}`),
  // After a comma it would look like the next member.
  'inner-quotes-before-colon': quoting((head, word, tail) => `${head.replace(/,$/u, '')} "${word}": ${tail}`),
  'inner-quotes-before-closer': quoting((head, word, tail, random) =>
    random.chance(0.5) ? `${head} ["${word}"] ${tail}` : `${head} {"${word}"} ${tail}`,
  ),
  'inner-quotes-in-list': quoting((head, word, tail) => `${head} "${word}", "other" and "more", ${tail}`),
  'inner-inch-mark': quoting((head, word, tail, random) => `${head} ${random.integer(5, 40)}" ${word} ${tail}`),
  'raw-newline': rawBreak('\n', String.raw`\n`),
  'raw-tab': rawBreak('\t', String.raw`\t`),
  'line-continuation': inserting(() => ({ body: '\\\n', readings: ['', '\n', ' '] })),
  // A person who writes a pattern or a path means the backslash. Lenient JSON parsers drop it. Both are accepted.
  'regex-escape': inserting((random) => backslashes(random.pick(['\\d+', '\\w*', '\\s', '\\.', '\\(x\\)']))),
  'path-escape': inserting(() => backslashes('C:\\Documents\\Work')),
  'escaped-apostrophe': inserting(() => ({ body: "it\\'s", readings: ["it's"] })),
  // These escapes mean a character in other languages. A JSON parser keeps or drops the backslash.
  'hex-escape': inserting(() => foreignEscape('A', 'x41')),
  'brace-escape': inserting(() => foreignEscape('😀', 'u{1F600}')),
  'long-escape': inserting(() => foreignEscape('😀', 'U0001F600')),
  'escaped-underscores': habit((token) =>
    isQuoted(token) && token.text.includes('_')
      ? { ...token, text: token.text.replaceAll('_', String.raw`\_`) }
      : undefined,
  ),
  /** Escapes alone are valid JSON, so the quotes of keys are removed too. */
  'unicode-escapes': {
    phase: 'notation',
    damage: (draft) => {
      const escaped = mapTokens(draft, (token) => (token.quotes[0] === '' ? undefined : asAscii(token)));
      return escaped && mapTokens(escaped, (token) => (isNameKey(token) ? bare(token) : undefined));
    },
  },
  'string-concatenation': slip(
    ({ role, quotes, text }) => role === 'string' && quotes[0].length === 1 && text.includes(' '),
    (draft, index, random) => rewrite(draft, index, concatenated(draft.tokens[index]!, random)),
  ),
  'triple-quotes': slip(
    (token) => token.role === 'string' && isStandard(token) && isTriplable(textOf(token)),
    (draft, index) => {
      const token = draft.tokens[index]!;
      return replace(draft, index, { ...token, quotes: ['"""', '"""'], text: textOf(token) });
    },
  ),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

/** Text to insert into a string, and its accepted readings. */
interface Insertion {
  readonly body: string;
  readonly readings: readonly string[];
}

/** Adds unescaped quotes to one string. */
function quoting(phrase: (head: string, word: string, tail: string, random: Random) => string): DamageDefinition {
  return slip(
    (token, _, draft) => isFreeText(draft, token) && isStandard(token) && quotable(token).length > 0,
    (draft, index, random) => {
      const token = draft.tokens[index]!;
      const words = wordsOf(token);
      const at = random.pick(quotable(token));
      const text = phrase(words.slice(0, at).join(' '), words[at]!, words.slice(at + 1).join(' '), random);
      const body = escapeText(text).replaceAll(String.raw`\"`, '"');
      return accept(rewrite(draft, index, body), token.path, [text]);
    },
  );
}

/** Inserts text between two words of one string. */
function inserting(insert: (random: Random) => Insertion): DamageDefinition {
  return slip(
    (token, _, draft) => isFreeText(draft, token) && isStandard(token) && wordsOf(token).length > 1,
    (draft, index, random) => {
      const token = draft.tokens[index]!;
      const { body, readings } = insert(random);
      const [head = '', ...rest] = wordsOf(token);
      const tail = rest.join(' ');
      const texts = readings.map((reading) => `${head} ${reading} ${tail}`);
      return accept(rewrite(draft, index, `${escapeText(head)} ${body} ${escapeText(tail)}`), token.path, texts);
    },
  );
}

function backslashes(text: string): Insertion {
  return { body: text, readings: [text, text.replaceAll('\\', '')] };
}

function foreignEscape(character: string, name: string): Insertion {
  return { body: `\\${name}`, readings: [character, `\\${name}`, name] };
}

/** Replaces an escaped line break or tab by a raw one. If no string has one, inserts one. */
function rawBreak(raw: string, escape: string): DamageDefinition {
  const unescaping = slip(
    (token) => token.role === 'string' && isStandard(token) && withRaw(token.text, escape, raw) !== token.text,
    (draft, index) => rewrite(draft, index, withRaw(draft.tokens[index]!.text, escape, raw)),
  );
  const breaking = slip(
    (token, _, draft) => isFreeText(draft, token) && isStandard(token) && token.text !== '',
    (draft, index) => insertBreak(draft, index, raw),
  );
  return {
    phase: 'place',
    damage: (draft, random) => unescaping.damage(draft, random) ?? breaking.damage(draft, random),
  };
}

function withRaw(body: string, escape: string, raw: string): string {
  return body.replaceAll(/\\(?:u[\da-f]{4}|.)/giu, (found) => (found === escape ? raw : found));
}

function insertBreak(draft: DamageDraft, index: number, raw: string): DamageDraft {
  const token = draft.tokens[index]!;
  const broken = (text: string): string => (text.includes(' ') ? text.replace(' ', raw) : text + raw);
  return accept(rewrite(draft, index, broken(token.text)), token.path, [broken(textOf(token))]);
}

function asAscii(token: Token): Token | undefined {
  const text = token.text.replaceAll(/[^\p{ASCII}]/gu, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
  return text === token.text ? undefined : { ...token, text };
}

function concatenated({ text, quotes: [opening, closing] }: Token, random: Random): string {
  const at = random.pick([...text.matchAll(/ /gu)].map((found) => found.index));
  const joint = `${closing} +${random.chance(0.5) ? ' ' : '\n    '}${opening}`;
  return text.slice(0, at) + joint + text.slice(at);
}

function isTriplable(text: string): boolean {
  return text.length > 8 && !/\\|"""|^"|"$/u.test(text);
}

/** The indices of inner words without punctuation, which can be quoted. */
function quotable(token: Token): number[] {
  const words = wordsOf(token);
  return [...words.keys()].slice(1, -1).filter((index) => /^[\p{L}\d]+$/u.test(words[index]!));
}

function wordsOf({ text }: Token): string[] {
  return /["\\]/u.test(text) ? [] : text.split(' ').filter((word) => word !== '');
}
