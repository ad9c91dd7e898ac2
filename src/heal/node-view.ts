// What a node shows by itself: a complete one its final value, or as much of it as there is; an open scalar its text.

import { fieldOf } from './candidate.ts';
import { objectOf } from './arm.ts';
import { createLevel, decideArm, isWithheld, itemSchema, putMember, type Level } from './level.ts';
import type { Node } from './node.ts';
import { armsOf, type ObjectSchema, type SchemaNode } from './schema.ts';
import { absent, hasRules, resultOf, rule, type Shown } from './shown.ts';

/** A scalar that is being read: only a text shows before it is complete. */
export function scalarView(node: Node, declared: SchemaNode): Shown {
  if (node.complete) return completeView(node, declared);
  if (node.kind !== 'string' || declared.stream.done) return rule(declared, absent, 'incomplete');
  const arm = armsOf(declared).find((each) => (each.kind === 'string' && !each.isDate) || each.kind === 'any');
  return rule(declared, arm === undefined || arm.stream.done ? absent : node.value, 'incomplete');
}

/** What a complete node shows: its final value, or as much of it as there is. */
export function completeView(node: Node, declared: SchemaNode): Shown {
  if (declared.kind === 'any') return node.value;
  const result = resultOf(node, declared);
  if (result !== undefined && !hasRules(declared)) return result.value;
  if (node.kind !== 'object' && node.kind !== 'array')
    return rule(declared, result === undefined ? absent : result.value, 'complete');
  return rule(declared, completeContainer(node, declared), 'complete');
}

function completeContainer(node: Node, declared: SchemaNode): Shown {
  const level = createLevel(node, declared, undefined);
  decideArm(level);
  const { arm } = level;
  if (arm === undefined) return resultOf(node, declared)?.value ?? absent;
  if (node.kind === 'object') {
    for (const [index, child] of node.children.entries()) placeMember(level, node.keys[index] ?? '', child);
    return isWithheld(level) ? absent : level.value;
  }
  const items = node.children.map((child, index) => completeView(child, itemSchema(arm, index)));
  const shown = items.filter((item) => item !== absent);
  return arm.kind === 'array' ? shown : (shown.at(-1) ?? absent);
}

/** Puts a complete child where it belongs; gives what it shows as. */
export function placeMember(level: Level, key: string, child: Node): Shown {
  const schema = objectOf(level.arm) as ObjectSchema;
  const declared = fieldOf(schema, key)?.schema ?? schema.rest;
  const shown = declared === undefined ? absent : completeView(child, declared);
  putMember(level, key, shown);
  return shown;
}
