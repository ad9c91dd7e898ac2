// Which keywords of a JSON Schema contain schemas, in every draft.

import { isRecord } from './keyword.ts';
import type { JsonSchema } from './schema.ts';

/** Keywords with a schema for each name. */
const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Keywords whose values are data, even if they look like a schema. */
const dataKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'example', 'x-default']);

/** Keywords that contain one schema or a list of schemas. */
const schemaKeywords: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
]);

/** A schema inside another one. */
export interface Subschema {
  readonly schema: JsonSchema;
  /** The keyword and, where it holds several schemas, the name or index. */
  readonly keys: readonly string[];
  /** False inside an unknown keyword: only a reference makes a schema of it. */
  readonly isKnown: boolean;
}

/** The schemas directly inside a schema. Unknown keywords count, because a reference may point into them. */
export function subschemasOf(schema: JsonSchema): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const kind = kindOf(keyword, value);
    if (kind === 'data') return [];
    const isKnown = schemaMaps.has(keyword) || schemaKeywords.has(keyword);
    if (kind === 'schema') return [{ schema: value as JsonSchema, keys: [keyword], isKnown }];
    return Object.entries(value as object).flatMap(([name, member]) =>
      isRecord(member) ? [{ schema: member, keys: [keyword, name], isKnown }] : [],
    );
  });
}

/** A copy in which each schema directly inside is replaced by the next one of `replacements`. */
export function replaceSubschemas(schema: JsonSchema, replacements: readonly JsonSchema[]): Record<string, unknown> {
  let next = 0;
  const replace = (member: unknown): unknown => (isRecord(member) ? replacements[next++] : member);
  return mapMembers(schema, (value, keyword) => {
    const kind = kindOf(keyword, value);
    if (kind === 'data') return value;
    if (kind === 'schema') return replace(value);
    return Array.isArray(value) ? value.map(replace) : mapMembers(value as JsonSchema, replace);
  });
}

/** What a keyword's value is. */
function kindOf(keyword: string, value: unknown): 'data' | 'schema' | 'several' {
  if (typeof value !== 'object' || value === null || dataKeywords.has(keyword)) return 'data';
  return isRecord(value) && !schemaMaps.has(keyword) ? 'schema' : 'several';
}

function mapMembers(members: JsonSchema, change: (value: unknown, key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, change(value, key)]));
}
