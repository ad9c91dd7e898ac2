// What the user typed, across sessions: one entry a line, oldest first, readable by its owner only. A history
// that cannot be read or written is no reason to stop a chat: the session then simply has its own.

import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { stateFolder } from '../state-folder.ts';

export interface InputHistory {
  /** Newest first, as readline wants them. */
  readonly entries: readonly string[];
  append(entry: string): Promise<void>;
}

export const historySize = 1000;
/** Longer ones are pasted documents: nobody looks for them with the arrow keys. */
const longestEntry = 10_000;

export async function loadHistory(file: string): Promise<InputHistory> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const kept = lines.slice(-historySize);
  if (lines.length > 2 * historySize) await ignoreFailure(writeFile(file, `${kept.join('\n')}\n`, { mode: 0o600 }));
  return {
    entries: kept.toReversed(),
    append: (entry) => (entry.length > longestEntry ? Promise.resolve() : ignoreFailure(appendTo(file, entry))),
  };
}

export const noHistory: InputHistory = { entries: [], append: () => Promise.resolve() };

/** Nothing when the folder cannot be told. */
export function historyFile(env: Environment, platform: string = process.platform): string | undefined {
  const folder = stateFolder(env, platform);
  return folder === undefined ? undefined : join(folder, 'chat-history');
}

async function appendTo(file: string, entry: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, `${entry.replaceAll(/[\r\n]+/g, ' ')}\n`, { mode: 0o600 });
  // The mode above counts only for a new file.
  await chmod(file, 0o600);
}

function ignoreFailure(work: Promise<void>): Promise<void> {
  return work.catch(() => {});
}
