// Time the guard takes to judge one command: median and maximum of our lists (bar: 5 ms) and of hostile commands (no bar).
// Each figure is the best of several rounds, to exclude other load on the machine. `--check` exits with 1 if a bar is
// missed.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createGuard } from '../src/coder/guard/guard.ts';
import { readRecords } from '../test/coder/guard/records.ts';

const barMs = 5;
const rounds = 7;
const { values } = parseArgs({ options: { check: { type: 'boolean' } } });

const guard = await createGuard({ cwd: '/home/dev/project', home: '/home/dev' });
const lists = join(import.meta.dirname, '../test/coder/guard');
const corpora = process.env['SIMPLE_AGENTS_CORPORA'];

const hostile = [
  `${'env '.repeat(5_000)}rm -rf /`,
  `${'eval '.repeat(3_000)}rm`,
  `x=a; ${'x=$x$x; '.repeat(40)} echo $x`,
  `rm ${'a '.repeat(50_000)}`,
  `foo ${"'a b' ".repeat(5_000)}`,
  `for a in {1..200}; do for b in {1..200}; do for c in {1..200}; do echo $a$b$c; done; done; done`,
  `cat <<E\n${'hello $x\n'.repeat(5_000)}E\n`,
];

report('ordinary', commandsOf(join(lists, 'ordinary.txt')), barMs);
report('disguised', commandsOf(join(lists, 'disguised.txt')), barMs);
if (corpora !== undefined) report('bash-bypass.txt', commandsOf(join(corpora, 'bash-bypass.txt')), barMs);
report('hostile', hostile, undefined);

function commandsOf(path: string): string[] {
  return readRecords(path).map(({ command }) => command);
}

function report(name: string, commands: readonly string[], bar: number | undefined): void {
  const times = commands.map(bestOf).toSorted((a, b) => a - b);
  const worst = times.at(-1) ?? Number.NaN;
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  const verdict = bar === undefined ? 'no bar' : `bar ${bar} ms: ${worst <= bar ? 'met' : 'MISSED'}`;
  console.log(
    `${name.padEnd(16)} ${String(commands.length).padStart(4)} commands  median ${median.toFixed(3)} ms  maximum ${worst.toFixed(2)} ms  ${verdict}`,
  );
  if (values.check && bar !== undefined && !(worst <= bar)) process.exitCode = 1;
}

function bestOf(command: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    guard.judge(command);
    best = Math.min(best, performance.now() - started);
  }
  return best;
}
