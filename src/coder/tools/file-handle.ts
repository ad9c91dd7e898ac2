// Opens files and folders safely: a link created after the path was checked cannot redirect the access. The last path
// segment is not followed, and on Linux the real path of the open handle is checked again. Files are written through the
// handle of their folder, so they end up in the folder that was checked, even if its name now points elsewhere.

import { constants } from 'node:fs';
import { mkdir, open, readlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, fail } from './failure.ts';
import { objectionTo, type WorkspacePath, type Purpose } from './workspace-path.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** Opens a regular file for reading. The caller closes it. */
export async function openFile(place: WorkspacePath): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a named pipe would block.
  const handle = await open(place.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    await checkRealPath(handle, place, 'read');
    const status = await handle.stat();
    if (status.isDirectory()) fail(`${place.shown} is a folder; list it with Glob.`);
    if (!status.isFile()) fail(`${place.shown} is not a regular file.`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function checkRealPath(handle: FileHandle, { limits, shown }: WorkspacePath, purpose: Purpose): Promise<void> {
  const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (real === undefined) return;
  const objection = objectionTo(real, limits, purpose);
  if (objection !== undefined) fail(`${shown} now points to another file: ${real} ${objection}.`);
}

export interface OpenFolder {
  /** The path of an entry of the folder. */
  at(name: string): string;
  close(): Promise<void>;
}

/** Opens the parent folder, and creates it if it is missing. */
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
    await checkRealPath(handle, place, 'write');
  } catch (error) {
    await handle.close();
    throw error;
  }
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  return { at: (name) => join(base, name), close: () => handle.close() };
}
