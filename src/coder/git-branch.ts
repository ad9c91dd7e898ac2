// The branch of the repository a folder is in, read from git's own files: starting git would take longer than all else.

import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Nothing outside a repository; the beginning of the commit's name where no branch is checked out. */
export async function readGitBranch(folder: string): Promise<string | undefined> {
  const place = join(folder, '.git');
  try {
    const head = await readFile(join(await toGitFolder(place), 'HEAD'), 'utf8');
    return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.slice(0, 12).trim();
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : readGitBranch(parent);
  }
}

/** In a worktree `.git` is a file that says where the folder is. */
async function toGitFolder(place: string): Promise<string> {
  if ((await stat(place)).isDirectory()) return place;
  const [, named = ''] = /^gitdir: (.+)$/m.exec(await readFile(place, 'utf8')) ?? [];
  return resolve(dirname(place), named);
}
