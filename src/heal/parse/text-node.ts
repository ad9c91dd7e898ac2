// A stretch of text without brackets as one word or number: for answers that are nothing but their value.

import { trimSpace } from './character.ts';
import { createNode, type Node } from './node.ts';
import { parseScalar } from './scalar.ts';

/** Nothing when the stretch from `start` to `end` of the text says nothing. */
export function textNode(text: string, start: number, end: number): Node | undefined {
  const { raw, isQuoted } = bareValue(text.slice(start, end));
  if (!/[\p{L}\p{N}]/u.test(raw)) return undefined;
  const scalar = parseScalar(raw);
  // Words such as None are literals in a value, but words in a text.
  const isText = isQuoted || scalar.fixed === 'fixed-literal';
  const { kind, value } = isText ? { kind: 'string' as const, value: raw } : scalar;
  return Object.assign(createNode(kind, start, { value, raw }), { end, complete: true, bare: !isQuoted });
}

/** A call, quotes or a comma around the word were taken off. */
export function isStripped({ raw, start, end }: Node, text: string): boolean {
  return raw !== trimSpace(text.slice(start, end));
}

/** Without the fence at its end. By hand: an expression would look at each run of spaces from each of its places. */
function withoutFence(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '`') end--;
  return text.length - end >= 3 ? text.slice(0, end).trimEnd() : text;
}

/** A word without what a program may have around it: `callback(2);`, `4,`, a fence, half its quotes. */
function bareValue(text: string): { readonly raw: string; readonly isQuoted: boolean } {
  const trimmed = withoutFence(trimSpace(text).replace(/^`{3,}\w*\s*/, ''));
  const [, inside] = /^[\w$.]+\(([^()]*)\)\s*;?$/.exec(trimmed.length > 1000 ? '' : trimmed) ?? [];
  const bare = (inside ?? trimmed).trim().replace(/[,;]$/, '').trim();
  if (inside !== undefined && /^"[^"]*"$/.test(bare)) return { raw: bare.slice(1, -1), isQuoted: true };
  const isHalfQuoted = bare.length > 1 && bare.indexOf('"') === bare.length - 1;
  return { raw: isHalfQuoted ? bare.slice(0, -1) : bare, isQuoted: isHalfQuoted };
}
