// Chooses the union branch that an open container is read as: the one that matches best by the members so far.

import { fieldOf } from '../coerce/candidate.ts';
import type { ViewLevel } from './view-level.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { Node } from '../parse/node.ts';
import { branchesOf, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';

/** How well a branch matches, and how many members have been scored. */
export interface Score {
  points: number;
  seen: number;
}

/** Returns `undefined` while this is undecided. */
export function bestBranch(level: ViewLevel): SchemaNode | undefined {
  const { declared } = level;
  if (declared.kind !== 'union') return canHold(declared, level.node) ? declared : undefined;
  const branches = branchesOf(declared).filter((branch) => canHold(branch, level.node));
  if (branches.length <= 1 || level.node.kind === 'array') return branches[0];
  let best: SchemaNode | undefined;
  let most = 0;
  for (const branch of branches) {
    const points = scoreOf(level, branch);
    if (points > most) [best, most] = [branch, points];
  }
  return best;
}

function canHold(branch: SchemaNode, node: Node): boolean {
  if (branch.kind === 'any') return true;
  if (node.kind === 'array') return branch.kind === 'array' || branch.kind === 'object';
  return branch.kind === 'object' || (branch.kind === 'array' && objectBranch(branch.items) !== undefined);
}

/**
 * A field that matches adds to the score. A value that does not match its field and an unknown key subtract from it.
 */
function scoreOf(level: ViewLevel, branch: SchemaNode): number {
  const object = objectOf(branch);
  if (object === undefined) return 0.1;
  const score = level.scores.get(branch) ?? { points: 0, seen: 0 };
  level.scores.set(branch, score);
  const { children, keys } = level.node;
  for (; score.seen < children.length && children[score.seen]?.complete; score.seen++) {
    score.points += pointsOf(object, keys[score.seen] ?? '', children[score.seen] as Node);
  }
  const open = score.seen < children.length ? fieldOf(object, keys[score.seen] ?? '') : undefined;
  return score.points + (open === undefined ? 0 : 0.5);
}

function pointsOf(schema: ObjectSchema, key: string, child: Node): number {
  const field = fieldOf(schema, key);
  if (field === undefined) return schema.rest === undefined ? -0.5 : 0;
  if (resultOf(child, field.schema) !== null) return field.schema.kind === 'enum' ? 3 : 1;
  return child.kind === 'null' || child.kind === 'missing' ? 0 : -3;
}

/**
 * The schema for the members of an object: the branch itself, or the items of an array if the object is its only item.
 */
export function objectOf(branch: SchemaNode | undefined): ObjectSchema | undefined {
  if (branch?.kind === 'array') return objectBranch(branch.items);
  return branch?.kind === 'object' ? branch : undefined;
}

function objectBranch(schema: SchemaNode): ObjectSchema | undefined {
  const branches = branchesOf(schema).filter((branch) => branch.kind === 'object');
  return branches.length === 1 ? branches[0] : undefined;
}
