// What healing tells in the end: the value, the changes in the order of the text, and how far it can be trusted.

import { confidenceOf } from './confidence.ts';
import type { Flag } from './flag.ts';
import { compareMarks, mostMarks, Tally, type Mark } from './mark.ts';
import type { HealResult } from './option.ts';
import { toKeys } from './path.ts';

/** `length`: that of the text the value was read from. `more`: changes behind the marks, which are only counted. */
export function toResult(value: unknown, marks: readonly Mark[], length: number, more?: Tally): HealResult {
  if (more !== undefined || marks.length > mostMarks) return toCountedResult(value, marks, length, more);
  const ordered = inOrder(marks);
  return { value, flags: toFlags(ordered), confidence: confidenceOf(ordered, length) };
}

/** Too many to tell: the first are flags, the others a number, and only counted for the confidence too. */
function toCountedResult(value: unknown, marks: readonly Mark[], length: number, more = new Tally()): HealResult {
  const kept = [...marks];
  more.takeSurplus(kept);
  const rest: Flag = { kind: 'more-changes', path: [], count: more.size };
  return { value, flags: [...toFlags(kept), rest], confidence: confidenceOf(kept, length, more) };
}

/** So that neither the flags nor the product depend on how they were found. Mostly they were found in order. */
function inOrder(marks: readonly Mark[]): readonly Mark[] {
  for (let index = 1; index < marks.length; index++) {
    if (compareMarks(marks[index - 1] as Mark, marks[index] as Mark) > 0) return marks.toSorted(compareMarks);
  }
  return marks;
}

function toFlags(marks: readonly Mark[]): Flag[] {
  return marks.map(({ kind, path, detail }) => {
    const keys = toKeys(path);
    // Spreading between two members would be slow.
    return detail === undefined ? { kind, path: keys } : Object.assign({ kind }, detail, { path: keys });
  });
}
