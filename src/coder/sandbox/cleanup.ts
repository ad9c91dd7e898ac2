// After a sandboxed command: what it made in places that would be obeyed later is moved aside, links on the way to
// protected paths are restored, and the empty folders that kept the command from making them are removed.

import { lstat, readlink, rename, rmdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { loadGitlinks } from './git-repository.ts';
import type { GuardedLink } from './mounts.ts';
import type { Layout } from './policy.ts';

/** Gives the paths that were moved aside, under a name nothing obeys. */
export async function cleanUpAfter({ mounts, forbiddenPaths, links, git }: Layout): Promise<string[]> {
  const made = mounts.filter(({ access }) => access === 'absent').map(({ path }) => path);
  await Promise.all(made.map((path) => rmdir(path).catch(() => undefined)));
  // Another sandbox on the same workspace takes such a folder away under this one: then it was open to the command.
  const intruders = await Promise.all([...made, ...forbiddenPaths, ...(await newRepositories(git))].map(moveAside));
  const replaced: (string | undefined)[] = [];
  // In the order they were followed: one may lead to the folder of the next.
  for (const link of links) replaced.push(await restoreLink(link));
  return [...intruders, ...replaced].filter((path) => path !== undefined);
}

/** A command may have made a repository and put it into the index: `git status` outside the sandbox would run its settings. */
async function newRepositories(git: Layout['git']): Promise<string[]> {
  if (git === undefined) return [];
  const { repository, gitlinks } = git;
  const known = new Set(gitlinks);
  const names = (await loadGitlinks(repository)).filter((name) => !known.has(name));
  const paths = names.map((name) => join(repository.top, name, '.git'));
  // Git does not follow a link on the way to one of them.
  const areReal = await Promise.all(paths.map(async (path) => (await firstLinkOrSelf(path)) === path));
  return paths.filter((path, index) => areReal[index] === true && path.startsWith(`${repository.top}/`));
}

async function restoreLink({ path, target }: GuardedLink): Promise<string | undefined> {
  if ((await readlink(path).catch(() => undefined)) === target) return undefined;
  await moveAside(path);
  await symlink(target, path).catch(() => undefined);
  return path;
}

async function moveAside(path: string): Promise<string | undefined> {
  const intruder = await firstLinkOrSelf(path);
  if (intruder === undefined) return undefined;
  try {
    await rename(intruder, `${intruder}.refused-${process.pid}-${Date.now()}`);
    return path;
  } catch {
    return undefined;
  }
}

/**
 * The path, or the first link on the way to it. Protected paths had no links when the command began, so it made that
 * link, and nothing may be moved in the folder it leads to, which can be anywhere. Nothing where the path is missing.
 */
async function firstLinkOrSelf(path: string): Promise<string | undefined> {
  let here = '/';
  for (const part of path.split('/').filter((each) => each !== '')) {
    here = join(here, part);
    const status = await lstat(here).catch(() => undefined);
    if (status === undefined) return undefined;
    if (status.isSymbolicLink()) return here;
  }
  return path;
}
