// The native library, built from bindings/native by the first test that uses it. Cargo's target folder is reused between
// runs; `CARGO_TARGET_DIR` moves it. The first build takes some minutes, the following ones a second.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { withLock } from '../../scripts/lock.mjs';
import { skipWithout } from './requirement.ts';

export const repository = join(import.meta.dirname, '../..');
const workspace = join(repository, 'bindings/native');
/** Cargo's output. */
export const targetFolder = process.env['CARGO_TARGET_DIR'] ?? join(workspace, 'target');

/** For the `skip` option of a test that builds the library. */
export const skipNative = skipWithout({
  name: 'cargo',
  isPresent: findCargo() !== undefined,
  remedy: 'install Rust 1.88 or newer, https://rustup.rs',
});

/** The folder that contains the built libraries and `sa-engine`. */
export async function nativeLibrary(): Promise<string> {
  building ??= build();
  return building;
}

let building: Promise<string> | undefined;

async function build(): Promise<string> {
  await withLock(join(workspace, '.build'), async () => {
    await run(process.execPath, [join(repository, 'scripts/bundle-engine.ts')]);
    const packages = ['simple-agents-engine', 'simple-agents-capi'].flatMap((name) => ['-p', name]);
    await cargo(['build', '--release', '--locked', ...packages]);
  });
  return join(targetFolder, 'release');
}

/** Returns what it prints to its standard output. */
export async function cargo(argv: readonly string[]): Promise<string> {
  return run(findCargo() ?? 'cargo', argv);
}

/** rustup installs into the home folder, which is not always on the PATH. */
export function findCargo(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), join(homedir(), '.cargo/bin')];
  return folders.map((folder) => join(folder, 'cargo')).find((path) => existsSync(path));
}

/** Runs a program in the workspace and returns what it prints. Rejects with all of it if the program fails. */
export async function run(command: string, argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const { cwd = workspace, env = {} } = options;
  const child = spawn(command, argv, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  const [output, errors, exit] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (exit === 0) return output;
  throw new Error(`${command} ${argv.join(' ')} ended with ${exit}:\n${output}\n${errors}`);
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}
