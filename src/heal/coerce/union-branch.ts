// Which arm of its schema an open container is read as: the one that fits best by the members so far.

import { fieldOf } from './candidate.ts';
import type { Level } from '../stream/level.ts';
import { resultOf } from './node-scores.ts';
import type { Node } from '../parse/node.ts';
import { armsOf, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';

/** How well an arm fits, and by how many members that was judged. */
export interface Score {
  points: number;
  seen: number;
}

/** Nothing while that is undecided. */
export function bestBranch(level: Level): SchemaNode | undefined {
  const { declared } = level;
  if (declared.kind !== 'union') return canHold(declared, level.node) ? declared : undefined;
  const arms = armsOf(declared).filter((arm) => canHold(arm, level.node));
  if (arms.length <= 1 || level.node.kind === 'array') return arms[0];
  let best: SchemaNode | undefined;
  let most = 0;
  for (const arm of arms) {
    const points = scoreOf(level, arm);
    if (points > most) [best, most] = [arm, points];
  }
  return best;
}

function canHold(arm: SchemaNode, node: Node): boolean {
  if (arm.kind === 'any') return true;
  if (node.kind === 'array') return arm.kind === 'array' || arm.kind === 'object';
  return arm.kind === 'object' || (arm.kind === 'array' && objectBranch(arm.items) !== undefined);
}

/** Fields that fit speak for an arm; a value that cannot be the field's, and unknown keys, against it. */
function scoreOf(level: Level, arm: SchemaNode): number {
  const object = objectOf(arm);
  if (object === undefined) return 0.1;
  const score = level.scores.get(arm) ?? { points: 0, seen: 0 };
  level.scores.set(arm, score);
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

/** What the members of an object go by: the arm, or the items of a list it is the only item of. */
export function objectOf(arm: SchemaNode | undefined): ObjectSchema | undefined {
  if (arm?.kind === 'array') return objectBranch(arm.items);
  return arm?.kind === 'object' ? arm : undefined;
}

function objectBranch(schema: SchemaNode): ObjectSchema | undefined {
  const arms = armsOf(schema).filter((arm) => arm.kind === 'object');
  return arms.length === 1 ? arms[0] : undefined;
}
