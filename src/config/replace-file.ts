// A file replaced whole or not at all: whoever reads it meanwhile sees the old one or the new one. A link stays a link,
// and the file keeps its permissions.

import { chmod, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SimpleAgentsError } from '../core/error.ts';

export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await realpath(path).catch(() => path);
  const draft = `${file}.${process.pid}.new`;
  try {
    await mkdir(dirname(file), { recursive: true });
    const mode = await stat(file).then(
      (before) => before.mode,
      () => undefined,
    );
    await write(draft, text);
    if (mode !== undefined) await chmod(draft, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new SimpleAgentsError('configuration', `${path}: cannot be written (${reason})`, { cause: error });
  }
}

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
