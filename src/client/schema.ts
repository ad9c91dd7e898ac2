// A user's schema as it goes to the model: JSON Schema without what is said to healing alone.

import { SimpleAgentsError } from '../core/error.ts';
import { isRecord, type JsonSchema } from '../core/json.ts';
import type { ResponseFormat } from '../core/request.ts';
import { HealError, type SchemaInput } from '../heal/index.ts';
import { toTarget, toJsonSchema } from '../heal/standard.ts';

/** Throws `bad-request` for a schema that cannot be used, before anything is asked. */
export function toResponseFormat(schema: SchemaInput): ResponseFormat {
  try {
    toTarget(schema);
    return { type: 'json-schema', schema: withoutAnnotations(toJsonSchema(schema)) as JsonSchema };
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    throw new SimpleAgentsError('bad-request', `schema: ${error.message}`, { cause: error, field: 'schema' });
  }
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
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-') && keyword !== '$schema');
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (parts.has(keyword)) return [keyword, withoutAnnotations(value)];
      return [keyword, holders.has(keyword) && isRecord(value) ? eachWithout(value) : value];
    }),
  );
}

function eachWithout(schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutAnnotations(schema)]));
}
