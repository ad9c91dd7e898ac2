// Quotes of another kind, and no quotes at all: habits of notation, so they reach the whole text.

import { isQuoted, mapTokens, textOf, type Draft, type Token } from './draft.ts';
import type { Kind } from './kind.ts';

type Quotes = Token['quotes'];

export const quoteKinds = {
  'single-quotes': notation((draft) => requote(draft, ["'", "'"], (body) => escapeFor(body, "'"))),
  'backtick-quotes': notation((draft) => requote(draft, ['`', '`'], (body) => escapeFor(body, '`'))),
  'smart-quotes': notation((draft) => requote(draft, ['“', '”'])),
  'single-smart-quotes': notation((draft) => requote(draft, ['‘', '’'], (body) => body.replaceAll('’', "'"))),
  'low-high-quotes': notation((draft) => requote(draft, ['„', '“'])),
  'guillemets': notation((draft) => requote(draft, ['«', '»'])),
  'fullwidth-quotes': notation((draft) => requote(draft, ['＂', '＂'])),
  'doubled-quotes': notation((draft) => requoteIf(draft, ['""', '""'], isPlainText)),
  'mixed-quotes': notation((draft, random) =>
    mapTokens(draft, (token) => (isStandard(token) && random.chance(0.5) ? asSingle(token) : undefined)),
  ),
  'key-single-quotes': notation((draft) =>
    mapTokens(draft, (token) => (isStandard(token) && token.role === 'key' ? asSingle(token) : undefined)),
  ),
  /** `'don't'`: letters on both sides say that the quote closes nothing. */
  'single-quotes-with-apostrophes': notation((draft) => {
    if (!draft.tokens.some((token) => isQuoted(token) && hasApostrophe(token.text))) return undefined;
    return requote(draft, ["'", "'"], (body) =>
      escapeFor(body, "'").replaceAll(/(?<=\p{L})\\'(?=\p{L})/gu, "'"),
    );
  }),
  'python-string-prefix': notation((draft) => requote(draft, ["u'", "'"], (body) => escapeFor(body, "'"))),
  'emphasised-keys': notation((draft) =>
    mapTokens(draft, (token) =>
      isStandard(token) && token.role === 'key' ? { ...token, quotes: ['**"', '"**'] } : undefined,
    ),
  ),
  'unquoted-keys': notation((draft) => mapTokens(draft, (token) => (isNameKey(token) ? bare(token) : undefined))),
  'unquoted-words': notation((draft) => mapTokens(draft, (token) => (isWord(token) ? bare(token) : undefined))),
  'unquoted-phrases': notation((draft) =>
    mapTokens(draft, (token) => (isWord(token) || isPhrase(token) ? bare(token) : undefined)),
  ),
  'unquoted-keys-and-words': notation((draft) => {
    const withKeys = mapTokens(draft, (token) => (isNameKey(token) ? bare(token) : undefined));
    return withKeys && mapTokens(withKeys, (token) => (isWord(token) ? bare(token) : undefined));
  }),
  'unquoted-dates': notation((draft) =>
    mapTokens(draft, (token) =>
      isStandard(token) && token.role === 'string' && /^\d{4}-\d\d-\d\d$/u.test(token.text) ? bare(token) : undefined,
    ),
  ),
  'unquoted-urls': notation((draft) =>
    mapTokens(draft, (token) =>
      isStandard(token) && token.role === 'string' && /^https?:\/\/[\w./-]+$/u.test(token.text)
        ? bare(token)
        : undefined,
    ),
  ),
} as const satisfies Readonly<Record<string, Kind>>;

/** Still between plain double quotes. */
export function isStandard({ quotes: [opening, closing] }: Token): boolean {
  return opening === '"' && closing === '"';
}

export function bare(token: Token): Token {
  return { ...token, quotes: ['', ''] };
}

/** A body written for double quotes, written for another quote instead. */
export function escapeFor(body: string, quote: string): string {
  return body.replaceAll(/\\(.)|['`]/gsu, (found, escaped: string | undefined) => {
    if (escaped === '"') return '"';
    return found === quote ? `\\${quote}` : found;
  });
}

/** Words that a reader would take for something else than text. */
export function isReservedWord(text: string): boolean {
  return /^(?:true|false|null|none|nil|nan|undefined|infinity|yes|no|on|off|n\/?a)$/iu.test(text);
}

function notation(damage: Kind['damage']): Kind {
  return { phase: 'notation', damage };
}

function requote(draft: Draft, quotes: Quotes, change: (body: string) => string = (body) => body): Draft | undefined {
  return mapTokens(draft, (token) =>
    isQuoted(token) && isStandard(token) ? { ...token, quotes, text: change(token.text) } : undefined,
  );
}

function requoteIf(draft: Draft, quotes: Quotes, accepts: (token: Token) => boolean): Draft | undefined {
  return mapTokens(draft, (token) =>
    isQuoted(token) && isStandard(token) && accepts(token) ? { ...token, quotes } : undefined,
  );
}

function asSingle(token: Token): Token {
  return { ...token, quotes: ["'", "'"], text: escapeFor(token.text, "'") };
}

function isPlainText({ text }: Token): boolean {
  return text !== '' && !/["\\]/u.test(text);
}

function hasApostrophe(body: string): boolean {
  return /\p{L}'\p{L}/u.test(body);
}

function isNameKey(token: Token): boolean {
  return token.role === 'key' && token.quotes[0] !== '' && /^[A-Za-z_$][\w$]*$/u.test(token.text);
}

function isWord(token: Token): boolean {
  if (token.role !== 'string' || !isStandard(token)) return false;
  return /^\p{L}[\p{L}\d_-]*$/u.test(token.text) && !isReservedWord(textOf(token));
}

/** Several words without a mark that could end them. */
export function isPhrase(token: Token): boolean {
  if (token.role !== 'string' || !isStandard(token)) return false;
  const [first = ''] = token.text.split(' ');
  return /^\p{L}[\p{L}\d_-]*(?: [\p{L}\d_-]+)+[.!?]?$/u.test(token.text) && !isReservedWord(first);
}
