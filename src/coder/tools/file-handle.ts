// Opens files and folders of a place so that a link put there in the meantime cannot lead elsewhere: the last step is not
// followed, and what was opened is asked where it is (Linux). Folders are worked in through their handle, so what is
// written lands in the folder that was checked, whatever its name leads to by then.

import { constants } from 'node:fs';
import { mkdir, open, readlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, fail } from './failure.ts';
import { objectionTo, type WorkspacePath, type Purpose } from './workspace-path.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** A regular file, open for reading. Whoever asked closes it. */
export async function openFile(place: WorkspacePath): Promise<FileHandle> {
  // Without O_NONBLOCK a named pipe would be waited for.
  const handle = await open(place.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    await checkPlace(handle, place, 'read');
    const status = await handle.stat();
    if (status.isDirectory()) fail(`${place.shown} is a folder; list it with Glob.`);
    if (!status.isFile()) fail(`${place.shown} is not a regular file.`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function checkPlace(handle: FileHandle, { borders, shown }: WorkspacePath, purpose: Purpose): Promise<void> {
  const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (real === undefined) return;
  const objection = objectionTo(real, borders, purpose);
  if (objection !== undefined) fail(`${shown} leads elsewhere now: ${real} ${objection}.`);
}

export interface OpenFolder {
  /** A path for an entry of the folder. */
  at(name: string): string;
  close(): Promise<void>;
}

/** The folder the place is in, made when it is missing. */
export async function openParent(place: WorkspacePath): Promise<OpenFolder> {
  return openFolder(place, dirname(place.path));
}

async function openFolder(place: WorkspacePath, path: string): Promise<OpenFolder> {
  try {
    return await openExisting(place, path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
  }
  const parent = await openFolder(place, dirname(path));
  try {
    const name = parent.at(basename(path));
    await mkdir(name).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    return await openExisting(place, name);
  } finally {
    await parent.close();
  }
}

async function openExisting(place: WorkspacePath, path: string): Promise<OpenFolder> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await checkPlace(handle, place, 'write');
  } catch (error) {
    await handle.close();
    throw error;
  }
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  return { at: (name) => join(base, name), close: () => handle.close() };
}
