// Slips inside one string: quotes, line breaks and escapes that JSON wants written otherwise.
// Words of the string stay; where a damage needs something that is not there, it is put between them.

import type { JsonValue } from '../../../core/json.ts';
import {
  accept,
  beside,
  escapeText,
  isFreeText,
  isQuoted,
  mapTokens,
  places,
  replace,
  textOf,
  type Draft,
  type Token,
} from './draft.ts';
import type { Kind } from './kind.ts';
import type { Random } from '../random.ts';
import { isStandard } from './quotes.ts';

export const stringKinds = {
  'inner-quotes': quoting((head, word, tail) => `${head} "${word}" ${tail}`),
  'inner-quotes-at-start': quoting((head, word, tail) => `"${head}" ${word} ${tail}`),
  'inner-quotes-at-end': quoting((head, word, tail) => `${head} ${word} "${tail}"`),
  'inner-quotes-before-comma': quoting((head, word, tail) => `${head} "${word}", ${tail}`),
  'inner-quotes-before-colon': quoting((head, word, tail) => `${head} "${word}": ${tail}`),
  'inner-quotes-before-closer': quoting((head, word, tail, random) =>
    random.chance(0.5) ? `${head} ["${word}"] ${tail}` : `${head} {"${word}"} ${tail}`,
  ),
  'inner-quotes-in-list': quoting((head, word, tail) => `${head} "${word}", "other" and "more", ${tail}`),
  'inner-inch-mark': quoting((head, word, tail, random) => `${head} ${random.integer(5, 40)}" ${word} ${tail}`),
  'raw-newline': rawBreak('\n', '\\n'),
  'raw-tab': rawBreak('\t', '\\t'),
  'line-continuation': inserting(() => ({ body: '\\\n', readings: ['', '\n', ' '] })),
  // A person sees a pattern or a path and means the backslash; a lenient reader of JSON drops it. Both are common.
  'regex-escape': inserting((random) => invalid(random.pick(['\\d+', '\\w*', '\\s', '\\.', '\\(x\\)']))),
  'path-escape': inserting(() => invalid('C:\\Documents\\Work')),
  'escaped-apostrophe': inserting(() => ({ body: "it\\'s", readings: ["it's"] })),
  'hex-escape': inserting(() => ({ body: '\\x41', readings: ['A', '\\x41', 'x41'] })),
  'brace-escape': inserting(() => ({ body: '\\u{1F600}', readings: ['😀', '\\u{1F600}', 'u{1F600}'] })),
  'long-escape': inserting(() => ({ body: '\\U0001F600', readings: ['😀', '\\U0001F600', 'U0001F600'] })),
  'escaped-underscores': {
    phase: 'notation',
    damage: (draft) =>
      mapTokens(draft, (token) =>
        isQuoted(token) && token.text.includes('_')
          ? { ...token, text: token.text.replaceAll('_', String.raw`\_`) }
          : undefined,
      ),
  },
  /** Escapes alone are JSON, so the keys lose their quotes too. */
  'unicode-escapes': {
    phase: 'notation',
    damage: (draft) => {
      const escaped = mapTokens(draft, (token) => (isQuoted(token) && hasUnicode(token.text) ? asAscii(token) : undefined));
      return escaped && mapTokens(escaped, (token) => (isName(token) ? { ...token, quotes: ['', ''] } : undefined));
    },
  },
  'string-concatenation': slip((draft, random) => {
    const found = places(draft, (token) => token.role === 'string' && hasPlainSpace(token));
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    return replace(draft, index, ...concatenated(draft.tokens[index]!, random));
  }),
  'triple-quotes': slip((draft, random) => {
    const found = places(draft, (token) => token.role === 'string' && isStandard(token) && isTriplable(textOf(token)));
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    const token = draft.tokens[index]!;
    return replace(draft, index, { ...token, quotes: ['"""', '"""'], text: textOf(token) });
  }),
  'missing-opening-quote': slip((draft, random) =>
    requoteOne(draft, random, (token, index) => isOpenable(draft, token, index), (token) => ['', token.quotes[1]]),
  ),
  'missing-closing-quote': slip((draft, random) =>
    requoteOne(draft, random, (token, index) => isClosable(draft, token, index), (token) => [token.quotes[0], '']),
  ),
  'missing-opening-quote-of-key': slip((draft, random) =>
    requoteOne(draft, random, isPlainKey, (token) => ['', token.quotes[1]]),
  ),
  'missing-closing-quote-of-key': slip((draft, random) =>
    requoteOne(draft, random, isPlainKey, (token) => [token.quotes[0], '']),
  ),
  'wrong-closing-quote': slip((draft, random) =>
    requoteOne(draft, random, isWordsBetweenQuotes, (_, next) => ['"', next.pick(["'", '”', '`'])]),
  ),
  'wrong-opening-quote': slip((draft, random) =>
    requoteOne(draft, random, isWordsBetweenQuotes, (_, next) => [next.pick(["'", '“', '`']), '"']),
  ),
  'doubled-quotes-of-value': slip((draft, random) =>
    requoteOne(draft, random, isWordsBetweenQuotes, () => ['""', '""']),
  ),
  'escaped-quotes-of-value': slip((draft, random) =>
    requoteOne(draft, random, isWordsBetweenQuotes, () => [String.raw`\"`, String.raw`\"`]),
  ),
} as const satisfies Readonly<Record<string, Kind>>;

function slip(damage: Kind['damage']): Kind {
  return { phase: 'place', damage };
}

/** One string gets quotes among its words, unescaped. */
function quoting(phrase: (head: string, word: string, tail: string, random: Random) => string): Kind {
  return slip((draft, random) => {
    const found = places(draft, (token) => isFreeText(draft, token) && isStandard(token) && wordsOf(token).length > 2);
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    const token = draft.tokens[index]!;
    const words = wordsOf(token);
    const at = random.integer(1, words.length - 2);
    const text = phrase(words.slice(0, at).join(' '), words[at]!, words.slice(at + 1).join(' '), random);
    const body = escapeText(text).replaceAll(String.raw`\"`, '"');
    return accept(replace(draft, index, { ...token, text: body }), token.path, [text]);
  });
}

/** Something is put between two words of one string: how it is written, and what it may be read as. */
function inserting(insert: (random: Random) => { readonly body: string; readonly readings: readonly string[] }): Kind {
  return slip((draft, random) => {
    const found = places(draft, (token) => isFreeText(draft, token) && isStandard(token) && wordsOf(token).length > 1);
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    const token = draft.tokens[index]!;
    const { body, readings } = insert(random);
    const [head = '', ...rest] = wordsOf(token);
    const tail = rest.join(' ');
    const written = { ...token, text: `${escapeText(head)} ${body} ${escapeText(tail)}` };
    return accept(replace(draft, index, written), token.path, readings.map((reading) => `${head} ${reading} ${tail}`));
  });
}

function invalid(text: string): { body: string; readings: string[] } {
  return { body: text, readings: [text, text.replaceAll('\\', '')] };
}

/** Escaped breaks become real ones; where there is none, one string gets one. */
function rawBreak(raw: string, escape: string): Kind {
  return slip((draft, random) => {
    const escaped = places(draft, (token) => token.role === 'string' && isStandard(token) && hasEscape(token, escape));
    if (escaped.length > 0) {
      const index = random.pick(escaped);
      const token = draft.tokens[index]!;
      return replace(draft, index, { ...token, text: withRaw(token.text, escape, raw) });
    }
    const spaced = places(draft, (token) => isFreeText(draft, token) && isStandard(token) && token.text !== '');
    return spaced.length === 0 ? undefined : insertBreak(draft, random.pick(spaced), raw);
  });
}

function insertBreak(draft: Draft, index: number, raw: string): Draft {
  const token = draft.tokens[index]!;
  const text = textOf(token);
  const broken = text.includes(' ') ? text.replace(' ', raw) : text + raw;
  const body = token.text.includes(' ') ? token.text.replace(' ', raw) : token.text + raw;
  return accept(replace(draft, index, { ...token, text: body }), token.path, [broken as JsonValue]);
}

function hasEscape({ text }: Token, escape: string): boolean {
  return withRaw(text, escape, '') !== text;
}

function withRaw(body: string, escape: string, raw: string): string {
  return body.replaceAll(/\\(?:u[\da-f]{4}|.)/giu, (found) => (found === escape ? raw : found));
}

function hasUnicode(body: string): boolean {
  return /[^\p{ASCII}]/u.test(body);
}

function asAscii(token: Token): Token {
  const text = token.text.replaceAll(/[^\p{ASCII}]/gu, (found) =>
    [...Array(found.length).keys()].map((unit) => unicodeEscape(found.charCodeAt(unit))).join(''),
  );
  return { ...token, text };
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

function concatenated(token: Token, random: Random): Token[] {
  const at = random.pick([...token.text.matchAll(/ /gu)].map((found) => found.index));
  const [opening, closing] = token.quotes;
  const joint = `${closing} +${random.chance(0.5) ? ' ' : '\n    '}${opening}`;
  return [{ ...token, text: token.text.slice(0, at) + joint + token.text.slice(at) }];
}

function requoteOne(
  draft: Draft,
  random: Random,
  accepts: (token: Token, index: number) => boolean,
  quotes: (token: Token, random: Random) => Token['quotes'],
): Draft | undefined {
  const found = places(draft, accepts);
  if (found.length === 0) return undefined;
  const index = random.pick(found);
  const token = draft.tokens[index]!;
  return replace(draft, index, { ...token, quotes: quotes(token, random) });
}

/** Words without any mark: whatever happens to the quotes, it is clear what they were around. */
function isWords({ text }: Token): boolean {
  return /^\p{L}[\p{L}\d_-]*(?: [\p{L}\d_-]+)*[.!?]?$/u.test(text);
}

function isWordsBetweenQuotes(token: Token): boolean {
  return token.role === 'string' && isStandard(token) && isWords(token);
}

function isPlainKey(token: Token): boolean {
  return token.role === 'key' && hasSingleMarks(token) && /^[A-Za-z_]\w*$/u.test(token.text);
}

/** Commas are clear where the next thing is a key, not where it is another item. */
function isWordsWithCommas(draft: Draft, token: Token, index: number): boolean {
  if (isWords(token)) return true;
  const isMember = typeof token.path.at(-1) === 'string';
  return isMember && isFollowedByKey(draft, index) && /^\p{L}[\p{L}\d_-]*(?:,? [\p{L}\d_-]+)+[.!?]?$/u.test(token.text);
}

function isOpenable(draft: Draft, token: Token, index: number): boolean {
  return token.role === 'string' && hasSingleMarks(token) && isWordsWithCommas(draft, token, index);
}

/** The next key or item must begin with a quote or a bracket, else nothing shows where the text was to end. */
function isClosable(draft: Draft, token: Token, index: number): boolean {
  if (!isOpenable(draft, token, index)) return false;
  const mark = beside(draft, index, 1);
  if (mark?.role !== 'comma') return mark?.role === 'close';
  const next = beside(draft, draft.tokens.indexOf(mark), 1);
  return next?.role === 'open' || next?.quotes[0].length === 1;
}

function isFollowedByKey(draft: Draft, index: number): boolean {
  const mark = beside(draft, index, 1);
  return mark?.role === 'comma' && beside(draft, draft.tokens.indexOf(mark), 1)?.role === 'key';
}

function hasSingleMarks({ quotes: [opening, closing] }: Token): boolean {
  return opening.length === 1 && closing.length === 1;
}

function isName(token: Token): boolean {
  return token.role === 'key' && isStandard(token) && /^[A-Za-z_$][\w$]*$/u.test(token.text);
}

function isTriplable(text: string): boolean {
  return text.length > 8 && !/["\\\u0000-\u0008]/u.test(text.at(-1)!) && !/\\|"""/u.test(text) && !text.startsWith('"');
}

function hasPlainSpace({ text, quotes }: Token): boolean {
  return quotes[0].length === 1 && text.includes(' ');
}

function wordsOf(token: Token): string[] {
  if (!/^[^"\\]+$/u.test(token.text)) return [];
  return token.text.split(' ').filter((word) => word !== '');
}
