// The files that the agent writes about itself in a project: session folders and the records of hooks. They are not part of
// the user's work: search tools skip them, no tool opens or changes them, and sandboxed commands do not see them.
// Pure functions over path names. Case is ignored, because some file systems ignore it.

import { join } from 'node:path';

/** Holds the session folders. `.entire` itself belongs to another tool, whose settings are ordinary project files. */
const sessionFolder = ['.entire', 'metadata'] as const;

const hookFolder = '.forgeflare';
const hookFiles = ['convergence.json', 'audit.jsonl'] as const;

/** `path` is relative to the project, or absolute; the folders may be at any depth. */
export function isOwnFile(path: string): boolean {
  const names = path.toLowerCase().split('/');
  return names.some((name, index) => {
    const next = names[index + 1];
    if (name === sessionFolder[0]) return next === sessionFolder[1];
    return name === hookFolder && next !== undefined && isHookFile(next);
  });
}

/** Includes the temporary files of atomic-file.ts. */
function isHookFile(name: string): boolean {
  return hookFiles.some((file) => name === file || (name.startsWith(`${file}.`) && name.endsWith('.tmp')));
}

/** Their paths in `project`. */
export function ownPaths(project: string): readonly string[] {
  return [join(project, ...sessionFolder), ...hookFiles.map((name) => join(project, hookFolder, name))];
}

/** Globs that match them at any depth, for a search that starts above them. */
export const ownFileGlobs: readonly string[] = [
  `**/${sessionFolder.join('/')}`,
  ...hookFiles.map((name) => `**/${hookFolder}/${name}*`),
];

/** Whether a folder of this name may contain the session folders. */
export function isSessionParent(name: string): boolean {
  return name.toLowerCase() === sessionFolder[0];
}
