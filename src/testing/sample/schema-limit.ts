// How large a schema the simulated model reads at all. Checked before anything recurses into it: not even
// `JSON.stringify` works on a schema nested some thousand levels deep. The walk is iterative and linear.

import { SimpleAgentsError } from '../../core/error.ts';
import { isOpaqueTool, type ChatRequest } from '../../core/request.ts';

/** In levels of JSON: a property of an object is two levels below it. */
const mostLevels = 1000;
/** Objects, lists and booleans. */
const mostParts = 50_000;
/** Of keys and texts together. */
const mostSchemaCharacters = 1_000_000;

/** What is wrong with the schema's size; nothing for a schema that can be read. */
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

/** How messages call the schema of a tool. */
export function toolSubject(name: string): string {
  return `tools: parameters of "${name}"`;
}

function check(schema: unknown, subject: string, field: string): void {
  const problem = schemaSizeProblem(schema);
  if (problem !== undefined)
    throw new SimpleAgentsError('bad-request', `${subject}: ${problem}; use a smaller one`, { field });
}
