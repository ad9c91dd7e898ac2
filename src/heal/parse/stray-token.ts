// What stands where a key or a value should and is neither: a comma too many, dots for what was left out, a backslash
// before a quote, a letter of Python's. Each is passed, and what was expected still is.

import { code, isPythonPrefix, isQuote, isSeparator, isSpace } from './character.ts';
import { maxRunLength, type LookaheadVerdict, type Cursor } from './cursor.ts';
import { backslashes, html } from './decoding.ts';
import { MORE } from './lookahead.ts';
import type { Transition } from './state.ts';
import type { ContainerFrame } from './frame.ts';
import type { Tree } from './tree.ts';

const { closeCurly, colon, dot, doubleQuote, openCurly, openSquare, star } = code;

export function passComma(cursor: Cursor, tree: Tree): Transition {
  const frame = tree.frame as ContainerFrame;
  tree.mark(frame.count === 0 ? 'fixed-leading-comma' : 'fixed-trailing-comma');
  frame.leadingComma ||= frame.count === 0;
  frame.afterComma = true;
  cursor.at++;
  return 'same';
}

/** `length`: so many of its characters have been seen. */
export function passEllipsis(cursor: Cursor, tree: Tree, length: number): Transition {
  let end = length;
  while (end < maxRunLength && cursor.unitAt(end) === dot) end++;
  if (end < maxRunLength && cursor.unitAt(end) === MORE) return 'more';
  cursor.at += end;
  tree.mark('stripped-ellipsis');
  return 'same';
}

/** Whether dots, and nothing else, stand for the value of a member. */
export function isEllipsis(cursor: Cursor): LookaheadVerdict {
  const ahead = cursor.ahead(0);
  while (ahead.unit === dot) ahead.at++;
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  return isSeparator(unit) || unit === closeCurly ? 'yes' : 'no';
}

/** Whether the marks that end the emphasis of a key stand behind its colon: `**Name:** Ada`. */
export function endsEmphasis(cursor: Cursor): LookaheadVerdict {
  if (cursor.before !== colon) return 'no';
  const [second, third] = [cursor.unitAt(1), cursor.unitAt(2)];
  if (second === MORE || (second === star && third === MORE)) return 'more';
  return second === star && isSpace(third) ? 'yes' : 'no';
}

/** A quote behind a backslash where structure is expected: the whole text is escaped. */
export function unescape(cursor: Cursor, tree: Tree): Transition {
  tree.mark('fixed-escape');
  // Where other quotes were plain, it is only this string. Who has any has one around it or at the top, where not many need be asked.
  const isAlone = cursor.isDecoded || [tree.frame, ...tree.frames.slice(0, 2)].some(hasPlainKey);
  if (isAlone) cursor.at++;
  else cursor.decode(backslashes);
  return 'same';
}

function hasPlainKey(frame: ContainerFrame | undefined): boolean {
  return frame !== undefined && frame.quotedKeys > 0 && Math.abs(frame.keyQuote) === doubleQuote;
}

/** Whether an object stands here that was written as a text, its quotes not escaped: `"{"a": 1}"`. */
export function isQuotedObject(cursor: Cursor): LookaheadVerdict {
  // Where the end is to be judged by what has arrived, what has not arrived is none.
  const later = cursor.settling ? 'no' : 'more';
  const first = cursor.unitAt(1);
  if (first !== openCurly && first !== openSquare) return first === MORE ? later : 'no';
  const ahead = cursor.ahead(first === openSquare ? 2 : 1);
  const inside = first === openSquare ? ahead.skip() : first;
  if (inside !== openCurly) return inside === MORE ? later : 'no';
  ahead.at++;
  const unit = ahead.skip();
  if (unit !== doubleQuote) return unit === MORE ? later : 'no';
  const start = ahead.at;
  // `"{", ":"`: a bracket that is a text.
  const ends = ahead.endsString();
  if (ends !== 'no') return ends === 'more' ? later : 'no';
  ahead.at = start;
  const key = ahead.key();
  return key === 'more' ? later : key === 'key' ? 'yes' : 'no';
}

/** Takes the container behind the quote for the value. */
export function openQuoted(cursor: Cursor, tree: Tree): Transition {
  tree.mark('fixed-inner-quotes');
  tree.mark('parsed-string');
  cursor.at++;
  tree.quotedAt = cursor.position;
  return 'same';
}

/** A quote written as HTML where structure is expected: so is the whole text. */
export function decodeHtml(cursor: Cursor, tree: Tree): Transition {
  tree.mark('fixed-escape');
  cursor.decode(html);
  return 'same';
}

/** A letter before a quote says how Python is to read the string: `u'…'`. */
export function isPrefixed(cursor: Cursor): LookaheadVerdict {
  if (!isPythonPrefix(cursor.unit)) return 'no';
  const next = cursor.unitAt(1);
  return isQuote(next) || next === MORE ? cursor.ahead(0).isPrefixed : 'no';
}
