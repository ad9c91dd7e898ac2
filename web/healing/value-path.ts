// Where a repair is in the value. Flags name keys as they are in the text; the value has the names of the schema.

import type { Flag } from '../../src/heal/index.ts';

/** The path of each flag in the value, as text that can be compared. */
export function valuePaths(flags: readonly Flag[]): string[] {
  const renamed = new Map<string, string>();
  for (const { kind, path, expected } of flags)
    if (kind === 'fuzzy-field-match' && expected !== undefined) renamed.set(pathText(path), expected);
  return flags.map(({ path }) =>
    pathText(path.map((key, index) => renamed.get(pathText(path.slice(0, index + 1))) ?? key)),
  );
}

export function pathText(path: Flag['path']): string {
  return JSON.stringify(path);
}
