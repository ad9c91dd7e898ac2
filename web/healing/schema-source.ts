// The schema as the user edits it: its text, and the schema or the problem with its line.

import { computed, signal } from '@preact/signals';
import type { JsonSchema } from '../../src/heal/index.ts';
import { engine } from './engine.ts';
import { JsonSyntaxError, parsePlaced } from './json-place.ts';

export const schemaText = signal('');

export type SchemaState =
  | { readonly schema: JsonSchema; readonly problem?: undefined }
  | { readonly schema?: undefined; readonly problem: SchemaProblem };

export interface SchemaProblem {
  readonly message: string;
  /** From 1; undefined if the problem has no place. */
  readonly line?: number;
}

/** Returns the problem of a schema, if it has one. */
export type SchemaCheck = (schema: JsonSchema) => string | undefined;

export const schemaState = computed(() => readSchema(schemaText.value, engine.value?.checkSchema));

export function readSchema(text: string, check: SchemaCheck | undefined): SchemaState {
  try {
    const { value, lines } = parsePlaced(text);
    const message = check?.(value as JsonSchema);
    return message === undefined ? { schema: value as JsonSchema } : { problem: withLine(message, lines) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { problem: { message: error.message, line: error.line } };
    throw error;
  }
}

/** Messages name the place as a JSON pointer. */
function withLine(message: string, lines: ReadonlyMap<string, number>): SchemaProblem {
  const pointer = /at (#\S*)/.exec(message)?.[1];
  const line = pointer === undefined ? undefined : lines.get(pointer);
  return { message, ...(line === undefined ? {} : { line }) };
}
