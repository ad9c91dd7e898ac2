// The rules for schemas the OpenAI API enforces itself (`strict: true`): every object is closed and requires all its
// properties. Without `strict`, only the outermost type is looked at.

import { isRecord } from '../core/json.ts';
import { quote, refuse } from './refusal.ts';

type Keywords = Readonly<Record<string, unknown>>;

export interface SchemaSubject {
  /** `response_format 'name'`. */
  readonly title: string;
  readonly field: string;
  readonly code?: string;
}

export function checkStrictSchema(schema: Keywords, subject: SchemaSubject, strict: boolean): void {
  if (schema['type'] !== 'object') {
    const found = schema['type'] === undefined ? 'None' : quote(schema['type']);
    complain(subject, `schema must be a JSON Schema of 'type: "object"', got 'type: "${found}"'.`);
  }
  if (strict) checkNode(schema, [], subject);
}

function checkNode(schema: unknown, context: readonly string[], subject: SchemaSubject): void {
  if (!isRecord(schema)) return;
  if (schema['type'] === 'object' || isRecord(schema['properties'])) checkObject(schema, context, subject);
  for (const keyword of ['properties', '$defs', 'definitions']) {
    for (const [name, part] of Object.entries(isRecord(schema[keyword]) ? schema[keyword] : {})) {
      checkNode(part, [...context, keyword, name], subject);
    }
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    if (!Array.isArray(schema[keyword])) continue;
    for (const [index, part] of schema[keyword].entries())
      checkNode(part, [...context, keyword, String(index)], subject);
  }
  checkNode(schema['items'], [...context, 'items'], subject);
}

function checkObject(schema: Keywords, context: readonly string[], subject: SchemaSubject): void {
  const place = `In context=(${context.map((part) => `'${part}'`).join(', ')}${context.length === 1 ? ',' : ''}),`;
  if (schema['additionalProperties'] !== false) {
    complain(subject, `${place} 'additionalProperties' is required to be supplied and to be false.`);
  }
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const names = Object.keys(isRecord(schema['properties']) ? schema['properties'] : {});
  const absent = names.find((name) => !required.has(name));
  if (absent !== undefined) {
    complain(
      subject,
      `${place} 'required' is required to be supplied and to be an array including every key in properties. Missing '${absent}'.`,
    );
  }
}

function complain({ title, field, code }: SchemaSubject, problem: string): never {
  return refuse(`Invalid schema for ${title}: ${problem}`, { field, ...(code === undefined ? {} : { code }) });
}
