// The PATH for programs that run outside the sandbox. npm puts the project's `node_modules/.bin` first in PATH, and a
// sandboxed command can write there: its own `sh` or `rg` would then run with the user's rights.

import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, sep } from 'node:path';

import type { Environment } from '../../config/environment.ts';

/** Removes relative folders and folders in the workspace from PATH. */
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

/** A missing folder keeps its name: a command could create it only inside the workspace. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
