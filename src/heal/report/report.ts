// Builds the result of healing: the value, its flags in text order, and the confidence.
// Invariant: every kind of change that was made has a flag, even if there are too many changes to list them all.

import { confidenceOf } from './confidence.ts';
import type { Flag, FlagKind } from './flag.ts';
import { compareMarks, maxMarks, MarkCounts, type Mark } from '../parse/mark.ts';
import type { HealResult } from '../option.ts';
import { toKeys } from './linked-path.ts';

/** Whether the offsets of a mark are offsets into the source text. */
export type LocatedTest = (mark: Mark) => boolean;

/** Adds the offsets of each mark to its flag. `marks` are those that the flags were made from. */
export function locateFlags(result: HealResult, marks: readonly Mark[], isLocated: LocatedTest): HealResult {
  const ordered = inOrder(marks);
  const flags = result.flags.map((flag, index): Flag => {
    const mark = ordered[index];
    if (mark === undefined || mark.kind !== flag.kind || !isLocated(mark)) return flag;
    return { ...flag, at: [mark.start, mark.end] };
  });
  return { ...result, flags };
}

/** `length` is the length of the text that the value was read from. `unlisted` counts changes that have no mark. */
export function toResult(value: unknown, marks: readonly Mark[], length: number, unlisted?: MarkCounts): HealResult {
  if (unlisted !== undefined || marks.length > maxMarks) return toCountedResult(value, marks, length, unlisted);
  const ordered = inOrder(marks);
  return { value, flags: toFlags(ordered), confidence: confidenceOf(ordered, length) };
}

/**
 * For too many changes: the first become flags, the rest are counted, and each kind found only among the rest gets one
 * flag.
 */
function toCountedResult(
  value: unknown,
  marks: readonly Mark[],
  length: number,
  unlisted = new MarkCounts(),
): HealResult {
  const kept = [...marks];
  unlisted.takeSurplus(kept);
  const rest: Flag = { kind: 'more-changes', path: [], count: unlisted.size };
  const flags = [...toFlags(kept), ...unlistedKinds(kept, unlisted), rest];
  return { value, flags, confidence: confidenceOf(kept, length, unlisted) };
}

function unlistedKinds(kept: readonly Mark[], unlisted: MarkCounts): Flag[] {
  const listed = new Set(kept.map(({ kind }) => kind));
  const counts = new Map<FlagKind, number>();
  for (const [kind, , count] of unlisted.entries()) {
    if (!listed.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return [...counts].map(([kind, count]) => ({ kind, path: [], count }));
}

/** Sorts the marks so that flags and confidence do not depend on the order in which changes were found. */
function inOrder(marks: readonly Mark[]): readonly Mark[] {
  for (let index = 1; index < marks.length; index++) {
    if (compareMarks(marks[index - 1] as Mark, marks[index] as Mark) > 0) return marks.toSorted(compareMarks);
  }
  return marks;
}

function toFlags(marks: readonly Mark[]): Flag[] {
  return marks.map(({ kind, path, detail }) => {
    const keys = toKeys(path);
    return detail === undefined ? { kind, path: keys } : Object.assign({ kind }, detail, { path: keys });
  });
}
