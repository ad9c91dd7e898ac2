// What is certain of a node before it is complete, for senders that cannot take text back.

import { fieldOf } from './candidate.ts';
import { resultOf } from './measured.ts';
import type { Node } from './node.ts';
import { armsOf, type ObjectSchema, type SchemaNode } from './schema.ts';

/** Whether an open node can only be what its schema says, so that its beginning may be sent. */
export function isCertain(node: Node, schema: SchemaNode): boolean {
  if (node.kind === 'string') return armsBesideNull(schema).every((arm) => arm.kind === 'string' && !arm.isDate);
  if (node.kind === 'array') {
    const arms = armsBesideNull(schema);
    return arms.length === 1 && arms[0]?.kind === 'array';
  }
  const arm = certainArm(node, schema);
  return arm?.kind === 'object' && node.keys.some((key) => fieldOf(arm, key) !== undefined || arm.rest !== undefined);
}

/** The only arm there is, or the only one whose constant members the node has. */
export function certainArm(node: Node, schema: SchemaNode): SchemaNode | undefined {
  const arms = armsBesideNull(schema);
  if (arms.length === 1) return arms[0];
  const fitting = arms.filter((arm) => arm.kind === 'object' && hasConstants(node, arm));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function armsBesideNull(schema: SchemaNode): SchemaNode[] {
  return armsOf(schema).filter((arm) => arm.kind !== 'null');
}

function hasConstants(node: Node, arm: ObjectSchema): boolean {
  return node.children.some((child, index) => {
    const field = fieldOf(arm, node.keys[index] ?? '');
    return field?.schema.kind === 'enum' && child.complete && resultOf(child, field.schema) !== null;
  });
}
