// What stands at the end of a string's text and may be none of it: brackets, a quote of the wrong kind, the beginning of
// what comes behind the string. Pure.

import { isClosing, isSpace } from './character.ts';
import { lookbehindLength } from './cursor.ts';

/** What may turn out to stand behind the end of the string: a quote, brackets, a comma, the next key without quotes. */
const unsettled = /["'`´’”»]?[\s}\]]*(?:[,;]\s*(?:(?:[{[]\s*)*|[\w$]+\s*:?\s*))?$/;

/** A quote of the wrong kind where the end quote should be. */
export const slip = /["'`´’”»]$/;

/** How much of the end of a text may turn out to stand behind it. */
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

/** Closing brackets at the end of a text that opens fewer than it closes. */
export function strayBrackets(text: string): string {
  const tail = /[\s}\]]*$/.exec(text.slice(-lookbehindLength))?.[0] ?? '';
  if (!/[}\]]/.test(tail)) return '';
  const head = text.slice(0, text.length - tail.length);
  const opened = (head.match(/[{[]/g)?.length ?? 0) - (head.match(/[}\]]/g)?.length ?? 0);
  return opened > 0 ? '' : tail;
}
