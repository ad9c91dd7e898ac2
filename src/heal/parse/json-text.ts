// Checks and parses JSON text.

import { code, isJsonSpace } from './character.ts';
import { beginsValue, spaceEnd, unitAt } from './json-token.ts';

const { backslash, closeCurly, closeSquare, colon, comma, doubleQuote, openCurly, openSquare } = code;

/** Suppresses the stack trace of the syntax error, because capturing it takes longer than healing a short text. */
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

/** Offset of the first character that is not white space. */
export function jsonStart(text: string): number {
  return spaceEnd(text, 0);
}

/** Offset after the last character that is not white space. */
export function jsonEnd(text: string): number {
  let end = text.length;
  while (end > 0 && isJsonSpace(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Quick test of the first and last characters, to avoid a failing JSON.parse. */
export function canBeJson(text: string, start: number, end: number): boolean {
  if (start >= end) return false;
  const first = text.charCodeAt(start);
  const last = text.charCodeAt(end - 1);
  if (first === openCurly) return last === closeCurly && endsChild(text, end - 1) && beginsMember(text, start + 1);
  if (first === openSquare) return last === closeSquare && endsChild(text, end - 1);
  return beginsValue(first);
}

/** The opening bracket precedes `before`, so the loop does not reach the beginning of the text. */
function endsChild(text: string, before: number): boolean {
  let at = before - 1;
  while (isJsonSpace(text.charCodeAt(at))) at--;
  return text.charCodeAt(at) !== comma;
}

/** Checks the first member up to its value. The closing brace follows `from`. */
function beginsMember(text: string, from: number): boolean {
  const open = spaceEnd(text, from);
  if (text.charCodeAt(open) !== doubleQuote) return text.charCodeAt(open) === closeCurly;
  const close = text.indexOf('"', open + 1);
  if (close === -1) return false;
  if (text.charCodeAt(close - 1) === backslash) return true;
  const sign = spaceEnd(text, close + 1);
  return unitAt(text, sign) === colon && beginsValue(unitAt(text, spaceEnd(text, sign + 1)));
}
