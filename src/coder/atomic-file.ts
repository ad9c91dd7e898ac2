// A file written whole or not at all: whoever reads it, also after a kill in the middle, finds the old one or the new one.
// Nothing is written through a link that somebody put in the way.

import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './process/process-identity.ts';

/** For its owner only. The folder is made when needed. */
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

/** Takes away what processes left behind that were killed while they wrote the file. */
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
