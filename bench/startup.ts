// CPU time of the packed `simple-agents --version` beside an empty Node script; within 40 ms of it.
// Runs alternate, so that a busy machine slows both; the medians are compared.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packInto, unpackInto } from '../scripts/pack.ts';

const barMs = 40;
const rounds = 25;
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), 'startup-'));
try {
  const packed = await unpackInto(folder, await packInto(folder));
  const empty = join(folder, 'empty.mjs');
  await writeFile(empty, '');
  report(await compare([empty], [join(packed, 'bin/simple-agents'), '--version']));
} finally {
  await rm(folder, { recursive: true });
}

interface Comparison {
  readonly emptyMs: number;
  readonly versionMs: number;
}

async function compare(empty: readonly string[], version: readonly string[]): Promise<Comparison> {
  // The first runs fill the page cache and the compile cache.
  for (const argv of [empty, version]) await cpuMs(argv);
  const emptyTimes: number[] = [];
  const versionTimes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    emptyTimes.push(await cpuMs(empty));
    versionTimes.push(await cpuMs(version));
  }
  return { emptyMs: median(emptyTimes), versionMs: median(versionTimes) };
}

/** User and system time of one Node process, as bash measures it: Node cannot ask about its children. */
async function cpuMs(argv: readonly string[]): Promise<number> {
  const script = `TIMEFORMAT='%3U %3S'; time "$@" > /dev/null`;
  const { stderr } = await run('bash', ['-c', script, 'bash', process.execPath, ...argv]);
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return (user + system) * 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report({ emptyMs, versionMs }: Comparison): void {
  const differenceMs = versionMs - emptyMs;
  console.log(`empty script            ${emptyMs.toFixed(1)} ms CPU (median of ${rounds})`);
  console.log(`simple-agents --version ${versionMs.toFixed(1)} ms CPU`);
  console.log(`difference              ${differenceMs.toFixed(1)} ms, ratio ${(versionMs / emptyMs).toFixed(2)}`);
  console.log(`bar                     ${barMs} ms: ${differenceMs <= barMs ? 'kept' : 'MISSED'}`);
  if (!(differenceMs <= barMs)) process.exitCode = 1;
}
