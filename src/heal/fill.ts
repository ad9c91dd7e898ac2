// What stands in for a value that is missing.

import { armsOf, type SchemaNode } from './schema.ts';

/** The default, else null if allowed, else an empty list or map; nothing if none will do. */
export function fillOf(
  schema: SchemaNode,
): { value: unknown; kind: 'used-default-value' | 'used-null-value' | 'used-empty-value' } | undefined {
  if (schema.hasDefault) return { value: defaultOf(schema), kind: 'used-default-value' };
  const arms = armsOf(schema);
  if (arms.some((arm) => arm.kind === 'null' || (arm.kind === 'enum' && arm.values.includes(null)))) {
    return { value: null, kind: 'used-null-value' };
  }
  if (arms.some((arm) => arm.kind === 'array' && arm.prefix.length === 0))
    return { value: [], kind: 'used-empty-value' };
  if (arms.some((arm) => arm.kind === 'object' && arm.fields.size === 0))
    return { value: {}, kind: 'used-empty-value' };
  return undefined;
}

/** JSON Schema writes a date, and ours a bigint, as text. */
function defaultOf(schema: SchemaNode): unknown {
  const value = schema.default;
  if (typeof value !== 'string') return structuredClone(value);
  const [kind] = armsOf(schema).filter((arm) => arm.kind !== 'null');
  if (kind?.kind === 'string' && kind.isDate) return new Date(value);
  return kind?.kind === 'number' && kind.big ? BigInt(value) : value;
}
