// Virtual environments of Python for tests, one for each file of requirements, reused between runs.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../scripts/lock.mjs';
import { repository, run } from './native-library.ts';
import { skipWithout } from './requirement.ts';

const version = spawnSync('python3', ['-c', 'import sys, venv; print(sys.version)'], { encoding: 'utf8' });

export const skipWithoutPython = skipWithout({
  name: 'python3',
  isPresent: version.status === 0,
  remedy: 'install Python 3.9 or newer with its module venv (Debian: apt-get install python3-venv)',
});

/** Another version of Python or of a requirement gets an environment of its own. */
export function environmentFolder(file: string): string {
  const key = createHash('sha256').update(version.stdout).update(readFileSync(file)).digest('hex');
  return join(repository, 'node_modules/.cache/python', key.slice(0, 16));
}

/** The caller holds the lock of the environment. */
export async function createEnvironment(environment: string, file: string): Promise<void> {
  const stamp = join(environment, 'complete');
  if (existsSync(stamp)) return;
  // Modules are compiled when they are imported, which is a small part of them.
  await run('python3', ['-m', 'venv', environment]);
  await run(join(environment, 'bin/pip'), ['install', '-q', '--no-compile', '-r', file]);
  writeFileSync(stamp, '');
}

export interface Python {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The Python of an environment that has the packages of a file of requirements. */
export async function pythonWith(file: string): Promise<Python> {
  const environment = environmentFolder(file);
  await withLock(join(environment, '.setup'), () => createEnvironment(environment, file));
  // Keeps compiled modules of programs in the checkout out of it.
  return { command: join(environment, 'bin/python'), env: { PYTHONPYCACHEPREFIX: join(environment, 'compiled') } };
}
