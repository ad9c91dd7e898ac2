// Replaces files atomically: a reader finds the old or the new content, even after a kill during the write. A symbolic link
// at the path is replaced, never followed.

import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './process/process-identity.ts';

/** Readable by its owner only. Creates the folder if needed. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}-${randomUUID()}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Removes temporary files of processes that were killed during a write. */
export async function removeDrafts(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  const drafts = names.filter((name) => name.startsWith(`${basename(path)}.`) && isAbandoned(name));
  await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)));
}

function isAbandoned(name: string): boolean {
  const [, pid] = /\.(\d+)-[0-9a-f-]{36}\.tmp$/.exec(name) ?? [];
  return pid !== undefined && !isAlive(Number(pid));
}
