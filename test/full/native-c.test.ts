// The C library: its contract, also under sanitizers and valgrind, many threads against a provider, and the examples.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { createSimulateServer } from '../../src/testing/simulate/server.ts';
import { nativeLibrary, repository, run, skipNative } from '../support/native-library.ts';
import { commandPart, skipWithout } from '../support/requirement.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = join(repository, 'bindings/c');
const skip = skipNative === false ? skipWithout(commandPart('gcc', 'build-essential')) : skipNative;
const isLinux = process.platform === 'linux';
const sanitizers = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];

describe('the C library', { skip }, () => {
  const { path: programs } = temporaryFolder();
  let count = 0;
  let library: string;
  before(async () => {
    library = await nativeLibrary();
  });

  /** Returns the path of the program. */
  async function compile(source: string, flags: readonly string[] = []): Promise<string> {
    const program = join(programs, `program-${(count += 1)}`);
    const warnings = ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-g', '-O1'];
    const link = [`-L${library}`, '-lsimple_agents', `-Wl,-rpath,${library}`, '-lpthread'];
    await run('gcc', [...warnings, ...flags, `-I${folder}`, join(folder, source), '-o', program, ...link]);
    return program;
  }

  test('exports exactly the functions of its header', { skip: !isLinux && 'reads ELF symbols' }, async () => {
    const symbols = await run('nm', ['-D', '--defined-only', join(library, 'libsimple_agents.so')]);
    const exported = symbols.split('\n').flatMap((line) => line.split(' ')[2] ?? []);
    const header = readFileSync(join(folder, 'simple_agents.h'), 'utf8');
    const declared = [...header.matchAll(/^[a-zA-Z0-9_ ]+\*?\b(sa_\w+)\(/gm)].map((found) => found[1]);
    assert.ok(declared.length > 30);
    assert.deepEqual(new Set(exported), new Set(declared));
  });

  test('keeps its contract', async () => {
    assert.equal(await run(await compile('test/contract.c'), []), 'contract: passed\n');
  });

  test('keeps its contract under address and undefined-behaviour sanitizers', async () => {
    const program = await compile('test/contract.c', sanitizers);
    assert.equal(await run(program, []), 'contract: passed\n');
  });

  const withoutValgrind = isLinux ? skipWithout(commandPart('valgrind')) : 'valgrind runs on Linux';
  test('keeps its contract under valgrind', { skip: withoutValgrind }, async () => {
    const program = await compile('test/contract.c');
    const leaks = ['--leak-check=full', '--show-leak-kinds=definite', '--errors-for-leak-kinds=definite'];
    const argv = ['--quiet', '--error-exitcode=9', ...leaks, program, 'without-fork'];
    assert.equal(await run('valgrind', argv), 'contract: passed\n');
  });

  test('reads 20 streams on each of 100 threads', async (context) => {
    const server = await createSimulateServer();
    context.after(() => server.close());
    const program = await compile('test/network.c', sanitizers);
    const output = await run(program, [`${server.url}/v1`, '100', '20']);
    assert.equal(output, '100 threads, 20 streams each: every byte right\n');
  });

  const examples = readdirSync(join(folder, 'examples'));
  const expected: Readonly<Record<string, RegExp>> = {
    'hello.c': /\w+/,
    'typed_stream.c': /^partial: \{.*\ncharacter: \{"name":".+","age":\d+,"abilities":\[.*\]\}\n$/s,
    'fallback.c': /1.*5.*\(small\)\n$/s,
    'tools.c': /^get_weather\(\{"city":".+"\}\)\n.+\n$/s,
    'heal.c': /^\{"name":"Ada","age":36,"tags":\["math"\]\}\nconfidence 0\.\d\d\n$/,
  };
  for (const example of examples) {
    test(`runs the example ${example}`, async () => {
      const program = await compile(join('examples', example), sanitizers);
      assert.match(await run(program, []), expected[example] ?? assert.fail('write down what it prints'));
    });
  }

  test('is installed with a pkg-config file', { skip: skipWithout(commandPart('pkg-config')) }, async () => {
    const prefix = join(programs, 'installed');
    await run('make', ['install', `PREFIX=${prefix}`, `LIBRARY_DIR=${library}`], { cwd: folder });
    const env = { PKG_CONFIG_PATH: join(prefix, 'lib/pkgconfig') };
    const flags = (await run('pkg-config', ['--cflags', '--libs', 'simple-agents'], { env })).trim().split(/\s+/);
    const program = join(prefix, 'hello');
    await run('gcc', [join(folder, 'examples/hello.c'), '-o', program, ...flags]);
    assert.match(await run(program, [], { env: { LD_LIBRARY_PATH: join(prefix, 'lib') } }), /\w+/);
  });
});
