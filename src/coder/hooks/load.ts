// Reads a project's hooks from .forgeflare/hooks.toml. Whatever is wrong with the file is an error that names the place:
// an agent that starts without its guards because of a slip would be worse than one that does not start.

import { createHash } from 'node:crypto';
import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import type { HookTable } from './hook.ts';
import { parseHooks } from './table.ts';

/** Where the agent keeps what belongs to a project. */
export const settingsFolder = '.forgeflare';

const shown = join(settingsFolder, 'hooks.toml');
const largest = 1024 * 1024;

/** Nothing when there is no file. Throws `configuration` for a file that cannot be read or is not what it should be. */
export async function loadHooks(folder: string): Promise<HookTable | undefined> {
  const file = join(folder, shown);
  if (!(await isThere(join(folder, settingsFolder))) || !(await isThere(file))) return undefined;
  // Reading a pipe would wait for whoever writes to it.
  if (!(await stat(file).catch(failToRead)).isFile()) return failToLoad('is not a file');
  const bytes = await readFile(file).catch(failToRead);
  if (bytes.length > largest) return failToLoad(`is larger than ${largest} bytes`);
  const hooks = await parseHooks(decode(bytes), shown);
  return { folder, file, digest: createHash('sha256').update(bytes).digest('hex'), hooks };
}

/** A link that leads nowhere is there: somebody meant something by it. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? false : failToRead(error);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return failToLoad('is not text in UTF-8; save it in that encoding');
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: `cannot be read: ${settingsFolder} is not a folder`,
  EACCES: 'may not be read; check its permissions',
  EPERM: 'may not be read; check its permissions',
  ENOENT: 'is a link that leads nowhere',
  ELOOP: 'is a link that leads to itself',
};

function failToRead(error: unknown): never {
  const { code = '' } = error as NodeJS.ErrnoException;
  return failToLoad(reasons[code] ?? `cannot be read (${code})`, error);
}

function failToLoad(problem: string, cause?: unknown): never {
  throw new SimpleAgentsError('configuration', `${shown}: ${problem}`, { field: 'hooks', cause });
}
