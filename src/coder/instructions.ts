// Loads a project's instructions for agents: AGENTS.md, or CLAUDE.md where there is none, in every folder from the root of
// the file system to the working directory. Their size is bounded because they are sent with every request.

import { constants, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Instructions } from './prompt.ts';

export const instructionNames = ['AGENTS.md', 'CLAUDE.md'] as const;

/** Bytes of one file, and of all of them together. */
const longestFile = 32 * 1024;
const longestTotal = 64 * 1024;

/** In order from the root to the folder. Files that cannot be read are skipped. */
export async function loadInstructions(cwd: string): Promise<Instructions[]> {
  const found = await Promise.all(foldersTo(cwd).map(readFrom));
  const kept: Instructions[] = [];
  let left = longestTotal;
  // The nearest files are dropped last.
  for (const file of found.filter((each) => each !== undefined).toReversed()) {
    if (file.text.length > left) break;
    left -= file.text.length;
    kept.unshift(file);
  }
  return kept;
}

function foldersTo(cwd: string): string[] {
  const folders = [cwd];
  for (let folder = cwd; dirname(folder) !== folder; folder = dirname(folder)) folders.unshift(dirname(folder));
  return folders;
}

async function readFrom(folder: string): Promise<Instructions | undefined> {
  for (const name of instructionNames) {
    const path = join(folder, name);
    const text = await readBounded(path).catch(() => '');
    if (text.trim() !== '') return { path, text };
  }
  return undefined;
}

async function readBounded(path: string): Promise<string> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestFile + 1), 0, longestFile + 1, 0);
    // With `stream`, the decoder drops a character that is cut at the limit.
    const text = new TextDecoder().decode(buffer.subarray(0, Math.min(bytesRead, longestFile)), { stream: true });
    return bytesRead > longestFile ? `${text}\n\n[cut after ${longestFile / 1024} KB]` : text;
  } finally {
    await file.close();
  }
}
