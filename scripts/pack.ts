// Packs the package with `npm pack`, for tests and benchmarks of its published form.

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Builds and packs into the folder; returns the path of the tarball. */
export async function packInto(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  const [tarball] = globSync('*.tgz', { cwd: folder });
  if (tarball === undefined) throw new Error(`npm pack created no tarball in ${folder}`);
  return join(folder, tarball);
}

/** Unpacks without installing dependencies; returns the folder of the package. */
export async function unpackInto(folder: string, tarball: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', folder]);
  return join(folder, 'package');
}
