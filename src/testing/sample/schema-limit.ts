// Limits the size of schemas that the simulated model reads. Checked before anything recurses into a schema, because even
// `JSON.stringify` fails on a schema nested thousands of levels deep. The check is iterative and linear.

import { SimpleAgentsError } from '../../core/error.ts';
import { isOpaqueTool, type ChatRequest } from '../../core/request.ts';

/** Levels of JSON. A property of an object schema is two levels below it. */
const mostLevels = 1000;
/** Objects, lists and booleans. */
const mostParts = 50_000;
/** Keys and strings together. */
const mostSchemaCharacters = 1_000_000;

/** Describes why the schema is too large; undefined if it is not. */
export function schemaSizeProblem(schema: unknown): string | undefined {
  let [parts, characters] = [0, 0];
  const open: { readonly value: unknown; readonly level: number }[] = [{ value: schema, level: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level } = next;
    if (level > mostLevels) return `the schema is nested deeper than ${mostLevels} levels`;
    for (const key in value as object) {
      const part = (value as Record<string, unknown>)[key];
      characters += key.length + (typeof part === 'string' ? part.length : 1);
      if (typeof part === 'object' && part !== null) open.push({ value: part, level: level + 1 });
      if (typeof part === 'object' || typeof part === 'boolean') parts += 1;
      if (parts > mostParts) return `the schema has more than ${mostParts} parts`;
      if (characters > mostSchemaCharacters) return `the schema is longer than ${mostSchemaCharacters} characters`;
    }
  }
  return undefined;
}

/** Throws `bad-request` for a request with a schema that is too large. */
export function checkSchemas({ responseFormat, tools = [] }: ChatRequest): void {
  if (responseFormat?.type === 'json-schema') check(responseFormat.schema, 'response_format', 'response_format');
  for (const tool of tools) {
    if (!isOpaqueTool(tool)) check(tool.inputSchema, toolSubject(tool.name), 'tools');
  }
}

/** The name of a tool's schema in messages. */
export function toolSubject(name: string): string {
  return `tools: parameters of "${name}"`;
}

function check(schema: unknown, subject: string, field: string): void {
  const problem = schemaSizeProblem(schema);
  if (problem !== undefined)
    throw new SimpleAgentsError('bad-request', `${subject}: ${problem}; use a smaller schema`, { field });
}
