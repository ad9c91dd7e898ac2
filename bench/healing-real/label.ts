// Labels of real responses: the values that a reader accepts as what the text says, by the id of the text. A text with no
// such value has an empty list. A label is a digest of the value, so that no text is in the repository.

import { createHash } from 'node:crypto';

import { isRecord, type JsonSchema } from '../../src/core/json.ts';

export type Labels = Readonly<Record<string, readonly string[]>>;

/** Weights are fitted on one half of the labelled texts; results are reported on the other. */
export type Half = 'fit' | 'report';

/** By a hash of the id, so that a text stays in its half when others are added. A part of a text, `id#part`, follows it. */
export function halfOf(id: string): Half {
  const [whole = id] = id.split('#');
  return (createHash('sha256').update(whole).digest()[0] ?? 0) % 2 === 0 ? 'fit' : 'report';
}

/** Ignores the order of keys, and keys that the schema does not have: keeping those is not a difference in meaning. */
export function digestOf(value: unknown, schema: JsonSchema): string {
  const text = JSON.stringify(canonical(project(value, schema)));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function project(value: unknown, schema: JsonSchema): unknown {
  const { anyOf, items, properties } = schema;
  if (Array.isArray(anyOf)) return project(value, branchOf(value, anyOf as readonly JsonSchema[]));
  if (Array.isArray(value)) return value.map((item) => project(item, isRecord(items) ? items : {}));
  if (!isRecord(value) || !isRecord(properties)) return value;
  const known = Object.entries(properties).filter(([key]) => Object.hasOwn(value, key));
  return Object.fromEntries(known.map(([key, member]) => [key, project(value[key], isRecord(member) ? member : {})]));
}

/** The branch whose constants the value has. */
function branchOf(value: unknown, branches: readonly JsonSchema[]): JsonSchema {
  return branches.find((branch) => hasConstants(value, branch)) ?? {};
}

function hasConstants(value: unknown, { properties }: JsonSchema): boolean {
  if (!isRecord(value) || !isRecord(properties)) return false;
  return Object.entries(properties).every(
    ([key, member]) => !isRecord(member) || !('const' in member) || value[key] === member['const'],
  );
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member)]));
}
