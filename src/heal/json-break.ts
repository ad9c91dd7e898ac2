// Whether what stands at a place of a text proves that the text is no JSON, whatever follows. Pure.
// Invariant: it says so only where JSON allows no such thing; where it cannot tell, it does not.

import { code, isOpening } from './character.ts';
import { beginsValue, escapeLength, spaceEnd, unitAt } from './json-token.ts';

const { backslash, closeCurly, closeSquare, colon, comma, doubleQuote, space } = code;

/** A place behind a beginning that is JSON. */
export interface JsonPlace {
  readonly at: number;
  readonly expected: 'key' | 'value' | 'next';
  readonly isObject: boolean;
  /** The container is the whole value. */
  readonly isOutermost: boolean;
  readonly afterComma: boolean;
}

const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The text is whole. */
export function breaksJson(text: string, place: JsonPlace): boolean {
  const { at, expected, isObject } = place;
  const start = spaceEnd(text, at);
  const unit = unitAt(text, start);
  const closer = isObject ? closeCurly : closeSquare;
  if (unit === closer) {
    const isEmpty = !place.afterComma && expected === (isObject ? 'key' : 'value');
    return !(isEmpty || expected === 'next') || !endsWell(text, start, place);
  }
  if (expected === 'next') return unit !== comma || !goesOn(text, start, isObject);
  if (isOpening(unit)) return expected === 'key';
  const end = unit === doubleQuote ? stringEnd(text, start) : expected === 'key' ? -1 : wordEnd(text, start);
  if (end === -1) return true;
  const behind = spaceEnd(text, end);
  const next = unitAt(text, behind);
  if (expected === 'key') return next !== colon;
  if (next === closer) return !endsWell(text, behind, place);
  return next !== comma || !goesOn(text, behind, isObject);
}

/** Whether a key with its colon, or the beginning of an item, stands behind the comma. */
function goesOn(text: string, separator: number, isObject: boolean): boolean {
  const start = spaceEnd(text, separator + 1);
  const unit = unitAt(text, start);
  if (!isObject) return beginsValue(unit);
  const end = unit === doubleQuote ? stringEnd(text, start) : -1;
  return end !== -1 && unitAt(text, spaceEnd(text, end)) === colon;
}

/** Behind the whole value nothing may stand, behind a part of it the next part or the end of what it is in. */
function endsWell(text: string, closer: number, { isOutermost }: JsonPlace): boolean {
  const behind = spaceEnd(text, closer + 1);
  if (isOutermost) return behind === text.length;
  const unit = unitAt(text, behind);
  if (unit !== comma) return unit === closeCurly || unit === closeSquare;
  // A key begins as some values do.
  return beginsValue(unitAt(text, spaceEnd(text, behind + 1)));
}

/** Behind the string of JSON that stands here; -1 when it is none. */
function stringEnd(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === doubleQuote) return at + 1;
    if (unit < space) return -1;
    if (unit !== backslash) continue;
    const escape = escapeLength(text, at);
    if (escape === 0) return -1;
    at += escape - 1;
  }
  return -1;
}

/** Behind the number or the literal of JSON that stands here; -1 when it is none. */
function wordEnd(text: string, start: number): number {
  word.lastIndex = start;
  return word.test(text) ? word.lastIndex : -1;
}
