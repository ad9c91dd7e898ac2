// Loads and saves text files as bytes. Reading is limited in size, and writing is atomic. Each byte is one character
// (latin1), so invalid UTF-8 in a file survives an edit elsewhere in it. If an editor has the file open, its unsaved text is
// loaded, and the editor saves it.

import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, open, readFile, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { codeOf, explain, fail } from './failure.ts';
import { describeStale } from './file-reads.ts';
import { openFile, openParent, type OpenFolder } from './file-handle.ts';
import { lineEndingOf, unify, withLineEnding } from './line-ending.ts';
import type { WorkspacePath } from './workspace-path.ts';

export interface TextFile {
  /** One character per byte. */
  readonly bytes: string;
  /** The content on the disk, which differs if an editor has unsaved text. */
  readonly saved: string;
  readonly status: Stats;
}

/** Edits read and write files up to this size. */
export const largestFile = 10 * 1024 * 1024;

export async function loadTextFile(place: WorkspacePath): Promise<TextFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await openFile(place);
    const status = await handle.stat();
    if (status.size > largestFile) {
      fail(`${place.shown} has ${status.size} bytes; the limit is ${largestFile}. Change it with Bash.`);
    }
    const saved = (await handle.readFile()).toString('latin1');
    if (saved.includes('\0'))
      fail(`${place.shown} is a binary file (it contains a NUL byte) and cannot be edited as text.`);
    return { bytes: (await findUnsaved(place, saved)) ?? saved, saved, status };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw explain(error, place.shown);
  } finally {
    await handle?.close();
  }
}

export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const byteOrderMark = toBytes('\ufeff');

/**
 * The text of a file in the editor, as bytes. Undefined if it is the saved one. Editors show a text without byte order mark
 * and with \n, so neither makes a difference. A file that is not UTF-8 is never taken from an editor.
 */
export async function findUnsaved({ path, editor }: WorkspacePath, saved: string): Promise<string | undefined> {
  if (editor?.read === undefined || !isUtf8(saved)) return undefined;
  const text = await editor.read(path);
  if (text === undefined || toComparable(text) === toComparable(fromBytes(saved))) return undefined;
  const bytes = toBytes(withLineEnding(text, lineEndingOf(saved)));
  return saved.startsWith(byteOrderMark) && !bytes.startsWith(byteOrderMark) ? byteOrderMark + bytes : bytes;
}

function toComparable(text: string): string {
  return unify(text).replace(/^\ufeff/, '');
}

function isUtf8(bytes: string): boolean {
  return toBytes(fromBytes(bytes)) === bytes;
}

/** `before` is the version that the change is based on. A file that has changed since is not overwritten. */
export async function saveTextFile(place: WorkspacePath, bytes: string, before: TextFile | undefined): Promise<void> {
  let folder: OpenFolder | undefined;
  try {
    checkWritable(place, before);
    folder = await openParent(place);
    if (place.editor?.write === undefined || !isUtf8(bytes)) await replace(folder, place, { bytes, before });
    else await saveInEditor(folder, place, { bytes, before });
  } catch (error) {
    throw explain(error, place.shown);
  } finally {
    await folder?.close();
  }
}

export function checkWritable({ shown }: WorkspacePath, before: TextFile | undefined): void {
  if (before === undefined || (before.status.mode & 0o222) !== 0) return;
  fail(`${shown} is read-only. If it should be changed, make it writable first (chmod u+w).`);
}

interface FileReplacement {
  readonly bytes: string;
  readonly before: TextFile | undefined;
}

/** The editor follows links, so the file is checked first. */
async function saveInEditor(
  folder: OpenFolder,
  place: WorkspacePath,
  { bytes, before }: FileReplacement,
): Promise<void> {
  await checkUnchanged(folder.at(basename(place.path)), place, before);
  await place.editor?.write?.(place.path, fromBytes(bytes));
}

async function replace(folder: OpenFolder, place: WorkspacePath, change: FileReplacement): Promise<void> {
  const temporary = folder.at(`.forgeflare-${randomBytes(8).toString('hex')}.tmp`);
  const target = folder.at(basename(place.path));
  const handle = await open(temporary, 'wx', 0o666);
  try {
    try {
      await handle.writeFile(change.bytes, 'latin1');
      await keepOwnership(handle, change.before?.status);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await checkUnchanged(target, place, change.before);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

async function keepOwnership(handle: FileHandle, before: Stats | undefined): Promise<void> {
  if (before === undefined) return;
  const { uid, gid } = await handle.stat();
  // The owner first, because changing it clears the set-user-id bit.
  if (uid !== before.uid || gid !== before.gid) await handle.chown(before.uid, before.gid).catch(() => undefined);
  await handle.chmod(before.mode & 0o7777);
}

/** The content is compared too, because a change can keep the size and the time. */
async function checkUnchanged(target: string, place: WorkspacePath, before: TextFile | undefined): Promise<void> {
  const now = await lstat(target).catch(() => undefined);
  if (before === undefined && now !== undefined) fail(`${place.shown} was created in the meantime; Read it first.`);
  if (before === undefined) return;
  const { ino, size } = before.status;
  if (now?.ino === ino && now.size === size && (await readFile(target, 'latin1')) === before.saved) return;
  fail(describeStale(place));
}
