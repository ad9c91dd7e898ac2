// Starts a program of this folder that keeps writing and kills itself with SIGKILL at a given moment.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

/** Types are stripped once, not in every process. */
const cache = temporaryFolder().path;

/** Resolves when it is dead. It must have had nothing to complain of. */
export async function runUntilKilled(program: string, argv: readonly (string | number)[]): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, program), ...argv.map(String)],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { NODE_COMPILE_CACHE: cache } },
  );
  const complaints: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => complaints.push(chunk));
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.deepEqual([complaints.join(''), signal], ['', 'SIGKILL']);
}
