// Loads a project's hooks from .forgeflare/hooks.toml. Every problem with the file is an error that names the line: an agent
// that does not start is better than one that runs without its guards because of a typo.

import { createHash } from 'node:crypto';
import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import type { HookTable } from './hook.ts';
import { parseHooks } from './table.ts';

/** The agent's folder for the settings of a project. */
export const settingsFolder = '.forgeflare';

const shown = join(settingsFolder, 'hooks.toml');
const largest = 1024 * 1024;

/** Undefined if there is no file. Throws `configuration` for a file that is unreadable or invalid. */
export async function loadHooks(folder: string): Promise<HookTable | undefined> {
  const file = join(folder, shown);
  if (!(await isThere(join(folder, settingsFolder))) || !(await isThere(file))) return undefined;
  // Reading a named pipe would wait for a writer.
  if (!(await stat(file).catch(failToRead)).isFile()) return failToLoad('is not a file');
  const bytes = await readFile(file).catch(failToRead);
  if (bytes.length > largest) return failToLoad(`is larger than ${largest} bytes`);
  const hooks = await parseHooks(decode(bytes), shown);
  return { kind: 'hooks', folder, file, digest: createHash('sha256').update(bytes).digest('hex'), hooks };
}

/** A dangling link counts as existing, because it must be an error. */
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
    return failToLoad('is not UTF-8 text; save it in that encoding');
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: `cannot be read: ${settingsFolder} is not a folder`,
  EACCES: 'cannot be read: permission denied; check its permissions',
  EPERM: 'cannot be read: permission denied; check its permissions',
  ENOENT: 'is a dangling link',
  ELOOP: 'is a link that points to itself',
};

function failToRead(error: unknown): never {
  const { code = '' } = error as NodeJS.ErrnoException;
  return failToLoad(reasons[code] ?? `cannot be read (${code})`, error);
}

function failToLoad(problem: string, cause?: unknown): never {
  throw new SimpleAgentsError('configuration', `${shown}: ${problem}`, { field: 'hooks', cause });
}
