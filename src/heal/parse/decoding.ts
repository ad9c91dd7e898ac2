// Decodes texts that are escaped one time too many, by backslashes or as HTML.

import type { LookaheadVerdict } from './lookahead.ts';

export interface Decoding {
  /** Length of an incomplete escape at the end of a text. */
  readonly halfLength: (text: string) => number;
  readonly decode: (text: string) => string;
}

/** Example: `{\"a\": 1}`. */
export const backslashes: Decoding = {
  halfLength: (text) => (/(?:^|[^\\])(?:\\\\)*\\$/.test(text) ? 1 : 0),
  decode: (text) => text.split('\\\\').map(decodeSingle).join('\\'),
};

/** Replaces one kind of escape at a time. A callback or a string per escape would be much slower. */
function decodeSingle(text: string): string {
  return text
    .replaceAll(/\\(["'/])/g, '$1')
    .replaceAll('\\n', '\n')
    .replaceAll('\\r', '\r')
    .replaceAll('\\t', '\t');
}

const quotes = ['&quot;', '&#34;', '&#39;', '&apos;', '&#x22;', '&#x27;'];

/** Example: `{&quot;a&quot;: 1}`. */
export const html: Decoding = {
  halfLength: (text) => /&[#\w]{0,4}$/.exec(text.slice(-5))?.[0].length ?? 0,
  // The ampersand comes last, so that its result is not decoded again.
  decode: (text) =>
    text
      .replaceAll(/&(?:quot|#34|#x22);/gi, '"')
      .replaceAll(/&(?:apos|#39|#x27);/gi, "'")
      .replaceAll(/&lt;/gi, '<')
      .replaceAll(/&gt;/gi, '>')
      .replaceAll(/&amp;/gi, '&'),
};

/** Whether an HTML-escaped quote is at this offset. */
export function isQuoteEntity(text: string, at: number, ended: boolean): LookaheadVerdict {
  const found = text.slice(at, at + 6).toLowerCase();
  if (quotes.some((quote) => found.startsWith(quote))) return 'yes';
  return !ended && at + 6 > text.length && quotes.some((quote) => quote.startsWith(found)) ? 'more' : 'no';
}
