// Where something is in a value, as a list linked upwards: made once per container, shared by everything below,
// and spelled out only for the few that are shown. Spelling out each would be quadratic in the depth.

import type { PathKey } from './flag.ts';

export interface ValuePath {
  readonly parent: ValuePath | undefined;
  readonly key: PathKey;
}

/** The same way down, from another place. */
export function pathFrom(start: ValuePath, path: ValuePath | undefined): ValuePath {
  let at = start;
  for (const key of toKeys(path)) at = { parent: at, key };
  return at;
}

/** Counted first: a list that grows takes room for many, and most paths are short. */
export function toKeys(path: ValuePath | undefined): PathKey[] {
  let depth = 0;
  for (let at = path; at !== undefined; at = at.parent) depth++;
  const keys = Array<PathKey>(depth);
  for (let at = path; at !== undefined; at = at.parent) keys[--depth] = at.key;
  return keys;
}
