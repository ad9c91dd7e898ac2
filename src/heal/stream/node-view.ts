// Computes what a single node shows in the partial value. A complete node shows its final value, as far as stream rules
// allow; an open scalar shows its text so far.

import { fieldOf } from '../coerce/candidate.ts';
import { objectOf } from './union-branch.ts';
import { createLevel, chooseBranch, isWithheld, itemSchema, putMember, type ViewLevel } from './view-level.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { Node } from '../parse/node.ts';
import { branchesOf, isPlainString, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';
import { absent, hasStreamRules, withState, type VisibleValue } from './visibility.ts';

/** Only a string is visible before it is complete. */
export function scalarView(node: Node, declared: SchemaNode): VisibleValue {
  if (node.complete) return completeView(node, declared);
  if (node.kind !== 'string' || declared.stream.done) return withState(declared, absent, 'incomplete');
  const branch = branchesOf(declared).find((each) => isPlainString(each) || each.kind === 'any');
  return withState(declared, branch === undefined || branch.stream.done ? absent : node.value, 'incomplete');
}

/** Returns what a complete node shows: its value, as far as stream rules allow. */
export function completeView(node: Node, declared: SchemaNode): VisibleValue {
  return isSimple(node, declared) ? simpleView(node, declared) : containerView(node, declared);
}

/** Whether the node shows exactly its value, because it is a scalar or no stream rule applies inside it. */
function isSimple(node: Node, declared: SchemaNode): boolean {
  if (declared.kind === 'any' || (node.kind !== 'object' && node.kind !== 'array')) return true;
  return !hasStreamRules(declared) && resultOf(node, declared) !== null;
}

function simpleView(node: Node, declared: SchemaNode): VisibleValue {
  if (declared.kind === 'any') return node.value;
  const result = resultOf(node, declared);
  return withState(declared, result === null ? absent : result.value, 'complete');
}

/** A container being visited, and what its children show so far. */
interface ContainerVisit {
  readonly level: ViewLevel;
  readonly items: VisibleValue[];
  next: number;
}

/** Iterative, because the text decides how deep the nesting is. */
function containerView(node: Node, declared: SchemaNode): VisibleValue {
  const path: ContainerVisit[] = [descend(node, declared)];
  for (;;) {
    const top = path.at(-1) as ContainerVisit;
    const child = top.level.node.children[top.next];
    const childSchema = child === undefined ? undefined : schemaOf(top);
    if (child !== undefined && childSchema !== undefined && !isSimple(child, childSchema)) {
      path.push(descend(child, childSchema));
      continue;
    }
    if (child !== undefined) {
      take(top, childSchema === undefined ? absent : simpleView(child, childSchema));
      continue;
    }
    const shown = withState(top.level.declared, finish(top), 'complete');
    path.pop();
    const parent = path.at(-1);
    if (parent === undefined) return shown;
    take(parent, shown);
  }
}

/** If the branch is undecided or accepts anything, the children are skipped and the container's own value is used. */
function descend(node: Node, declared: SchemaNode): ContainerVisit {
  const level = createLevel(node, declared, undefined);
  chooseBranch(level);
  const isOpaque = level.branch === undefined || level.branch.kind === 'any';
  return { level, items: [], next: isOpaque ? node.children.length : 0 };
}

/** The schema of the child that is visited next. */
function schemaOf({ level, next }: ContainerVisit): SchemaNode | undefined {
  const { node, branch } = level;
  if (node.kind === 'array') return itemSchema(branch as SchemaNode, next);
  return memberSchema(level, node.keys[next] ?? '');
}

function take(descent: ContainerVisit, shown: VisibleValue): void {
  const { level, items, next } = descent;
  if (level.node.kind === 'object') putMember(level, level.node.keys[next] ?? '', shown);
  else if (shown !== absent) items.push(shown);
  descent.next++;
}

function finish({ level, items }: ContainerVisit): VisibleValue {
  const { node, branch, declared } = level;
  if (branch === undefined) return resultOf(node, declared)?.value ?? absent;
  if (branch.kind === 'any') return node.value;
  if (node.kind === 'object') return isWithheld(level) ? absent : level.value;
  return branch.kind === 'array' ? items : (items.at(-1) ?? absent);
}

function memberSchema(level: ViewLevel, key: string): SchemaNode | undefined {
  const schema = objectOf(level.branch) as ObjectSchema;
  return fieldOf(schema, key)?.schema ?? schema.rest;
}

/** Adds a complete child to its object and returns what it shows. */
export function includeMember(level: ViewLevel, key: string, child: Node): VisibleValue {
  const declared = memberSchema(level, key);
  const shown = declared === undefined ? absent : completeView(child, declared);
  putMember(level, key, shown);
  return shown;
}
