// Skips tokens that are neither a key nor a value where one is expected: an extra comma, an ellipsis, a backslash
// before a quote, a Python string prefix. The expectation stays the same.

import { code, isPythonPrefix, isQuote, isSeparator, isSpace } from './character.ts';
import { maxRunLength, type Cursor } from './cursor.ts';
import { backslashes, html } from './decoding.ts';
import { MORE, type LookaheadVerdict } from './lookahead.ts';
import type { Transition } from './state.ts';
import type { ContainerFrame } from './frame.ts';
import type { Tree } from './tree.ts';

const { closeCurly, colon, dot, doubleQuote, openCurly, openSquare, star } = code;

export function skipComma(cursor: Cursor, tree: Tree): Transition {
  const frame = tree.frame as ContainerFrame;
  tree.mark(frame.count === 0 ? 'fixed-leading-comma' : 'fixed-trailing-comma');
  frame.leadingComma ||= frame.count === 0;
  frame.afterComma = true;
  cursor.at++;
  return 'same';
}

/** `length` is the number of characters already matched. */
export function skipEllipsis(cursor: Cursor, tree: Tree, length: number): Transition {
  let end = length;
  while (end < maxRunLength && cursor.unitAt(end) === dot) end++;
  if (end < maxRunLength && cursor.unitAt(end) === MORE) return 'more';
  cursor.at += end;
  tree.mark('stripped-ellipsis');
  return 'same';
}

/** Whether an ellipsis replaces the value of a member. */
export function isEllipsis(cursor: Cursor): LookaheadVerdict {
  const ahead = cursor.ahead(0);
  while (ahead.unit === dot) ahead.at++;
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  return isSeparator(unit) || unit === closeCurly ? 'yes' : 'no';
}

/** Whether the marker that ends the emphasis of a key follows its colon: `**Name:** Ada`. */
export function endsEmphasis(cursor: Cursor): LookaheadVerdict {
  if (cursor.before !== colon) return 'no';
  const [second, third] = [cursor.unitAt(1), cursor.unitAt(2)];
  if (second === MORE || (second === star && third === MORE)) return 'more';
  return second === star && isSpace(third) ? 'yes' : 'no';
}

/** An escaped quote where structure is expected: the entire text is escaped. */
export function unescape(cursor: Cursor, tree: Tree): Transition {
  tree.mark('fixed-escape');
  // If other quotes were not escaped, only this string is. The innermost and the outermost containers are enough to
  // tell.
  const isAlone = cursor.isDecoded || [tree.frame, ...tree.frames.slice(0, 2)].some(hasPlainKey);
  if (isAlone) cursor.at++;
  else cursor.decode(backslashes);
  return 'same';
}

function hasPlainKey(frame: ContainerFrame | undefined): boolean {
  return frame !== undefined && frame.quotedKeys > 0 && Math.abs(frame.keyQuote) === doubleQuote;
}

/** Whether an object is here that was written as a string without escaping its quotes: `"{"a": 1}"`. */
export function isQuotedObject(cursor: Cursor): LookaheadVerdict {
  // While settling, text that has not arrived counts as absent.
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
  // `"{", ":"`: the bracket is a string.
  const ends = ahead.endsString();
  if (ends !== 'no') return ends === 'more' ? later : 'no';
  ahead.at = start;
  const key = ahead.key();
  return key === 'more' ? later : key === 'key' ? 'yes' : 'no';
}

/** Treats the container after the quote as the value. */
export function openQuoted(cursor: Cursor, tree: Tree): Transition {
  tree.mark('fixed-inner-quotes');
  tree.mark('parsed-string');
  cursor.at++;
  tree.quotedAt = cursor.position;
  return 'same';
}

/** An HTML-escaped quote where structure is expected: the entire text is escaped. */
export function decodeHtml(cursor: Cursor, tree: Tree): Transition {
  tree.mark('fixed-escape');
  cursor.decode(html);
  return 'same';
}

/** Whether a Python string prefix is here: `u'…'`. */
export function isPrefixed(cursor: Cursor): LookaheadVerdict {
  if (!isPythonPrefix(cursor.unit)) return 'no';
  const next = cursor.unitAt(1);
  return isQuote(next) || next === MORE ? cursor.ahead(0).isPrefixed : 'no';
}
