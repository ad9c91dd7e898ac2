// Ways in which a whole text may be escaped once more than it should be: by backslashes, or as HTML. Pure.

import type { LookaheadVerdict } from './cursor.ts';

export interface Decoding {
  /** How much of the end of a text is half an escape, whose rest may follow. */
  readonly halfLength: (text: string) => number;
  readonly decode: (text: string) => string;
}

/** `{\"a\": 1}`. */
export const backslashes: Decoding = {
  halfLength: (text) => (/(?:^|[^\\])(?:\\\\)*\\$/.test(text) ? 1 : 0),
  decode: (text) => text.split('\\\\').map(decodeSingle).join('\\'),
};

/** A call for each escape, or a string for each, would leave the collector more work than all the reading. */
function decodeSingle(text: string): string {
  return text
    .replaceAll(/\\(["'/])/g, '$1')
    .replaceAll('\\n', '\n')
    .replaceAll('\\r', '\r')
    .replaceAll('\\t', '\t');
}

const quotes = ['&quot;', '&#34;', '&#39;', '&apos;', '&#x22;', '&#x27;'];

/** `{&quot;a&quot;: 1}`. */
export const html: Decoding = {
  halfLength: (text) => /&[#\w]{0,4}$/.exec(text.slice(-5))?.[0].length ?? 0,
  // The ampersand last: what it leaves behind was not an entity.
  decode: (text) =>
    text
      .replaceAll(/&(?:quot|#34|#x22);/gi, '"')
      .replaceAll(/&(?:apos|#39|#x27);/gi, "'")
      .replaceAll(/&lt;/gi, '<')
      .replaceAll(/&gt;/gi, '>')
      .replaceAll(/&amp;/gi, '&'),
};

/** Whether a quote written as HTML stands at a place of the text. */
export function isQuoteEntity(text: string, at: number, ended: boolean): LookaheadVerdict {
  const found = text.slice(at, at + 6).toLowerCase();
  if (quotes.some((quote) => found.startsWith(quote))) return 'yes';
  return !ended && at + 6 > text.length && quotes.some((quote) => quote.startsWith(found)) ? 'more' : 'no';
}
