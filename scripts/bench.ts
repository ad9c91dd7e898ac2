// `npm run bench` lists the benchmarks; `npm run bench -- NAME` runs one. A benchmark is a file in bench/ whose first line
// says what it compares.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = join(import.meta.dirname, '../bench');
const names = globSync('*.ts', { cwd: folder })
  .map((file) => basename(file, '.ts'))
  .toSorted();
const [chosen, ...argv] = process.argv.slice(2);

if (chosen === undefined) {
  for (const name of names) process.stdout.write(`${name.padEnd(12)}${purposeOf(name)}\n`);
} else if (names.includes(chosen)) {
  const bench = spawnSync(process.execPath, [join(folder, `${chosen}.ts`), ...argv], { stdio: 'inherit' });
  process.exitCode = bench.status ?? 1;
} else {
  process.stderr.write(`Unknown benchmark "${chosen}". Use one of: ${names.join(', ')}.\n`);
  process.exitCode = 2;
}

function purposeOf(name: string): string {
  const [firstLine = ''] = readFileSync(join(folder, `${name}.ts`), 'utf8').split('\n');
  return firstLine.replace(/^\/\/\s*/, '');
}
