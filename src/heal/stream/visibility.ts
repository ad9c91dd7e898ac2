// What a place shows in the value so far: a value, or nothing yet. Knows the rules a schema sets for that, and no text.

import type { SchemaNode } from '../schema/schema.ts';

export type NodeState = 'pending' | 'incomplete' | 'complete';

/** A place with a `with-state` rule. */
export interface WithState {
  readonly value: unknown;
  readonly state: NodeState;
}

/** Nothing to show. */
export const absent = Symbol('absent');
export type VisibleValue = unknown;

/** What the place shows, given what its value does. */
export function withState(declared: SchemaNode, shown: VisibleValue, state: NodeState): VisibleValue {
  if (!declared.stream.state) return shown;
  return shown === absent
    ? ({ value: null, state: 'pending' } satisfies WithState)
    : ({ value: shown, state } satisfies WithState);
}

const withRules = new WeakMap<SchemaNode, boolean>();

/** Whether a stream rule stands anywhere in the schema. */
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
