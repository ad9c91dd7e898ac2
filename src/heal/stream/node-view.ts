// What a node shows by itself: a complete one its final value, or as much of it as there is; an open scalar its text.

import { fieldOf } from '../coerce/candidate.ts';
import { objectOf } from '../coerce/union-branch.ts';
import { createLevel, decideArm, isWithheld, itemSchema, putMember, type Level } from './level.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { Node } from '../parse/node.ts';
import { armsOf, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';
import { absent, hasRules, rule, type Shown } from './visibility.ts';

/** A scalar that is being read: only a text shows before it is complete. */
export function scalarView(node: Node, declared: SchemaNode): Shown {
  if (node.complete) return completeView(node, declared);
  if (node.kind !== 'string' || declared.stream.done) return rule(declared, absent, 'incomplete');
  const arm = armsOf(declared).find((each) => (each.kind === 'string' && !each.isDate) || each.kind === 'any');
  return rule(declared, arm === undefined || arm.stream.done ? absent : node.value, 'incomplete');
}

/** What a complete node shows: its final value, or as much of it as there is. */
export function completeView(node: Node, declared: SchemaNode): Shown {
  return isSimple(node, declared) ? simpleView(node, declared) : containerView(node, declared);
}

/** Its value is all it shows: it is a scalar, or no rule stands anywhere in it. */
function isSimple(node: Node, declared: SchemaNode): boolean {
  if (declared.kind === 'any' || (node.kind !== 'object' && node.kind !== 'array')) return true;
  return !hasRules(declared) && resultOf(node, declared) !== null;
}

function simpleView(node: Node, declared: SchemaNode): Shown {
  if (declared.kind === 'any') return node.value;
  const result = resultOf(node, declared);
  return rule(declared, result === null ? absent : result.value, 'complete');
}

/** A container on the way down, and what its children show as far as they have been looked at. */
interface Descent {
  readonly level: Level;
  readonly items: Shown[];
  next: number;
}

/** By hand, not by recursion: the text decides how deep it goes. */
function containerView(node: Node, declared: SchemaNode): Shown {
  const path: Descent[] = [descend(node, declared)];
  for (;;) {
    const top = path.at(-1) as Descent;
    const child = top.level.node.children[top.next];
    const host = child === undefined ? undefined : schemaOf(top);
    if (child !== undefined && host !== undefined && !isSimple(child, host)) {
      path.push(descend(child, host));
      continue;
    }
    if (child !== undefined) {
      take(top, host === undefined ? absent : simpleView(child, host));
      continue;
    }
    const shown = rule(top.level.declared, finish(top), 'complete');
    path.pop();
    const parent = path.at(-1);
    if (parent === undefined) return shown;
    take(parent, shown);
  }
}

/** Where what it is read as has no children to look at, it goes by its own value. */
function descend(node: Node, declared: SchemaNode): Descent {
  const level = createLevel(node, declared, undefined);
  decideArm(level);
  const isWhole = level.arm === undefined || level.arm.kind === 'any';
  return { level, items: [], next: isWhole ? node.children.length : 0 };
}

/** The schema of the child that is looked at. */
function schemaOf({ level, next }: Descent): SchemaNode | undefined {
  const { node, arm } = level;
  if (node.kind === 'array') return itemSchema(arm as SchemaNode, next);
  return memberSchema(level, node.keys[next] ?? '');
}

function take(descent: Descent, shown: Shown): void {
  const { level, items, next } = descent;
  if (level.node.kind === 'object') putMember(level, level.node.keys[next] ?? '', shown);
  else if (shown !== absent) items.push(shown);
  descent.next++;
}

function finish({ level, items }: Descent): Shown {
  const { node, arm, declared } = level;
  if (arm === undefined) return resultOf(node, declared)?.value ?? absent;
  if (arm.kind === 'any') return node.value;
  if (node.kind === 'object') return isWithheld(level) ? absent : level.value;
  return arm.kind === 'array' ? items : (items.at(-1) ?? absent);
}

function memberSchema(level: Level, key: string): SchemaNode | undefined {
  const schema = objectOf(level.arm) as ObjectSchema;
  return fieldOf(schema, key)?.schema ?? schema.rest;
}

/** Puts a complete child where it belongs; gives what it shows as. */
export function placeMember(level: Level, key: string, child: Node): Shown {
  const declared = memberSchema(level, key);
  const shown = declared === undefined ? absent : completeView(child, declared);
  putMember(level, key, shown);
  return shown;
}
