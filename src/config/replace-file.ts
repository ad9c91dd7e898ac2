// A file replaced whole or not at all: whoever reads it meanwhile sees the old one or the new one. A link stays a link,
// and the file keeps its permissions and its owner.

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
    throw new SimpleAgentsError('configuration', `${path}: cannot be written (${reason})`, { cause: error });
  }
}

async function write(path: string, text: string, like: Stats | undefined): Promise<void> {
  // Never open to more people than the file itself, not even for a moment.
  const file = await open(path, 'wx', like?.mode);
  try {
    if (like !== undefined) {
      // Only the superuser can give a file away; anybody else's is their own anyway.
      await file.chown(like.uid, like.gid).catch(() => undefined);
      await file.chmod(like.mode);
    }
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
