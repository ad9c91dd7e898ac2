// Reads a text without brackets as a single word or number, for responses that consist of nothing but the value.

import { trimSpace } from './character.ts';
import { createNode, type Node } from './node.ts';
import { parseScalar } from './scalar.ts';

/** Returns `undefined` if the range contains no letter or digit. */
export function textNode(text: string, start: number, end: number): Node | undefined {
  const { raw, isQuoted } = bareValue(text.slice(start, end));
  if (!/[\p{L}\p{N}]/u.test(raw)) return undefined;
  const scalar = parseScalar(raw);
  // `None` is a literal inside a value, but a word in a text.
  const isText = isQuoted || scalar.fixed === 'fixed-literal';
  const { kind, value } = isText ? { kind: 'string' as const, value: raw } : scalar;
  return Object.assign(createNode(kind, start, { value, raw }), { end, complete: true, bare: !isQuoted });
}

/** Whether a call, quotes or a comma around the word were removed. */
export function isStripped({ raw, start, end }: Node, text: string): boolean {
  return raw !== trimSpace(text.slice(start, end));
}

/** Removes the fence at the end. Written by hand because a regular expression would be quadratic in runs of spaces. */
function withoutFence(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '`') end--;
  return text.length - end >= 3 ? text.slice(0, end).trimEnd() : text;
}

/** Removes what a program may put around a value: `callback(2);`, `4,`, a fence, an unmatched quote. */
function bareValue(text: string): { readonly raw: string; readonly isQuoted: boolean } {
  const trimmed = withoutFence(trimSpace(text).replace(/^`{3,}\w*\s*/, ''));
  const [, inside] = /^[\w$.]+\(([^()]*)\)\s*;?$/.exec(trimmed.length > 1000 ? '' : trimmed) ?? [];
  const bare = (inside ?? trimmed).trim().replace(/[,;]$/, '').trim();
  if (inside !== undefined && /^"[^"]*"$/.test(bare)) return { raw: bare.slice(1, -1), isQuoted: true };
  const isHalfQuoted = bare.length > 1 && bare.indexOf('"') === bare.length - 1;
  return { raw: isHalfQuoted ? bare.slice(0, -1) : bare, isQuoted: isHalfQuoted };
}
