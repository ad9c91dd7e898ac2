// Whether a parsed value already is what its schema says, to the letter: then it is passed on untouched. The quick
// way for well-behaved answers; anything doubtful, and anything deep, is left to the coercion.

import type { ObjectSchema, SchemaNode } from './schema.ts';

/** Deeper values take the other way, which does not recurse. */
const deepest = 400;

export function fits(schema: SchemaNode, value: unknown, depth = 0): boolean {
  switch (schema.kind) {
    case 'any':
      return true;
    case 'never':
      return false;
    case 'string':
      return typeof value === 'string' && !schema.isDate;
    case 'number':
      return (
        typeof value === 'number' &&
        !schema.big &&
        Number.isFinite(value) &&
        (!schema.integer || Number.isSafeInteger(value))
      );
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'enum':
      return schema.values.includes(value);
    case 'union':
      // Counted as depth too: unions may be made of each other.
      return depth < deepest && schema.arms.some((arm) => fits(arm, value, depth + 1));
    case 'array':
      return (
        Array.isArray(value) &&
        depth < deepest &&
        value.every((item, index) => fits(schema.prefix[index] ?? schema.items, item, depth + 1))
      );
    case 'object':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        depth < deepest &&
        fitsObject(schema, value as Record<string, unknown>, depth)
      );
  }
}

function fitsObject(schema: ObjectSchema, value: Record<string, unknown>, depth: number): boolean {
  let found = 0;
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    const field = schema.fields.get(key);
    if (field === undefined) {
      if (schema.rest === undefined || schema.names !== undefined || !fits(schema.rest, value[key], depth + 1))
        return false;
    } else {
      if (!fits(field.schema, value[key], depth + 1)) return false;
      found++;
    }
  }
  if (found === schema.fields.size) return true;
  for (const field of schema.fields.values()) {
    if ((field.required || field.schema.hasDefault) && !Object.hasOwn(value, field.name)) return false;
  }
  return true;
}
