// Ways in which a whole text may be escaped once more than it should be: by backslashes, or as HTML. Pure.

import type { Answer } from './cursor.ts';

export interface Decoding {
  /** How much of the end of a text is half an escape, whose rest may follow. */
  readonly halfLength: (text: string) => number;
  readonly decode: (text: string) => string;
}

const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** `{\"a\": 1}`. */
export const backslashes: Decoding = {
  halfLength: (text) => (/(?:^|[^\\])(?:\\\\)*\\$/.test(text) ? 1 : 0),
  decode: (text) => text.replaceAll(/\\(["'\\/nrt])/g, (_all, escaped: string) => letters[escaped] ?? escaped),
};

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
  '#34': '"',
  '#39': "'",
  '#x22': '"',
  '#x27': "'",
};
const quotes = ['&quot;', '&#34;', '&#39;', '&apos;', '&#x22;', '&#x27;'];

/** `{&quot;a&quot;: 1}`. */
export const html: Decoding = {
  halfLength: (text) => /&[#\w]{0,4}$/.exec(text.slice(-5))?.[0].length ?? 0,
  decode: (text) => text.replaceAll(/&(#?\w{2,4});/g, (all, name: string) => entities[name.toLowerCase()] ?? all),
};

/** Whether a quote written as HTML stands at a place of the text. */
export function isQuoteEntity(text: string, at: number, ended: boolean): Answer {
  const found = text.slice(at, at + 6).toLowerCase();
  if (quotes.some((quote) => found.startsWith(quote))) return 'yes';
  return !ended && at + 6 > text.length && quotes.some((quote) => quote.startsWith(found)) ? 'more' : 'no';
}
