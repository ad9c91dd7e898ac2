// The input history across sessions: one entry per line, oldest first, readable only by its owner. A file that cannot be
// read or written is not an error: the session then has only its own history.

import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { stateFolder } from '../state-folder.ts';

export interface InputHistory {
  /** Newest first, as readline expects. */
  readonly entries: readonly string[];
  append(entry: string): Promise<void>;
}

export const historySize = 1000;
/** Longer entries are pasted documents, which are not useful in a history. */
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

/** Undefined if the state directory cannot be determined. */
export function historyFile(env: Environment, platform: string = process.platform): string | undefined {
  const folder = stateFolder(env, platform);
  return folder === undefined ? undefined : join(folder, 'chat-history');
}

async function appendTo(file: string, entry: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, `${entry.replaceAll(/[\r\n]+/g, ' ')}\n`, { mode: 0o600 });
  // The mode above applies only to a new file.
  await chmod(file, 0o600);
}

function ignoreFailure(work: Promise<void>): Promise<void> {
  return work.catch(() => {});
}
