// What an insertion adds to the text.

import type { Flag, FlagKind } from '../../src/heal/index.ts';

const fixed: Partial<Readonly<Record<FlagKind, string>>> = {
  'inserted-comma': ',',
  'inserted-quote': '"',
  'missing-value': 'null',
};

/** `value`: the healed value, which says whether the added bracket is that of an object or of a list. */
export function insertedText({ kind, path }: Flag, value: unknown): string {
  const text = fixed[kind];
  if (text !== undefined) return text;
  let part = value;
  let bracket = Array.isArray(value) ? ']' : '}';
  for (const key of path) {
    part = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[key] : undefined;
    if (typeof part === 'object' && part !== null) bracket = Array.isArray(part) ? ']' : '}';
  }
  return bracket;
}
