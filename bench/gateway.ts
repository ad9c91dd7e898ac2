// Compares the packed gateway with a bare node:http and undici pipe, Portkey and nginx: CPU time, latency and memory, as
// ratios. Options: --portkey FOLDER (where `@portkey-ai/gateway` is installed), --nginx COMMAND, --rounds=N,
// --soak=REQUESTS (checks that memory stays flat over that many), --check (exits with 1 if a bar is missed).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { packInto, unpackInto } from '../scripts/pack.ts';
import { commandPart } from '../test/support/requirement.ts';
import { nginx, ours, pipe, portkey, type Contender, type Running } from './gateway/contender.ts';
import { holdStreams, readStreams, sendRequests, timeRequests, type Wire } from './gateway/load.ts';
import { cpuOf, fileLimit, memoryOf } from './gateway/process-meter.ts';
import { median } from './heal-speed/clock.ts';
import { requirePeer } from './peer.ts';

const { values: options } = parseArgs({
  options: {
    'portkey': { type: 'string' },
    'nginx': { type: 'string' },
    'rounds': { type: 'string', default: '5' },
    'soak': { type: 'string' },
    'check': { type: 'boolean', default: false },
  },
});
requirePeer({ option: '--portkey', folder: options.portkey, name: '@portkey-ai/gateway' });
const rounds = Number(options.rounds);
const pace = { streams: 100, chunks: 100, milliseconds: 20 };
const requests = 6000;
/** Requests until V8 has compiled everything. */
const warmUp = 30_000;
/**
 * As many as the limit of open files allows. With few streams, V8's reserve for new objects (about 50 MB) dominates the
 * result, and a process with more garbage at the start seems to need less memory per stream.
 */
const idleStreams = Math.min(9900, Math.floor((fileLimit() - 200) / 200) * 100);

type Name = Contender['name'];
/** One figure for each contender and round. */
type Figures = Partial<Record<Name, number[]>>;

const verdicts: { readonly what: string; readonly ratio: number; readonly bar: number }[] = [];
const folder = await mkdtemp(join(tmpdir(), 'bench-gateway-'));
const upstream = spawn(process.execPath, [join(import.meta.dirname, 'gateway/upstream.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = (await once(upstream.stdout, 'data')) as [Buffer];
  await compare(await contendersFor(line.toString().trim()), line.toString().trim());
  report();
} finally {
  upstream.kill();
  await rm(folder, { recursive: true });
}

async function contendersFor(origin: string): Promise<Contender[]> {
  const packed = await unpackInto(folder, await packInto(folder));
  await symlink(join(import.meta.dirname, '../node_modules'), join(packed, 'node_modules'));
  const command = options.nginx ?? (commandPart('nginx').isPresent ? 'nginx' : undefined);
  if (options.portkey === undefined)
    console.log('Portkey: skipped. Use --portkey FOLDER to name the folder where it is installed.');
  if (command === undefined) console.log('nginx: skipped. Install it, or use --nginx COMMAND.');
  return [
    ours(packed, folder, origin),
    pipe(origin),
    pipe(origin, 'lean'),
    ...(options.portkey === undefined ? [] : [portkey(options.portkey, origin)]),
    ...(command === undefined ? [] : [nginx(command, folder, origin)]),
  ];
}

async function compare(contenders: readonly Contender[], origin: string): Promise<void> {
  const all = await startAll(contenders);
  try {
    show('idle memory, MB', all, idleMemory(all));
    await measureRequests(all);
    await measureStreams(all, 'openai');
    await measureStreams(
      all.filter(({ contender: { name } }) => name === 'ours' || name === 'pipe'),
      'anthropic',
    );
    await measureLatency(all, origin);
    if (options.soak !== undefined) await soak(all[0]!, Number(options.soak));
  } finally {
    await Promise.all(all.map((running) => running.stop()));
  }
  await measureIdleStreams(contenders);
  await measureStart(contenders);
}

async function startAll(contenders: readonly Contender[]): Promise<Running[]> {
  const all: Running[] = [];
  for (const contender of contenders) all.push(await contender.start());
  for (const running of all) await sendRequests(running, 1, 1);
  await sleep(2000);
  return all;
}

function idleMemory(all: readonly Running[]): Figures {
  const figures = Object.fromEntries(all.map(({ contender, pid }) => [contender.name, [memoryOf(pid)]])) as Figures;
  judge('idle memory, MB', figures.ours?.[0] ?? Number.NaN, 100);
  return figures;
}

async function measureRequests(all: readonly Running[]): Promise<void> {
  for (const running of all) await sendRequests(running, warmUp);
  const figures = await inTurns(all, async (running) =>
    cpuFor(running, requests, () => sendRequests(running, requests)),
  );
  show('CPU µs per request, 64 connections', all, figures);
  judgeRatio('CPU per request, ours ÷ bare pipe', figures, { to: 'pipe', bar: 1.6 });
  judgeRatio('CPU per request, ours ÷ Portkey', figures, { to: 'portkey', bar: 0.15 });
}

async function measureStreams(all: readonly Running[], wire: Wire): Promise<void> {
  const { streams, chunks } = pace;
  const read = (running: Running) => readStreams(running, wire, pace);
  for (const running of all) await read(running);
  const figures = await inTurns(all, (running) => cpuFor(running, streams * chunks, () => read(running)));
  const isSame = wire === 'openai';
  show(`CPU µs per chunk, ${streams} paced streams, ${isSame ? 'same wire' : 'translated'}`, all, figures);
  if (isSame) {
    judgeRatio('CPU per streamed chunk, ours ÷ bare pipe', figures, { to: 'pipe', bar: 1.6 });
    judgeRatio('CPU per streamed chunk, ours ÷ Portkey', figures, { to: 'portkey', bar: 1 });
  } else judgeRatio('CPU per translated chunk, ours ÷ bare translating pipe', figures, { to: 'pipe', bar: 2 });
}

async function measureLatency(all: readonly Running[], origin: string): Promise<void> {
  const direct: Running = { ...all[1]!, origin };
  const added = await inTurns(all, async (running) => {
    const [through, without] = [await timeRequests(running, 1500), await timeRequests(direct, 1500)];
    return (median(through) - median(without)) * 1000;
  });
  show('µs added to the median response, one connection', all, added);
  judgeRatio('added latency, ours ÷ Portkey', added, { to: 'portkey', bar: 0.4 });
}

/** Compares the peak memory of the second half of many requests with that of the first half. */
async function soak(running: Running, count: number): Promise<void> {
  const tenth = Math.ceil(count / 10);
  const memory: number[] = [];
  for (let part = 0; part < 10; part += 1) {
    await sendRequests(running, tenth);
    memory.push(memoryOf(running.pid));
  }
  console.log(`\nmemory over ${count} requests, MB: ${memory.map((size) => size.toFixed(0)).join(' ')}`);
  judge(
    'peak memory, second half ÷ first half of the requests',
    Math.max(...memory.slice(5)) / Math.max(...memory.slice(0, 5)),
    1.1,
  );
}

async function measureIdleStreams(contenders: readonly Contender[]): Promise<void> {
  const figures: Figures = {};
  const remaining = new Set(contenders);
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    for (const contender of remaining) {
      const running = await contender.start();
      try {
        (figures[contender.name] ??= []).push(await idleStreamMemory(running));
      } catch (error) {
        console.log(`${contender.name}: could not hold ${idleStreams} streams (${String(error)})`);
        remaining.delete(contender);
      }
      await running.stop();
    }
  }
  show(`KB per stream, ${idleStreams} idle streams`, [...remaining], figures);
  judgeRatio('memory of an idle stream, ours ÷ bare pipe', figures, { to: 'pipe', bar: 1.5 });
}

async function idleStreamMemory(running: Running): Promise<number> {
  await sendRequests(running, 5000);
  // The first streams pay for memory that stays allocated, mostly compiled code.
  const releaseFirst = await holdStreams(running, 100);
  await releaseFirst();
  await sleep(500);
  const before = memoryOf(running.pid);
  const release = await holdStreams(running, idleStreams);
  await sleep(500);
  const memory = ((memoryOf(running.pid) - before) * 1024) / idleStreams;
  await release();
  return memory;
}

async function measureStart(contenders: readonly Contender[]): Promise<void> {
  const figures = await inTurns(contenders, async (contender) => {
    const started = performance.now();
    const running = await contender.start();
    await sendRequests(running, 1, 1);
    const time = performance.now() - started;
    await running.stop();
    return time;
  });
  show('ms from the start to the first response', contenders, figures);
}

async function cpuFor({ pid }: Running, count: number, work: () => Promise<void>): Promise<number> {
  const before = cpuOf(pid);
  await work();
  return (cpuOf(pid) - before) / count;
}

/** Measures every contender in every round, so that other load on the machine affects all of them. */
async function inTurns<T extends Contender | Running>(
  all: readonly T[],
  measure: (one: T) => Promise<number>,
): Promise<Figures> {
  const figures: Figures = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const one of all) (figures[nameOf(one)] ??= []).push(await measure(one));
  }
  return figures;
}

function nameOf(one: Contender | Running): Name {
  return 'contender' in one ? one.contender.name : one.name;
}

function show(title: string, all: readonly (Contender | Running)[], figures: Figures): void {
  console.log(`\n${title}`);
  const own = median(figures.ours ?? []);
  for (const one of all) {
    const values = figures[nameOf(one)] ?? [];
    const range = values.length === 1 ? '' : `  (${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)})`;
    const ratio = (own / median(values)).toFixed(2);
    console.log(
      `  ${nameOf(one).padEnd(8)}${median(values).toFixed(1).padStart(9)}${range.padEnd(20)}  ours is ${ratio} ×`,
    );
  }
}

/** The ratio is computed per round; its median is compared with the bar. */
function judgeRatio(what: string, figures: Figures, { to, bar }: { readonly to: Name; readonly bar: number }): void {
  const others = figures[to];
  if (others === undefined) return;
  judge(what, median((figures.ours ?? []).map((value, round) => value / (others[round] ?? Number.NaN))), bar);
}

function judge(what: string, ratio: number, bar: number): void {
  verdicts.push({ what, ratio, bar });
}

function report(): void {
  console.log('');
  for (const { what, ratio, bar } of verdicts) {
    const passed = ratio <= bar;
    console.log(`${passed ? 'PASS  ' : 'MISSED'}  ${what}: ${ratio.toFixed(2)}, bar ${bar}`);
    if (options.check && !passed) process.exitCode = 1;
  }
}
