// The packed coding agent beside a bare Node loop and pi: CPU to the first request, memory, the gap between answers, size.
// `--pi FOLDER` measures pi from where it is installed. `--check`: exit with 1 when a bar is missed. `--rounds=N`: more
// rounds for a busy machine. Linux only: it reads /proc.

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
  for (const made of [project, home]) await mkdir(made);
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

/** As a user installs it. */
async function install(place: string): Promise<string> {
  const installed = join(place, 'installed');
  const tarball = await packInto(place);
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"private": true}');
  const argv = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--silent', tarball];
  await promisify(execFile)('npm', argv, { cwd: installed });
  return installed;
}

/** They take turns, so that a busy machine slows them alike. The first runs fill caches. */
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
  if (bare === undefined || ours === undefined) throw new Error('nothing was measured');
  console.log(`One prompt, the model has a file read ${rounds} times; median of ${values.rounds} runs:\n`);
  console.log('                 CPU to 1st request   peak memory   gap to next request   installed');
  for (const { name, cpuMs, peakMb, gapMs, installMb } of figures) {
    const columns = [`${cpuMs.toFixed(0)} ms`.padStart(18), `${peakMb.toFixed(0)} MB`.padStart(14)];
    columns.push(`${gapMs.toFixed(1)} ms`.padStart(22), `${installMb.toFixed(1)} MB`.padStart(12));
    console.log(`  ${name.padEnd(15)}${columns.join('')}`);
  }
  judge(ours.cpuMs <= bars.cpuMs, `${times(ours.cpuMs, bare.cpuMs)} the bare loop's CPU; at most ${bars.cpuMs} ms`);
  judge(ours.peakMb <= bars.peakMb, `${times(ours.peakMb, bare.peakMb)} its memory; at most ${bars.peakMb} MB`);
  const later = ours.gapMs - bare.gapMs;
  judge(later <= bars.gapMs, `the next request ${later.toFixed(1)} ms after the bare loop's; at most ${bars.gapMs} ms`);
  judge(ours.installMb <= bars.installMb, `${ours.installMb.toFixed(1)} MB installed; at most ${bars.installMb} MB`);
  if (peer === undefined) console.log('\npi was not measured: --pi FOLDER says where it is installed');
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

function judge(isKept: boolean, said: string): void {
  console.log(`\n${isKept ? 'PASS' : 'FAIL'}: ${said}`);
  if (!isKept) failures.push(said);
}

function median(samples: readonly number[]): number {
  return samples.toSorted((left, right) => left - right)[Math.floor(samples.length / 2)] ?? Number.NaN;
}
