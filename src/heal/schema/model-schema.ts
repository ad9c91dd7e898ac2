// Converts a user's schema for two consumers: the model gets it without annotations, healing in the gateway gets it
// with aliases.

import { isRecord } from './keyword.ts';
import type { JsonSchema } from './schema.ts';
import { toJsonSchema, toTarget, type SchemaInput } from './schema-input.ts';

/** Throws `HealError` if the schema cannot be used, before a request is sent. */
export function toModelSchema(schema: SchemaInput): JsonSchema {
  toTarget(schema);
  return withoutAnnotations(toJsonSchema(schema), isForModel) as JsonSchema;
}

/** The model's schema plus the aliases of its fields; `undefined` if there are none. */
export function toAliasSchema(schema: SchemaInput): JsonSchema | undefined {
  let hasAlias = false;
  const aliased = withoutAnnotations(toJsonSchema(schema), (keyword) => {
    if (keyword === 'x-alias') hasAlias = true;
    return keyword === 'x-alias' || isForModel(keyword);
  });
  return hasAlias ? (aliased as JsonSchema) : undefined;
}

function isForModel(keyword: string): boolean {
  return !keyword.startsWith('x-') && keyword !== '$schema';
}

/** The keywords below contain schemas. The values of all other keywords are data. */
const schemaMaps: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const schemaKeywords: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'propertyNames',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
]);

type KeywordFilter = (keyword: string) => boolean;

function withoutAnnotations(schema: unknown, keeps: KeywordFilter): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutAnnotations(each, keeps));
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => keeps(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (schemaKeywords.has(keyword)) return [keyword, withoutAnnotations(value, keeps)];
      return [keyword, schemaMaps.has(keyword) && isRecord(value) ? mapSchemas(value, keeps) : value];
    }),
  );
}

function mapSchemas(schemas: JsonSchema, keeps: KeywordFilter): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutAnnotations(schema, keeps)]));
}
