// The values that replace missing ones.

import type { HealBudget } from '../budget.ts';
import { branchesOf, type SchemaNode } from '../schema/schema.ts';

export type FillKind = 'used-default-value' | 'used-null-value';

export interface Fill {
  readonly value: unknown;
  readonly kind: FillKind;
}

/** Returns the default, or null if allowed; `undefined` if neither is possible. A missing array is not an empty one. */
export function fillOf(schema: SchemaNode, budget: HealBudget): Fill | undefined {
  switch (fillKindOf(schema)) {
    case 'used-default-value':
      budget.spend(sizeOfDefault(schema));
      return { value: defaultOf(schema), kind: 'used-default-value' };
    case 'used-null-value':
      return { value: null, kind: 'used-null-value' };
    case undefined:
      return undefined;
  }
}

const kinds = new WeakMap<SchemaNode, { readonly kind: FillKind | undefined }>();

export function fillKindOf(schema: SchemaNode): FillKind | undefined {
  if (schema.hasDefault) return 'used-default-value';
  let known = kinds.get(schema);
  if (known === undefined) kinds.set(schema, (known = { kind: findKind(schema) }));
  return known.kind;
}

function findKind(schema: SchemaNode): FillKind | undefined {
  const allowsNull = branchesOf(schema).some(
    (branch) => branch.kind === 'null' || (branch.kind === 'enum' && branch.values.has(null)),
  );
  return allowsNull ? 'used-null-value' : undefined;
}

const sizes = new WeakMap<SchemaNode, number>();

/** Cost of copying the default, in steps. Every object that lacks the field gets its own copy. */
function sizeOfDefault(schema: SchemaNode): number {
  let size = sizes.get(schema);
  if (size === undefined) {
    size = typeof schema.default === 'object' ? 1 + (JSON.stringify(schema.default)?.length ?? 0) / 4 : 1;
    sizes.set(schema, size);
  }
  return size;
}

/** Default dates and bigints are written as strings in the schema. */
function defaultOf(schema: SchemaNode): unknown {
  const value = schema.default;
  if (typeof value !== 'string') return structuredClone(value);
  const kind = branchesOf(schema).find((branch) => branch.kind !== 'null');
  if (kind?.kind === 'string' && kind.isDate) return new Date(value);
  return kind?.kind === 'number' && kind.big ? BigInt(value) : value;
}
