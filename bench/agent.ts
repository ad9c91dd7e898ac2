// Compares the packed coding agent with a bare Node loop and with pi: CPU to the first request, peak memory, time from a
// response to the next request, installed size. Options: `--pi FOLDER` measures the pi installed there, `--check` exits
// with 1 if a bar is missed, `--rounds=N` sets the number of rounds, `--installed FOLDER` uses an installed package
// instead of packing one. Linux only, because it reads /proc.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { packInto } from '../scripts/pack.ts';
import { bareLoop, forgeflare, measure, pi, type Contender } from './agent/contender.ts';
import { rounds, startModelServer } from './agent/model-server.ts';
import { requirePeer } from './peer.ts';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '9' },
    pi: { type: 'string' },
    installed: { type: 'string' },
  },
});

const bars = { cpuMs: 200, peakMb: 100, installMb: 30, gapMs: 5 };
const failures: string[] = [];

interface Figures {
  readonly name: string;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly gapMs: number;
  readonly installMb: number;
}

requirePeer({ option: '--pi', folder: values.pi, name: '@earendil-works/pi-coding-agent' });
const folder = await mkdtemp(join(tmpdir(), 'agent-bench-'));
try {
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const each of [project, home]) await mkdir(each);
  const file = join(project, 'notes.txt');
  await writeFile(file, 'one line of text\n'.repeat(100));
  const server = await startModelServer(file);
  try {
    const contenders = [bareLoop(server.url), forgeflare(values.installed ?? (await install(folder)), server.url)];
    if (values.pi !== undefined) contenders.push(await pi(values.pi, server.url, home));
    report(await compare(contenders, (contender) => measure(contender, server, project)));
  } finally {
    server.close();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (values.check && failures.length > 0) process.exitCode = 1;

/** Packs the package and installs it with npm, as a user would. */
async function install(parent: string): Promise<string> {
  const installed = join(parent, 'installed');
  const tarball = await packInto(parent);
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"private": true}');
  const argv = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--silent', tarball];
  await promisify(execFile)('npm', argv, { cwd: installed });
  return installed;
}

/** The contenders alternate, so that other load on the machine affects all of them. The first runs fill caches. */
async function compare(
  contenders: readonly Contender[],
  run: (contender: Contender) => ReturnType<typeof measure>,
): Promise<Figures[]> {
  const samples = contenders.map((): Awaited<ReturnType<typeof measure>>[] => []);
  for (const contender of contenders) for (let warm = 0; warm < 2; warm += 1) await run(contender);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [index, contender] of contenders.entries()) samples[index]?.push(await run(contender));
  }
  return contenders.map(({ name, installMb }, index) => {
    const own = samples[index] ?? [];
    const gaps = own.flatMap(({ gapsMs }) => gapsMs);
    const [cpuMs, peakMb] = [median(own.map((each) => each.cpuMs)), median(own.map((each) => each.peakMb))];
    return { name, cpuMs, peakMb, gapMs: median(gaps), installMb };
  });
}

function report(figures: readonly Figures[]): void {
  const [bare, ours, peer] = figures;
  if (bare === undefined || ours === undefined) throw new Error('no contender was measured');
  console.log(`One prompt; the model requests ${rounds} reads of a file. Median of ${values.rounds} runs:\n`);
  console.log('                 CPU to 1st request   peak memory   gap to next request   installed');
  for (const { name, cpuMs, peakMb, gapMs, installMb } of figures) {
    const columns = [`${cpuMs.toFixed(0)} ms`.padStart(18), `${peakMb.toFixed(0)} MB`.padStart(14)];
    columns.push(`${gapMs.toFixed(1)} ms`.padStart(22), `${installMb.toFixed(1)} MB`.padStart(12));
    console.log(`  ${name.padEnd(15)}${columns.join('')}`);
  }
  judge(ours.cpuMs <= bars.cpuMs, `${times(ours.cpuMs, bare.cpuMs)} the bare loop's CPU time; bar ${bars.cpuMs} ms`);
  judge(ours.peakMb <= bars.peakMb, `${times(ours.peakMb, bare.peakMb)} the bare loop's memory; bar ${bars.peakMb} MB`);
  const later = ours.gapMs - bare.gapMs;
  judge(later <= bars.gapMs, `gap ${later.toFixed(1)} ms longer than the bare loop's; bar ${bars.gapMs} ms`);
  judge(ours.installMb <= bars.installMb, `${ours.installMb.toFixed(1)} MB installed; bar ${bars.installMb} MB`);
  if (peer === undefined) console.log('\npi: skipped. Use --pi FOLDER to name the folder where it is installed.');
  else compareWith(ours, peer);
}

function compareWith(ours: Figures, peer: Figures): void {
  for (const key of ['cpuMs', 'peakMb', 'gapMs', 'installMb'] as const) {
    judge(ours[key] < peer[key], `${key}: ${times(ours[key], peer[key])} ${peer.name}`);
  }
}

function times(value: number, other: number): string {
  return `${(value / other).toFixed(2)} ×`;
}

function judge(isMet: boolean, result: string): void {
  console.log(`\n${isMet ? 'PASS' : 'FAIL'}: ${result}`);
  if (!isMet) failures.push(result);
}

function median(samples: readonly number[]): number {
  return samples.toSorted((left, right) => left - right)[Math.floor(samples.length / 2)] ?? Number.NaN;
}
