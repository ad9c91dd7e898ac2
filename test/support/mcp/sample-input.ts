// An input for a tool that is made from its schema: the default, the first choice, or a small value of each type.

import { isRecord, type JsonSchema } from '../../../src/core/json.ts';

export function sampleInput(schema: JsonSchema): Record<string, unknown> {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, sampleOf(each)]));
}

const samples: Readonly<Record<string, unknown>> = {
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

function sampleOf(schema: unknown): unknown {
  if (!isRecord(schema)) return 'text';
  if (schema['default'] !== undefined) return schema['default'];
  const [choice] = Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : [];
  return choice ?? samples[String(schema['type'])] ?? 'text';
}
