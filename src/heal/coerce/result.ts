// A node read as one schema: the value, the changes this took, and their cost. Results link to the results of their
// parts instead of copying them, so each one holds only what is new.

import type { FlagKind } from '../report/flag.ts';
import { flagCosts } from '../report/flag.ts';
import type { Detail, Mark } from '../parse/mark.ts';
import type { LinkedPath } from '../report/linked-path.ts';
import type { Node } from '../parse/node.ts';

export interface Result {
  readonly value: unknown;
  /** The sum of the weights of all changes, including those of the parts. */
  readonly cost: number;
  readonly marks: readonly Mark[];
  readonly parts: readonly Result[];
}

const none: readonly never[] = [];

export function exact(value: unknown): Result {
  return { value, cost: 0, marks: none, parts: none };
}

/** `surplus` is an extra cost for things that are not changes, such as members that are left out. */
export function changed(value: unknown, marks: readonly Mark[], parts: readonly Result[] = none, surplus = 0): Result {
  let cost = surplus;
  for (const mark of marks) cost += flagCosts[mark.kind];
  for (const part of parts) cost += part.cost;
  return { value, cost, marks, parts };
}

export function markOn(node: Node, kind: FlagKind, detail?: Detail): Mark {
  return markAt(node, node.path, kind, detail);
}

/** A mark on the text of a node, but with the path of another part of the value. */
export function markAt({ start, end }: Node, path: LinkedPath | undefined, kind: FlagKind, detail?: Detail): Mark {
  return { kind, path, start, end: Math.max(end, start), detail };
}

/** All changes in a result, in text order if the parts are. */
export function marksOf(result: Result): Mark[] {
  const marks: Mark[] = [];
  const stack: Result[] = [result];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    for (const mark of top.marks) marks.push(mark);
    for (let index = top.parts.length - 1; index >= 0; index--) {
      const part = top.parts[index];
      if (part !== undefined && part.cost + part.marks.length + part.parts.length > 0) stack.push(part);
    }
  }
  return marks;
}
