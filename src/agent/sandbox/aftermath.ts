// After a sandboxed command: what it made in places that would be obeyed later is moved aside, links on the way to
// protected paths are restored, and the empty folders that kept the command from making them are removed.

import { lstat, readlink, rename, rmdir, symlink } from 'node:fs/promises';
import type { GuardedLink } from './mounts.ts';
import type { Layout } from './policy.ts';

/** Gives the paths that were moved aside, under a name nothing obeys. */
export async function tidyAfter({ mounts, forbiddenPaths, links }: Layout): Promise<string[]> {
  const made = mounts.filter(({ access }) => access === 'absent').map(({ path }) => path);
  await Promise.all(made.map((path) => rmdir(path).catch(() => undefined)));
  // Another sandbox on the same workspace takes such a folder away under this one: then it was open to the command.
  const intruders = await Promise.all([...made, ...forbiddenPaths].map(moveAside));
  const replaced: (string | undefined)[] = [];
  // In the order they were followed: one may lead to the folder of the next.
  for (const link of links) replaced.push(await restoreLink(link));
  return [...intruders, ...replaced].filter((path) => path !== undefined);
}

async function restoreLink({ path, target }: GuardedLink): Promise<string | undefined> {
  if ((await readlink(path).catch(() => undefined)) === target) return undefined;
  await moveAside(path);
  await symlink(target, path).catch(() => undefined);
  return path;
}

async function moveAside(path: string): Promise<string | undefined> {
  try {
    await lstat(path);
    await rename(path, `${path}.refused-${process.pid}-${Date.now()}`);
    return path;
  } catch {
    return undefined;
  }
}
