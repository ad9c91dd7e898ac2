// Whether a text is JSON, or what stands at a place of it. Pure.

import { code, isJsonSpace } from './character.ts';
import { beginsValue, spaceEnd, unitAt } from './json-token.ts';

const { backslash, closeCurly, closeSquare, colon, comma, doubleQuote, openCurly, openSquare } = code;

/** A failed `JSON.parse` takes longer than healing a short text; without the stack of its error, half as long. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Where the first character stands that is no white space. */
export function jsonStart(text: string): number {
  return spaceEnd(text, 0);
}

/** Behind the last character that is no white space. */
export function jsonEnd(text: string): number {
  let end = text.length;
  while (end > 0 && isJsonSpace(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Whether JSON can begin and end so: what cannot by its ends need not be tried. */
export function canBeJson(text: string, start: number, end: number): boolean {
  if (start >= end) return false;
  const first = text.charCodeAt(start);
  const last = text.charCodeAt(end - 1);
  if (first === openCurly) return last === closeCurly && endsChild(text, end - 1) && beginsMember(text, start + 1);
  if (first === openSquare) return last === closeSquare && endsChild(text, end - 1);
  return beginsValue(first);
}

/** Before this place lies the bracket that opens a container, so the way is never to the beginning of the text. */
function endsChild(text: string, before: number): boolean {
  let at = before - 1;
  while (isJsonSpace(text.charCodeAt(at))) at--;
  return text.charCodeAt(at) !== comma;
}

/** Whether the first member can begin so, up to its value. Behind this place lies the bracket that closes the object. */
function beginsMember(text: string, from: number): boolean {
  const open = spaceEnd(text, from);
  if (text.charCodeAt(open) !== doubleQuote) return text.charCodeAt(open) === closeCurly;
  const close = text.indexOf('"', open + 1);
  if (close === -1) return false;
  if (text.charCodeAt(close - 1) === backslash) return true;
  const sign = spaceEnd(text, close + 1);
  return unitAt(text, sign) === colon && beginsValue(unitAt(text, spaceEnd(text, sign + 1)));
}
