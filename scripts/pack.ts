// The package as `npm pack` makes it, for what must look at the published form: tests and benches.

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Builds and packs into the folder; gives the tarball's path. */
export async function packInto(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  const [tarball] = globSync('*.tgz', { cwd: folder });
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  return join(folder, tarball);
}

/** Unpacks without installing dependencies; gives the package's folder. */
export async function unpackInto(folder: string, tarball: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', folder]);
  return join(folder, 'package');
}
