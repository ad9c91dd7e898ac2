// After a sandboxed command: what it made in places that would be obeyed later is taken away, and so are the empty
// folders that were put there to keep it from making them. A file that is absent cannot be mounted read-only.

import { lstat, rename, rmdir } from 'node:fs/promises';
import type { Layout } from './policy.ts';

/** Gives the paths that were moved aside, under a name nothing obeys. */
export async function tidyAfter({ protectedEntries, forbiddenPaths }: Layout): Promise<string[]> {
  const made = protectedEntries.filter(({ kind }) => kind === 'absent');
  await Promise.all(made.map(({ path }) => rmdir(path).catch(() => undefined)));
  // Another sandbox on the same workspace takes such a folder away under this one: then it was open to the command.
  const intruders = await Promise.all([...made.map(({ path }) => path), ...forbiddenPaths].map(moveAside));
  return intruders.filter((path) => path !== undefined);
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
