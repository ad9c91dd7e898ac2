// Cleans up after a sandboxed command. Files that it created at protected paths are moved aside, links on the way to
// protected paths are restored, and the empty folders that were mounted over missing paths are removed.

import { lstat, readlink, rename, rmdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { loadGitlinks } from './git-repository.ts';
import type { GuardedLink } from './mounts.ts';
import type { Layout } from './policy.ts';

/** Resolves to the paths that were moved aside. Their new names have no effect on any program. */
export async function cleanUpAfter({ mounts, forbiddenPaths, links, git }: Layout): Promise<string[]> {
  const mountPoints = mounts.filter(({ access }) => access === 'absent').map(({ path }) => path);
  await Promise.all(mountPoints.map((path) => rmdir(path).catch(() => undefined)));
  // Another sandbox on the same workspace may have removed such a folder, so that this command could write there.
  const intruders = await Promise.all(
    [...mountPoints, ...forbiddenPaths, ...(await newRepositories(git))].map(moveAside),
  );
  const replaced: (string | undefined)[] = [];
  // In the order they were followed, because one link may lead to the folder of the next.
  for (const link of links) replaced.push(await restoreLink(link));
  return [...intruders, ...replaced].filter((path) => path !== undefined);
}

/** New repositories in the index. `git status` outside the sandbox would run commands from their settings. */
async function newRepositories(git: Layout['git']): Promise<string[]> {
  if (git === undefined) return [];
  const { repository, gitlinks } = git;
  const known = new Set(gitlinks);
  const names = (await loadGitlinks(repository)).filter((name) => !known.has(name));
  const paths = names.map((name) => join(repository.top, name, '.git'));
  // Git does not follow links on the way to one of them.
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
 * The path, or the first symbolic link on the way to it. Protected paths had no links when the command started, so the
 * command created that link. Nothing may be moved in the folder it points to, which can be anywhere. Undefined if the path
 * is missing.
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
