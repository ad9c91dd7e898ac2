// Recognises text at the end of a string that may not be part of it: brackets, a wrong quote, the beginning of what
// follows the string.

import { isClosing, isSpace } from './character.ts';
import { lookbehindLength } from './cursor.ts';

/** What may turn out to follow the string: a quote, brackets, a comma, the next unquoted key. */
const unsettled = /["'`´’”»]?[\s}\]]*(?:[,;]\s*(?:(?:[{[]\s*)*|[\w$]+\s*:?\s*))?$/;

/** A quote of the wrong kind in place of the closing quote. */
export const wrongQuote = /["'`´’”»]$/;

/** Length of the end of a text that may turn out to follow the string. */
export function unsettledLength(text: string): number {
  return unsettled.exec(text)?.[0].length ?? 0;
}

/** Where the white space, closing brackets and fences at the end of a text begin. */
export function closingStart(text: string): number {
  let start = text.length;
  for (;;) {
    const last = text.charCodeAt(start - 1);
    if (isClosing(last) || isSpace(last)) start--;
    else if (start >= 3 && text.startsWith('```', start - 3)) start -= 3;
    else return start;
  }
}

/** The closing brackets at the end of a text that opens fewer than it closes. */
export function strayBrackets(text: string): string {
  const tail = /[\s}\]]*$/.exec(text.slice(-lookbehindLength))?.[0] ?? '';
  if (!/[}\]]/.test(tail)) return '';
  const head = text.slice(0, text.length - tail.length);
  const opened = (head.match(/[{[]/g)?.length ?? 0) - (head.match(/[}\]]/g)?.length ?? 0);
  return opened > 0 ? '' : tail;
}
