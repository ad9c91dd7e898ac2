// The schemas of Google's wire that are not JSON Schema: types in capitals, `nullable`, an order of the members, and
// limits that are written as strings. They become JSON Schema, which the wire also accepts.

import { isRecord, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';

const limits = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);

export function toJsonSchema(schema: JsonObject): JsonSchema {
  const { nullable, propertyOrdering, type, ...rest } = schema;
  const members = Object.entries(rest).map(([name, value]) => [name, convert(name, value)] as const);
  const result: Record<string, JsonValue | undefined> = {
    ...(type === undefined || type === 'TYPE_UNSPECIFIED' ? {} : { type: typeOf(type, nullable === true) }),
    ...Object.fromEntries(members),
  };
  if (isRecord(result['properties']) && Array.isArray(propertyOrdering))
    result['properties'] = reordered(result['properties'], propertyOrdering);
  return result;
}

function typeOf(type: JsonValue, isNullable: boolean): JsonValue {
  const name = typeof type === 'string' ? type.toLowerCase() : type;
  return isNullable && typeof name === 'string' ? [name, 'null'] : name;
}

function convert(name: string, value: JsonValue | undefined): JsonValue | undefined {
  if (limits.has(name)) return Number(value);
  if (name === 'anyOf' && Array.isArray(value)) return value.map(convertInner);
  if (!isRecord(value)) return value;
  if (name === 'items' || name === 'additionalProperties') return toJsonSchema(value);
  if (name !== 'properties' && name !== 'defs' && name !== '$defs') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convertInner(inner)]));
}

/** What is not a schema is left to the check of the schema. */
function convertInner(schema: JsonValue | undefined): JsonValue {
  return isRecord(schema) ? toJsonSchema(schema) : (schema ?? null);
}

/** Models write the members in the order of the schema. */
function reordered(properties: JsonObject, order: readonly JsonValue[]): JsonObject {
  const first = order.filter((name): name is string => typeof name === 'string' && Object.hasOwn(properties, name));
  return { ...Object.fromEntries(first.map((name) => [name, properties[name]])), ...properties };
}
