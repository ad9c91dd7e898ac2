// What a node is under one schema: the value, what had to be done for it, and what that costs. Parts are linked, not
// copied, so that a result costs what is new in it.

import type { FlagKind } from '../report/flag.ts';
import { flagWeights } from '../report/flag.ts';
import type { Detail, Mark } from '../parse/mark.ts';
import type { ValuePath } from '../report/value-path.ts';
import type { Node } from '../parse/node.ts';

export interface Result {
  readonly value: unknown;
  /** Additive, whatever the depth: the sum of the weights of all changes in it. */
  readonly cost: number;
  readonly marks: readonly Mark[];
  readonly parts: readonly Result[];
}

const none: readonly never[] = [];

export function exact(value: unknown): Result {
  return { value, cost: 0, marks: none, parts: none };
}

/** `surplus`: what speaks against the reading although it changes nothing, such as members that are left out. */
export function changed(value: unknown, marks: readonly Mark[], parts: readonly Result[] = none, surplus = 0): Result {
  let cost = surplus;
  for (const mark of marks) cost += flagWeights[mark.kind];
  for (const part of parts) cost += part.cost;
  return { value, cost, marks, parts };
}

export function markOn(node: Node, kind: FlagKind, detail?: Detail): Mark {
  return markAt(node, node.path, kind, detail);
}

/** On the text of a node, but about another place in the value. */
export function markAt({ start, end }: Node, path: ValuePath | undefined, kind: FlagKind, detail?: Detail): Mark {
  return { kind, path, start, end: Math.max(end, start), detail };
}

/** All changes in a result, in the order of the text as far as it was kept. */
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
