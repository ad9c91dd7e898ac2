// Time the guard takes for one command: the worst and the middle of our lists, and of texts made to hurt; at most 5 ms.
// Warm, best of several rounds each, so that a busy machine does not count as a slow guard.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createGuard } from '../src/coder/guard/guard.ts';
import { readRecords } from '../test/coder/guard/records.ts';

const barMs = 5;
const rounds = 7;
const { values } = parseArgs({ options: { check: { type: 'boolean' } } });

const guard = await createGuard({ cwd: '/home/dev/project', home: '/home/dev' });
const lists = join(import.meta.dirname, '../test/guard');
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

report('ordinary work', commandsOf(join(lists, 'ordinary.txt')), barMs);
report('disguises', commandsOf(join(lists, 'disguised.txt')), barMs);
if (corpora !== undefined) report('bash-bypass.txt', commandsOf(join(corpora, 'bash-bypass.txt')), barMs);
report('made to hurt', hostile, undefined);

function commandsOf(path: string): string[] {
  return readRecords(path).map(({ command }) => command);
}

function report(name: string, commands: readonly string[], bar: number | undefined): void {
  const times = commands.map(bestOf).toSorted((a, b) => a - b);
  const worst = times.at(-1) ?? Number.NaN;
  const middle = times[Math.floor(times.length / 2)] ?? Number.NaN;
  const verdict = bar === undefined ? 'no bar' : `bar ${bar} ms: ${worst <= bar ? 'kept' : 'MISSED'}`;
  console.log(
    `${name.padEnd(16)} ${String(commands.length).padStart(4)} commands  middle ${middle.toFixed(3)} ms  worst ${worst.toFixed(2)} ms  ${verdict}`,
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
