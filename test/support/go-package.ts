// The Go package with the native library behind it, and programs that use it from a module of their own.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goPart } from './go-command.ts';
import { nativeLibrary, repository, run, skipNative } from './native-library.ts';
import { commandPart, skipWithout } from './requirement.ts';

export const goFolder = join(repository, 'bindings/go');

/** For the `skip` option of a test that uses the package. */
export const skipGo = skipNative || skipWithout(commandPart('gcc', 'build-essential')) || skipWithout(goPart(23));

/** No toolchain and no module is downloaded: the package uses only the standard library. */
const offline = { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '', CGO_ENABLED: '1' };

/** Runs the go command with the library as it was built, as the README describes it for use without pkg-config. */
export async function go(argv: readonly string[], folder = goFolder): Promise<string> {
  const library = await nativeLibrary();
  const env = {
    ...offline,
    GOFLAGS: '-tags=simpleagents_flags',
    CGO_CFLAGS: `-I${join(repository, 'bindings/c')}`,
    CGO_LDFLAGS: `-L${library} -Wl,-rpath,${library}`,
    SIMPLE_AGENTS_COMMAND: `${process.execPath} ${join(repository, 'bin/simple-agents')}`,
  };
  return run('go', argv, { cwd: folder, env });
}

/** Runs the go command with a library that is installed at `prefix`. */
export async function goWithPkgConfig(argv: readonly string[], prefix: string): Promise<string> {
  const library = join(prefix, 'lib');
  const env = { ...offline, PKG_CONFIG_PATH: join(library, 'pkgconfig'), LD_LIBRARY_PATH: library };
  return run('go', argv, { cwd: goFolder, env });
}

/** Writes programs into a new module that uses the package. Each is a package of its own, with these names. */
export async function writeModule(folder: string, programs: Readonly<Record<string, string>>): Promise<void> {
  await run('go', ['mod', 'init', 'example'], { cwd: folder, env: offline });
  const edits = ['-require=simpleagents@v0.0.0', `-replace=simpleagents=${goFolder}`];
  await run('go', ['mod', 'edit', ...edits], { cwd: folder, env: offline });
  for (const [name, source] of Object.entries(programs)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'main.go'), source);
  }
}
