// The Python package, built and installed into a virtual environment by the first test that uses it. The environment and
// Cargo's target folder are reused between runs.

import { readdirSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { withLock } from '../../scripts/lock.mjs';
import { installedExtent, installPackages } from '../../scripts/npm-packages.mjs';
import { findCargo, repository, run, skipNative } from './native-library.ts';
import { createEnvironment, environmentFolder, skipWithoutPython } from './python-environment.ts';

export const pythonFolder = join(repository, 'bindings/python');
const requirements = join(pythonFolder, 'requirements-dev.txt');
const pyrightFolder = join(repository, 'tools/pyright');

/** maturin looks for cargo on the PATH. */
export const withCargo = { PATH: [dirname(findCargo() ?? ''), process.env['PATH']].join(delimiter) };

/** For the `skip` option of a test that uses the package. */
export const skipPython = skipNative || skipWithoutPython;

export interface PythonPackage {
  /** The folder of the environment's programs: `python`, `pytest`, … */
  readonly programs: string;
  readonly wheel: string;
}

export async function pythonPackage(): Promise<PythonPackage> {
  building ??= build();
  return building;
}

let building: Promise<PythonPackage> | undefined;

async function build(): Promise<PythonPackage> {
  const environment = environmentFolder(requirements);
  const programs = join(environment, 'bin');
  const wheels = join(environment, 'wheels');
  await withLock(join(environment, '.setup'), async () => {
    await createEnvironment(environment, requirements);
    await run(process.execPath, [join(repository, 'scripts/bundle-engine.ts')]);
    rmSync(wheels, { recursive: true, force: true });
    await run(join(programs, 'maturin'), ['build', '--release', '--locked', '-o', wheels], {
      cwd: pythonFolder,
      env: withCargo,
    });
    await run(join(programs, 'pip'), ['install', '-q', '--force-reinstall', '--no-deps', wheelIn(wheels)]);
  });
  return { programs, wheel: wheelIn(wheels) };
}

/** The Python of an environment that has these packages and the wheel. */
export async function peerEnvironment(file: string, wheel: string): Promise<string> {
  const environment = environmentFolder(file);
  await withLock(join(environment, '.setup'), async () => {
    await createEnvironment(environment, file);
    await run(join(environment, 'bin/pip'), ['install', '-q', '--force-reinstall', '--no-deps', wheel]);
  });
  return join(environment, 'bin/python');
}

function wheelIn(folder: string): string {
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.whl')) ?? 'no wheel');
}

/** The program that checks types, installed by the first test that uses it. */
export async function pyright(): Promise<string> {
  await withLock(join(pyrightFolder, '.setup'), async () => {
    if (installedExtent(pyrightFolder) === undefined) await installPackages(pyrightFolder, 'run');
  });
  return join(pyrightFolder, 'node_modules/pyright/index.js');
}
