// Judges the values in a text that were not chosen. A value that could be meant makes the choice a guess. A value that
// cannot match the schema in any reading, such as `[1]` in a sentence, is only text around the chosen one.

import type { HealBudget } from '../budget.ts';
import type { Mark } from '../parse/mark.ts';
import type { Node } from '../parse/node.ts';
import type { Root } from '../parse/root.ts';
import type { HealTarget } from '../schema/heal-target.ts';
import type { CandidateSet } from './candidate.ts';
import { resultOf } from './node-scores.ts';

/** How many other values the text has. */
export interface OtherValues {
  /** They match the schema, or were meant to. */
  readonly possible: number;
  readonly impossible: number;
}

export const noOtherValues: OtherValues = { possible: 0, impossible: 0 };

export function countOtherValues(others: readonly Root[], target: HealTarget, budget: HealBudget): OtherValues {
  const possible = others.filter((root) => couldMatch(root, target, budget)).length;
  return { possible, impossible: others.length - possible };
}

/** Without its end, or with a key of the schema, a value that does not match may still be what was meant. */
function couldMatch(root: Root, { schema, candidates }: HealTarget, budget: HealBudget): boolean {
  return resultOf(root.node, schema) !== null || isTruncated(root) || hasKnownKey(root.node, candidates, budget);
}

export function isTruncated({ marks }: { readonly marks: readonly Mark[] }): boolean {
  return marks.some(({ kind }) => kind === 'closed-truncated');
}

/** Whether any object in the value has a key that the schema knows or allows. */
function hasKnownKey(root: Node, candidates: CandidateSet, budget: HealBudget): boolean {
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    budget.spend(1 + node.keys.length);
    if (node.keys.some((key) => candidates.knows(key) !== false)) return true;
    for (const child of node.children) stack.push(child);
  }
  return false;
}
