// Damage: other quotes, or no quotes, in the whole text.

import { isQuoted, mapTokens, textOf, type Token } from './draft.ts';
import { habit, type DamageDefinition } from './damage-definition.ts';

type Quotes = Token['quotes'];

export const quoteKinds = {
  'single-quotes': requoted(["'", "'"], (body) => escapeFor(body, "'")),
  'backtick-quotes': requoted(['`', '`'], (body) => escapeFor(body, '`')),
  'smart-quotes': requoted(['“', '”']),
  'single-smart-quotes': requoted(['‘', '’'], (body) => body.replaceAll('’', "'")),
  'low-high-quotes': requoted(['„', '“']),
  'guillemets': requoted(['«', '»']),
  'fullwidth-quotes': requoted(['＂', '＂']),
  'doubled-quotes': habit((token) => (isPlainText(token) ? { ...token, quotes: ['""', '""'] } : undefined)),
  'mixed-quotes': {
    phase: 'notation',
    damage: (draft, random) =>
      mapTokens(draft, (token) => (isStandard(token) && random.chance(0.5) ? asSingle(token) : undefined)),
  },
  'key-single-quotes': habit((token) => (isStandard(token) && token.role === 'key' ? asSingle(token) : undefined)),
  /** `'don't'`: letters on both sides show that the quote is an apostrophe. */
  'single-quotes-with-apostrophes': {
    phase: 'notation',
    damage: (draft) => {
      const hasApostrophe = draft.tokens.some((token) => isQuoted(token) && /\p{L}'\p{L}/u.test(token.text));
      if (!hasApostrophe) return undefined;
      return mapTokens(draft, (token) => (isQuoted(token) && isStandard(token) ? asCareless(token) : undefined));
    },
  },
  'python-string-prefix': requoted(["u'", "'"], (body) => escapeFor(body, "'")),
  'emphasised-keys': habit((token) =>
    isStandard(token) && token.role === 'key' ? { ...token, quotes: ['**"', '"**'] } : undefined,
  ),
  'unquoted-keys': habit((token) => (isNameKey(token) ? bare(token) : undefined)),
  'unquoted-words': habit((token) => (isWord(token) ? bare(token) : undefined)),
  'unquoted-keys-and-words': habit((token) => (isNameKey(token) || isWord(token) ? bare(token) : undefined)),
  'unquoted-phrases': habit((token) => (isWord(token) || isPhrase(token) ? bare(token) : undefined)),
  /** Only the property names of the schema show where the text ends. */
  'unquoted-phrases-with-commas': {
    ...habit((token) => (isSentence(token) ? bare(token) : undefined)),
    needsSchema: true,
  },
  'unquoted-dates': unquoted(/^\d{4}-\d\d-\d\d$/u),
  'unquoted-urls': unquoted(/^https?:\/\/[\w./-]+$/u),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

/** Whether the token still has plain double quotes. */
export function isStandard({ quotes: [opening, closing] }: Token): boolean {
  return opening === '"' && closing === '"';
}

/** Whether the token is a key that could be an identifier. */
export function isNameKey(token: Token): boolean {
  return token.role === 'key' && token.quotes[0] !== '' && /^[A-Za-z_$][\w$]*$/u.test(token.text);
}

export function bare(token: Token): Token {
  return { ...token, quotes: ['', ''] };
}

/** Converts text escaped for double quotes to text escaped for another quote. */
export function escapeFor(body: string, quote: string): string {
  return body.replaceAll(/\\(.)|['`]/gsu, (found, escaped: string | undefined) => {
    if (escaped === '"') return '"';
    return found === quote ? `\\${quote}` : found;
  });
}

/** Words that a parser could read as a literal. */
export function isReservedWord(text: string): boolean {
  return /^(?:true|false|null|none|nil|nan|undefined|infinity|yes|no|on|off|n\/?a)$/iu.test(text);
}

function requoted(quotes: Quotes, change: (body: string) => string = (body) => body): DamageDefinition {
  return habit((token) =>
    isQuoted(token) && isStandard(token) ? { ...token, quotes, text: change(token.text) } : undefined,
  );
}

function unquoted(pattern: RegExp): DamageDefinition {
  return habit((token) => (isStandardString(token) && pattern.test(token.text) ? bare(token) : undefined));
}

function asSingle(token: Token): Token {
  return { ...token, quotes: ["'", "'"], text: escapeFor(token.text, "'") };
}

function asCareless(token: Token): Token {
  const { text, ...rest } = asSingle(token);
  return { ...rest, text: text.replaceAll(/(?<=\p{L})\\'(?=\p{L})/gu, "'") };
}

function isPlainText(token: Token): boolean {
  return isQuoted(token) && isStandard(token) && token.text !== '' && !/["\\]/u.test(token.text);
}

function isStandardString(token: Token): boolean {
  return token.role === 'string' && isStandard(token);
}

function isWord(token: Token): boolean {
  return isStandardString(token) && /^\p{L}[\p{L}\d_-]*$/u.test(token.text) && !isReservedWord(textOf(token));
}

/** Several words without punctuation that could end them. */
function isPhrase(token: Token): boolean {
  const [first = ''] = token.text.split(' ');
  const pattern = /^\p{L}[\p{L}\d_-]*(?: [\p{L}\d_-]+)+[.!?]?$/u;
  return isStandardString(token) && pattern.test(token.text) && !isReservedWord(first);
}

/** Words with commas, as the value of a key. */
function isSentence(token: Token): boolean {
  const pattern = /^\p{L}[\p{L}\d_-]*(?:,? [\p{L}\d_-]+)*, [\p{L}\d_-]+(?:,? [\p{L}\d_-]+)*[.!?]?$/u;
  return isStandardString(token) && typeof token.path.at(-1) === 'string' && pattern.test(token.text);
}
