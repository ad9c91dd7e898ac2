// Limits the size of a schema before it is compiled. The walk is iterative and stops at the first limit it exceeds.

import { HealError } from '../report/error.ts';

/** Length of the schema as JSON text. */
export const maxSchemaCharacters = 1_000_000;

/** Number of objects and booleans in the schema. Every subschema is one of the two. */
export const maxSchemaNodes = 20_000;

export interface SchemaTraits {
  /** Whether the schema uses `pattern` or `patternProperties`, as a keyword or as a property name. */
  readonly hasPattern: boolean;
}

/** Throws `schema-too-complex` if the schema exceeds a limit. A part that is used twice by reference counts once. */
export function checkSchemaSize(schema: unknown): SchemaTraits {
  let [characters, nodes, hasPattern] = [0, 0, false];
  const seen = new Set<unknown>([schema]);
  for (const value of seen) {
    characters += 2;
    if (!Array.isArray(value)) nodes++;
    for (const key in value as object) {
      const part = (value as Record<string, unknown>)[key];
      characters += lengthOf(part) + (Array.isArray(value) ? 1 : key.length + 4);
      hasPattern ||= key === 'pattern' || key === 'patternProperties';
      if (typeof part === 'boolean') nodes++;
      else if (typeof part === 'object' && part !== null) seen.add(part);
    }
    if (nodes > maxSchemaNodes) throw tooComplex(`has more than ${maxSchemaNodes} nodes`);
    if (characters > maxSchemaCharacters) throw tooComplex(`is longer than ${maxSchemaCharacters} characters`);
  }
  return { hasPattern };
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' ? 0 : 4;
}

export function tooComplex(problem: string): HealError {
  return new HealError('schema-too-complex', `the schema ${problem}; use a smaller one`);
}
