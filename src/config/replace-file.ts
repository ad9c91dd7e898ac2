// Replaces a file atomically: a concurrent reader sees the old or the new content, never a mix. Keeps a symbolic link, the
// permissions and the owner.

import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SimpleAgentsError } from '../core/error.ts';

export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await realpath(path).catch(() => path);
  const draft = `${file}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await write(draft, text, await stat(file).catch(() => undefined));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new SimpleAgentsError('configuration', `${path}: cannot write the file (${reason})`, { cause: error });
  }
}

async function write(path: string, text: string, like: Stats | undefined): Promise<void> {
  // The new file must never have wider permissions than the old one.
  const file = await open(path, 'wx', like?.mode);
  try {
    if (like !== undefined) {
      // Only root can change the owner; for other users the owner is already right.
      await file.chown(like.uid, like.gid).catch(() => undefined);
      await file.chmod(like.mode);
    }
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
