// CPU time to start the packed package, minus that of an empty module: importing `simple-agents` and
// `simple-agents/heal`, and running `simple-agents --version`. Runs alternate, so that other load on the machine affects
// all of them. The medians are compared. Exits with 1 if a bar is missed.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packInto, unpackInto } from '../scripts/pack.ts';

interface Contender {
  readonly name: string;
  readonly argv: readonly string[];
  /** Milliseconds beyond the empty module. */
  readonly bar?: number;
}

const rounds = 25;
const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

const folder = await mkdtemp(join(tmpdir(), 'startup-'));
try {
  report(await measure(await createContenders()));
} finally {
  await rm(folder, { recursive: true });
}

/** Creates a project with the package installed. Its dependencies are links to those of the checkout. */
async function createContenders(): Promise<readonly Contender[]> {
  const modules = join(folder, 'node_modules');
  const packed = await unpackInto(folder, await packInto(folder));
  await mkdir(modules);
  await cp(packed, join(modules, 'simple-agents'), { recursive: true });
  for (const name of ['lru-cache', 'commander', 'eventsource-parser', 're2js', 'smol-toml']) {
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  const program = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  return [
    { name: 'empty module', argv: [await program('empty.mjs', '')] },
    { name: 'simple-agents', argv: [await program('all.mjs', "import 'simple-agents';")], bar: 60 },
    { name: 'simple-agents/heal', argv: [await program('heal.mjs', "import 'simple-agents/heal';")], bar: 15 },
    { name: 'simple-agents --version', argv: [join(packed, 'bin/simple-agents'), '--version'], bar: 40 },
  ];
}

interface Measured extends Contender {
  readonly milliseconds: number;
}

async function measure(contenders: readonly Contender[]): Promise<readonly Measured[]> {
  // The first runs fill the page cache and the compile cache.
  for (const { argv } of contenders) await cpuMs(argv);
  const times = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { argv }] of contenders.entries()) times[index]?.push(await cpuMs(argv));
  }
  return contenders.map((contender, index) => ({ ...contender, milliseconds: median(times[index] ?? []) }));
}

/** User and system time of one Node process, measured by bash, because Node cannot read the CPU time of a child process. */
async function cpuMs(argv: readonly string[]): Promise<number> {
  const script = `TIMEFORMAT='%3U %3S'; time "$@" > /dev/null`;
  const { stderr } = await run('bash', ['-c', script, 'bash', process.execPath, ...argv]);
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return (user + system) * 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report([empty, ...others]: readonly Measured[]): void {
  const base = empty?.milliseconds ?? Number.NaN;
  console.log(`CPU, median of ${rounds}: an empty module takes ${base.toFixed(0)} ms`);
  for (const { name, milliseconds, bar = Number.NaN } of others) {
    const beyond = milliseconds - base;
    const ratio = (milliseconds / base).toFixed(2);
    const verdict = beyond <= bar ? 'met' : 'MISSED';
    console.log(`${name.padEnd(24)} + ${beyond.toFixed(0)} ms (${ratio} ×), bar ${bar} ms: ${verdict}`);
    if (!(beyond <= bar)) process.exitCode = 1;
  }
}
