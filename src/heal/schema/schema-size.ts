// How large a schema is, before anything is made of it. The walk is iterative and ends at the first limit it meets.

import { HealError } from '../report/error.ts';

/** In characters of its JSON text. */
export const maxSchemaCharacters = 1_000_000;

/** Objects and booleans: every subschema is one of the two. */
export const maxSchemaNodes = 20_000;

export interface SchemaTraits {
  /** It has a regular expression somewhere, or a property of such a name. */
  readonly hasPattern: boolean;
}

/** Throws `schema-too-complex` for a schema over a limit. Parts that occur twice by identity count once. */
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
