// Validates schemas as the OpenAI API does. With `strict: true`, every object must be closed and require all its
// properties. Without `strict`, only the outermost type is checked.

import { isRecord } from '../../core/json.ts';
import type { Keywords } from '../sample/schema-keywords.ts';
import { schemaSizeProblem } from '../sample/schema-limit.ts';
import { quote, throwApiError } from './api-error.ts';

export interface SchemaSubject {
  /** `response_format 'name'`. */
  readonly title: string;
  readonly field: string;
  readonly code?: string;
}

export function checkStrictSchema(schema: Keywords, subject: SchemaSubject, strict: boolean): void {
  if (schema['type'] !== 'object') {
    const found = schema['type'] === undefined ? 'None' : quote(schema['type']);
    throwSchemaError(subject, `schema must be a JSON Schema of 'type: "object"', got 'type: "${found}"'.`);
  }
  const problem = schemaSizeProblem(schema);
  if (problem !== undefined) throwSchemaError(subject, `${problem}.`);
  if (strict) checkNodes(schema, subject);
}

/** A subschema and its path of keywords and names. */
interface SubschemaEntry {
  readonly schema: unknown;
  readonly context: SchemaContext | undefined;
}

/** A linked list, so that a deep schema needs no copies. */
interface SchemaContext {
  readonly parts: readonly string[];
  readonly outer: SchemaContext | undefined;
}

/** Iterative. A schema is checked before its parts, and the parts in order. */
function checkNodes(root: Keywords, subject: SchemaSubject): void {
  const open: SubschemaEntry[] = [{ schema: root, context: undefined }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { schema, context } = node;
    if (!isRecord(schema)) continue;
    if (schema['type'] === 'object' || isRecord(schema['properties'])) checkObject(schema, context, subject);
    for (const child of childrenOf(schema, context).toReversed()) open.push(child);
  }
}

function childrenOf(schema: Keywords, outer: SchemaContext | undefined): SubschemaEntry[] {
  const nodes: SubschemaEntry[] = [];
  for (const keyword of ['properties', '$defs', 'definitions', 'anyOf', 'oneOf', 'allOf']) {
    const parts = schema[keyword];
    if (Array.isArray(parts) !== keyword.endsWith('Of') || typeof parts !== 'object' || parts === null) continue;
    for (const [name, part] of Object.entries(parts)) {
      nodes.push({ schema: part, context: { parts: [keyword, name], outer } });
    }
  }
  nodes.push({ schema: schema['items'], context: { parts: ['items'], outer } });
  return nodes;
}

function partsOf(context: SchemaContext | undefined): readonly string[] {
  const parts: string[] = [];
  for (let current = context; current !== undefined; current = current.outer) parts.unshift(...current.parts);
  return parts;
}

function checkObject(schema: Keywords, context: SchemaContext | undefined, subject: SchemaSubject): void {
  if (schema['additionalProperties'] !== false) {
    throwSchemaError(
      subject,
      `${describe(context)} 'additionalProperties' is required to be supplied and to be false.`,
    );
  }
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const names = Object.keys(isRecord(schema['properties']) ? schema['properties'] : {});
  const absent = names.find((name) => !required.has(name));
  if (absent !== undefined) {
    throwSchemaError(
      subject,
      `${describe(context)} 'required' is required to be supplied and to be an array including every key in properties. Missing '${absent}'.`,
    );
  }
}

function describe(context: SchemaContext | undefined): string {
  const parts = partsOf(context);
  return `In context=(${parts.map((part) => `'${part}'`).join(', ')}${parts.length === 1 ? ',' : ''}),`;
}

function throwSchemaError({ title, field, code }: SchemaSubject, problem: string): never {
  return throwApiError(`Invalid schema for ${title}: ${problem}`, { field, ...(code === undefined ? {} : { code }) });
}
