// A path into a value, as a list linked from child to parent. A container's path is created once and shared by all its
// descendants. Only paths that are shown are expanded to arrays, because expanding each one would be quadratic in the
// depth.

import type { PathKey } from './flag.ts';

export interface LinkedPath {
  readonly parent: LinkedPath | undefined;
  readonly key: PathKey;
}

/** Appends `path` to `start`. */
export function pathFrom(start: LinkedPath, path: LinkedPath | undefined): LinkedPath {
  let at = start;
  for (const key of toKeys(path)) at = { parent: at, key };
  return at;
}

export function toKeys(path: LinkedPath | undefined): PathKey[] {
  let depth = 0;
  for (let at = path; at !== undefined; at = at.parent) depth++;
  const keys = Array<PathKey>(depth);
  for (let at = path; at !== undefined; at = at.parent) keys[--depth] = at.key;
  return keys;
}
