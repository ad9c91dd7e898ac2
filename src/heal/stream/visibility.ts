// What a node shows in the partial value: a value, or `absent`. Implements the stream rules of a schema.

import type { SchemaNode } from '../schema/schema.ts';

export type NodeState = 'pending' | 'incomplete' | 'complete';

/** A value with the `with-state` rule. */
export interface WithState {
  readonly value: unknown;
  readonly state: NodeState;
}

/** Nothing is visible yet. */
export const absent = Symbol('absent');
export type VisibleValue = unknown;

/** Applies the `with-state` rule, if the schema has it. */
export function withState(declared: SchemaNode, shown: VisibleValue, state: NodeState): VisibleValue {
  if (!declared.stream.state) return shown;
  return shown === absent
    ? ({ value: null, state: 'pending' } satisfies WithState)
    : ({ value: shown, state } satisfies WithState);
}

const withRules = new WeakMap<SchemaNode, boolean>();

/** Whether the schema has a stream rule anywhere. */
export function hasStreamRules(schema: SchemaNode): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const reached = new Set<SchemaNode>([schema]);
  for (const each of reached) for (const part of partsOf(each)) reached.add(part);
  const found = [...reached].some(({ stream }) => stream.done || stream.notNull || stream.state);
  withRules.set(schema, found);
  return found;
}

function partsOf(schema: SchemaNode): SchemaNode[] {
  if (schema.kind === 'union') return schema.branches;
  if (schema.kind === 'array') return [...schema.prefix, schema.items];
  if (schema.kind !== 'object') return [];
  const fields = Array.from(schema.fields.values(), (field) => field.schema);
  return schema.rest === undefined ? fields : [...fields, schema.rest];
}
