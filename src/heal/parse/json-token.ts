// Recognises JSON tokens at an offset of a text.

import { code, isDigit, isJsonSpace, letterF, letterN, letterT } from './character.ts';

const { doubleQuote, minus, openCurly, openSquare } = code;

const letterU = 117;

/**
 * The code unit at an offset; 0 after the end. Reading past the end would give NaN, which makes every comparison
 * slower.
 */
export function unitAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

/** Offset after the white space. */
export function spaceEnd(text: string, start: number): number {
  let at = start;
  while (isJsonSpace(unitAt(text, at))) at++;
  return at;
}

/** Whether a JSON value can begin with this character. */
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

/** Length of the JSON escape at this offset; 0 if it is not valid. */
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
