// Interprets single JSON Schema keywords.

import type { JsonSchema } from './schema.ts';

/** Keywords that decide how a text is read. All others are annotations, or limits that validation checks. */
const shapingKeywords: ReadonlySet<string> = new Set([
  'type',
  'nullable',
  'enum',
  'const',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'required',
  'items',
  'prefixItems',
  'additionalItems',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);

export function isShaping(key: string): boolean {
  return shapingKeywords.has(key);
}

/** Also looks into union branches, because zod puts the metadata of the inner schema of `.nullable()` there. */
export function aliasesOf(property: unknown): string[] {
  if (!isRecord(property)) return [];
  const branches = property['anyOf'] ?? property['oneOf'];
  const inner = Array.isArray(branches)
    ? branches.flatMap((branch) => (isRecord(branch) ? toStrings(branch['x-alias']) : []))
    : [];
  return [...toStrings(property['x-alias']), ...inner];
}

export function impliedType(schema: JsonSchema): string | undefined {
  if ('properties' in schema || 'additionalProperties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('pattern' in schema || 'minLength' in schema || 'maxLength' in schema) return 'string';
  return 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema ? 'number' : undefined;
}

/** The keywords beside `anyOf` or `oneOf`, which apply to every branch; `undefined` if there are none. */
export function sharedKeywords(schema: JsonSchema): JsonSchema | undefined {
  const own = Object.entries(schema).filter(([key]) => isShaping(key) && key !== 'anyOf' && key !== 'oneOf');
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

export function toStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
