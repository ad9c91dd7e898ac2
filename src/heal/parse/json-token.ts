// What stands at a place of a text, by the rules of JSON. Pure.

import { code, isDigit, isJsonSpace, letterF, letterN, letterT } from './character.ts';

const { doubleQuote, minus, openCurly, openSquare } = code;

const letterU = 117;

/**
 * The unit at a place; 0 behind the end of the text. Asking a text for what lies behind its end gives no integer, and one
 * such answer makes every comparison of units slower, wherever it is.
 */
export function unitAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

/** Behind the white space that stands here. */
export function spaceEnd(text: string, start: number): number {
  let at = start;
  while (isJsonSpace(unitAt(text, at))) at++;
  return at;
}

/** Whether a value of JSON can begin with it. */
export function beginsValue(unit: number): boolean {
  switch (unit) {
    case doubleQuote:
    case openCurly:
    case openSquare:
    case minus:
    case letterT:
    case letterF:
    case letterN:
      return true;
    default:
      return isDigit(unit);
  }
}

/** The length of the escape that stands here; 0 when it is none of JSON's. */
export function escapeLength(text: string, at: number): number {
  const unit = unitAt(text, at + 1);
  if (unit === letterU) return isHexQuad(text, at + 2) ? 6 : 0;
  return unit < 128 && isSimpleEscape[unit] === 1 ? 2 : 0;
}

const isSimpleEscape = Uint8Array.from({ length: 128 }, (_, unit) =>
  '"\\/bfnrt'.includes(String.fromCharCode(unit)) ? 1 : 0,
);

function isHexQuad(text: string, start: number): boolean {
  for (let at = start; at < start + 4; at++) if (!isHex(unitAt(text, at))) return false;
  return true;
}

function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70);
}
