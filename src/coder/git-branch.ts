// The checked-out branch of the repository that contains a folder, read from git's files without starting git.

import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Undefined outside a repository; the beginning of the commit id if no branch is checked out. */
export async function readGitBranch(folder: string): Promise<string | undefined> {
  const path = join(folder, '.git');
  try {
    const head = await readFile(join(await toGitFolder(path), 'HEAD'), 'utf8');
    return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.slice(0, 12).trim();
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : readGitBranch(parent);
  }
}

/** In a worktree `.git` is a file that names the folder. */
async function toGitFolder(path: string): Promise<string> {
  if ((await stat(path)).isDirectory()) return path;
  const [, named = ''] = /^gitdir: (.+)$/m.exec(await readFile(path, 'utf8')) ?? [];
  return resolve(dirname(path), named);
}
