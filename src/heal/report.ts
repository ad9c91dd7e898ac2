// What healing tells in the end: the value, the changes in the order of the text, and how far it can be trusted.

import { confidenceOf } from './confidence.ts';
import type { Flag } from './flag.ts';
import type { HealResult } from './option.ts';
import { toKeys } from './path.ts';
import type { Mark } from './tree.ts';

/** More flags than this are told as a number. */
const mostFlags = 1000;

/** `length`: that of the text the value was read from. */
export function toResult(value: unknown, marks: readonly Mark[], length: number): HealResult {
  const ordered = inOrder(marks);
  return { value, flags: toFlags(ordered), confidence: confidenceOf(ordered, length) };
}

/** By the place in the text, so that the order, and with it the product, does not depend on how they were found. */
function inOrder(marks: readonly Mark[]): Mark[] {
  return marks.toSorted(
    (left, right) => left.start - right.start || left.end - right.end || (left.kind < right.kind ? -1 : 1),
  );
}

function toFlags(marks: readonly Mark[]): Flag[] {
  const flags = marks
    .slice(0, mostFlags)
    .map(({ start: _start, end: _end, path, ...mark }): Flag => ({ ...mark, path: toKeys(path) }));
  if (marks.length > mostFlags) flags.push({ kind: 'more-changes', path: [], count: marks.length - mostFlags });
  return flags;
}
