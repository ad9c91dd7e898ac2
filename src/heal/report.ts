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

/**
 * By the place in the text, so that the order, and with it the product, does not depend on how they were found. Marks of
 * one kind in one place stay as they are.
 */
function inOrder(marks: readonly Mark[]): readonly Mark[] {
  return marks.length < 2 ? marks : marks.toSorted(compareMarks);
}

function compareMarks(left: Mark, right: Mark): number {
  if (left.start !== right.start) return left.start - right.start;
  if (left.end !== right.end) return left.end - right.end;
  return left.kind === right.kind ? 0 : left.kind < right.kind ? -1 : 1;
}

function toFlags(marks: readonly Mark[]): Flag[] {
  const flags: Flag[] = [];
  for (const mark of marks) {
    if (flags.length === mostFlags) break;
    flags.push(toFlag(mark));
  }
  if (marks.length > mostFlags) flags.push({ kind: 'more-changes', path: [], count: marks.length - mostFlags });
  return flags;
}

/** Most marks have no details, and to copy what is left of an object costs more than all else that is done with one. */
function toFlag(mark: Mark): Flag {
  const path = toKeys(mark.path);
  if (!mark.isDetailed) return { kind: mark.kind, path };
  const { start: _start, end: _end, path: _path, isDetailed: _isDetailed, ...details } = mark;
  return { ...details, path };
}
