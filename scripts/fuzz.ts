// `npm run test:fuzz [SECONDS]`: libFuzzer over the C interface, 300 seconds by default. Needs cargo and clang.
// What it finds is kept in bindings/c/build/fuzz.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flagExamples } from '../test/support/heal-examples.ts';
import { nativeLibrary, repository } from '../test/support/native-library.ts';

const seconds = Number(process.argv[2] ?? 300);
const folder = join(repository, 'bindings/c');
const output = join(folder, 'build/fuzz');
const seeds = join(output, 'seeds');
const corpus = join(output, 'corpus');
const library = await nativeLibrary();
for (const path of [seeds, corpus]) mkdirSync(path, { recursive: true });
for (const [name, text] of seedTexts()) writeFileSync(join(seeds, name), text);

const program = join(output, 'fuzz');
const sanitize = '-fsanitize=fuzzer,address,undefined';
const link = [`-L${library}`, '-lsimple_agents', `-Wl,-rpath,${library}`];
start('clang', ['-g', '-O1', sanitize, `-I${folder}`, join(folder, 'test/fuzz.c'), '-o', program, ...link]);
start(program, [`-max_total_time=${seconds}`, '-timeout=20', '-rss_limit_mb=2048', '-max_len=4096', corpus, seeds]);

/** The first byte selects the function, see fuzz.c. */
function* seedTexts(): Generator<readonly [name: string, text: string]> {
  for (const [index, { text, schema }] of flagExamples.entries()) {
    yield [`heal-${index}`, `\u0000{"strict": false}\n${text}`];
    if (schema !== undefined) yield [`typed-${index}`, `\u0001${JSON.stringify(schema)}\n${text}`];
  }
  yield ['client', '\u0002{"provider": "simulated", "retry": {"maxAttempts": 2}, "timeout": "30s"}'];
  yield ['request', '\u0003{"temperature": 0.5, "maxTokens": 5, "schema": {"type": "integer"}, "tools": []}'];
}

function start(command: string, argv: readonly string[]): void {
  const { status, error } = spawnSync(command, argv, { cwd: output, stdio: 'inherit' });
  if (error !== undefined)
    console.error(`${command} cannot be started: install it (Debian: apt-get install clang libclang-rt-14-dev).`);
  if (status !== 0) process.exit(status ?? 1);
}
