// Where something is in a value, as a list linked upwards: made once per container, shared by everything below,
// and spelled out only for the few that are shown. Spelling out each would be quadratic in the depth.

import type { PathKey } from './flag.ts';

export interface Path {
  readonly parent: Path | undefined;
  readonly key: PathKey;
}

/** The same way down, from another place. */
export function pathFrom(start: Path, path: Path | undefined): Path {
  let at = start;
  for (const key of toKeys(path)) at = { parent: at, key };
  return at;
}

export function toKeys(path: Path | undefined): PathKey[] {
  const keys: PathKey[] = [];
  for (let at = path; at !== undefined; at = at.parent) keys.push(at.key);
  return keys.length < 2 ? keys : keys.toReversed();
}
