// Where programs are looked for that run outside the sandbox. npm puts `node_modules/.bin` of a project in front of PATH,
// and a sandboxed command can write there: a `sh` or `rg` of its own would then run with the user's rights.

import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, sep } from 'node:path';

import type { Environment } from '../../config/environment.ts';

/** The environment with a PATH that leaves out relative folders and those in the workspace. */
export function withOutsidePath<T extends Environment>(environment: T, workspace: string): T {
  const { PATH: searchPath } = environment;
  return searchPath === undefined ? environment : { ...environment, PATH: outsidePath(searchPath, workspace) };
}

export function outsidePath(searchPath: string, workspace: string): string {
  const root = realOf(workspace);
  const isOutside = (folder: string): boolean =>
    isAbsolute(folder) && !`${realOf(folder)}${sep}`.startsWith(`${root}${sep}`);
  return searchPath.split(delimiter).filter(isOutside).join(delimiter);
}

/** A folder that does not exist cannot be made by a command, unless it is in the workspace by its name. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
