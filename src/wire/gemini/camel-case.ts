// Google's API accepts the names of fields in both spellings, `inline_data` and `inlineData`. Names that a user chose, in
// schemas and in the arguments and results of tools, stay as they are.

import { isRecord } from '../../core/json.ts';

/** Members whose content is not the wire's. */
const opaqueMembers = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
  'partMetadata',
]);

export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => {
    const known = name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    return [known, opaqueMembers.has(known) ? member : camelCased(member)];
  });
  return Object.fromEntries(entries);
}
