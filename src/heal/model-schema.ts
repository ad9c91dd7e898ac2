// A user's schema as it goes to a model: JSON Schema without what is said to healing alone.

import type { JsonSchema } from './schema.ts';
import { toJsonSchema, toTarget, type SchemaInput } from './standard.ts';

/** Throws `HealError` for a schema that cannot be used, before anything is asked. */
export function toModelSchema(schema: SchemaInput): JsonSchema {
  toTarget(schema);
  return withoutAnnotations(toJsonSchema(schema)) as JsonSchema;
}

/** Keywords whose members are schemas; under any other keyword stands data. */
const holders: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const parts: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'propertyNames',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
]);

function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-') && keyword !== '$schema');
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (parts.has(keyword)) return [keyword, withoutAnnotations(value)];
      return [keyword, holders.has(keyword) && isObject(value) ? eachWithout(value) : value];
    }),
  );
}

function eachWithout(schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutAnnotations(schema)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
