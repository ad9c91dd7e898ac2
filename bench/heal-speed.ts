// Speed of healing, compared with JSON.parse (valid JSON), jsonrepair and zod (damaged texts), and jsonriver (streams).
// Options: --rounds=N, --check (exit with 1 if a bar is missed), --chart FILE (draw the cost of streaming).

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { drawChart, duration, type Line } from './heal-speed/chart.ts';
import { median, ratioOf, timeEachRound, type Task } from './heal-speed/clock.ts';
import { damagedTexts, recordsModel, recordsSchema, recordsText } from './heal-speed/document.ts';
import {
  aiSdkAgain,
  estimateReparsing,
  monotone,
  repairAgain,
  river,
  typed,
  untyped,
  type Reader,
} from './heal-speed/streaming.ts';
import { heal } from '../src/heal/index.ts';

const bars = { untyped: 0.9, typed: 0.5, damaged: 1, growth: 2.2, river: 4, reparsing: 500 };

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    check: { type: 'boolean', default: false },
    chart: { type: 'string' },
  },
});
const rounds = Number(options.rounds);
const damagedSizes = { '1 KB': 1_000, '10 KB': 10_000, '100 KB': 100_000 };
const missed: string[] = [];

await measureValid();
await measureDamaged();
await measureStreaming();
console.log(missed.length === 0 ? '\nall bars met' : `\nMISSED\n  ${missed.join('\n  ')}`);
if (options.check && missed.length > 0) process.exitCode = 1;

async function measureValid(): Promise<void> {
  console.log('valid JSON: speed relative to JSON.parse, without and with a schema');
  for (const [name, length] of Object.entries({ '1 KB': 1_000, '100 KB': 100_000, '1 MB': 1_000_000 })) {
    const text = recordsText(length);
    const tasks = [() => JSON.parse(text) as unknown, () => heal(text), () => heal(text, recordsSchema)];
    const [parse, plain, withSchema] = (await timeEachRound(tasks, rounds)) as [number[], number[], number[]];
    const [untypedSpeed, typedSpeed] = [ratioOf(parse, plain), ratioOf(parse, withSchema)];
    console.log(`${name.padEnd(8)}${figure(untypedSpeed)} untyped${figure(typedSpeed)} typed`);
    atLeast(`${name} of valid JSON, untyped`, untypedSpeed, bars.untyped);
    atLeast(`${name} of valid JSON, typed`, typedSpeed, bars.typed);
  }
}

/**
 * With a schema, compared with the pipeline a user would write: jsonrepair, JSON.parse, zod's parse. The bar applies
 * here.
 */
async function measureDamaged(): Promise<void> {
  console.log(
    '\ndamaged text: speed with a schema relative to jsonrepair and zod; without one, relative to jsonrepair',
  );
  for (const [name, length] of Object.entries(damagedSizes)) {
    const texts = damagedTexts(recordsText(length)).filter((text) => isReadByBoth(text));
    const [pipeline, typedTimes, repair, untypedTimes] = (await timeEachRound(damagedTasks(texts), rounds)) as Times;
    const speed = ratioOf(pipeline, typedTimes);
    const what = `${name}, ${texts.length} texts`;
    console.log(
      `${what}:${figure(speed)} typed, ours ${duration(median(typedTimes))};${figure(ratioOf(repair, untypedTimes))} untyped`,
    );
    atLeast(`damaged (${name}) with a schema, relative to jsonrepair and zod`, speed, bars.damaged);
  }
}

type Times = [number[], number[], number[], number[]];

function damagedTasks(texts: readonly string[]): Task[] {
  return [
    () => texts.forEach((text) => repairTyped(text)),
    () => texts.forEach((text) => heal(text, recordsModel, { minConfidence: 0 })),
    () => texts.forEach((text) => repairAgain(text)),
    () => texts.forEach((text) => heal(text, undefined, { minConfidence: 0 })),
  ];
}

function repairTyped(text: string): unknown {
  return recordsModel.parse(repairAgain(text));
}

/** Excludes texts that one of the two gives up on, because that would be fast. */
function isReadByBoth(text: string): boolean {
  try {
    repairTyped(text);
    heal(text, recordsModel, { minConfidence: 0 });
    return true;
  } catch {
    return false;
  }
}

interface Streaming extends Line {
  /** The time for each size divided by the time for half of it. */
  readonly growths: readonly number[];
}

type Measured = Pick<Streaming, 'points' | 'growths'>;

async function measureStreaming(): Promise<void> {
  const sizes = [25, 50, 100, 200, 400];
  const lines: Streaming[] = [
    { name: 'ours, untyped', colour: '#0a7d38', ...(await measure(sizes, untyped)) },
    { name: 'ours, typed', colour: '#1f5fbf', ...(await measure(sizes, typed)) },
    { name: 'ours, monotone', colour: '#00838f', ...(await measure(sizes, monotone)) },
    { name: 'jsonriver', colour: '#8a6d00', ...(await measure(sizes, river)) },
    { name: 'jsonrepair', colour: '#b3261e', ...(await estimate(sizes, repairAgain)) },
    { name: 'AI SDK', colour: '#7b3fa0', ...(await estimate(sizes, aiSdkAgain)) },
  ];
  console.log(`\nstreaming, 4 characters at a time, reading the value after each chunk`);
  console.log(`${''.padEnd(16)}${sizes.map((size) => `${size} KB`.padStart(10)).join('')}   growth when doubled`);
  for (const line of lines) console.log(streamingRow(line));
  judgeStreaming(lines);
  if (options.chart !== undefined) writeFileSync(options.chart, drawChart(lines));
}

async function measure(sizes: readonly number[], reader: Reader): Promise<Measured> {
  const texts = sizes.map((size) => recordsText(size * 1_000));
  const times = await timeEachRound(
    texts.map((text) => () => reader(text)),
    rounds,
  );
  const growths = times.slice(1).map((longer, index) => ratioOf(longer, times[index]!));
  return { points: sizes.map((size, index) => [size, median(times[index]!)]), growths };
}

async function estimate(sizes: readonly number[], parseAgain: Reader): Promise<Measured> {
  const points: [number, number][] = [];
  // The first run is a warm-up.
  await estimateReparsing(recordsText(50_000), parseAgain);
  for (const size of sizes) points.push([size, await estimateReparsing(recordsText(size * 1_000), parseAgain)]);
  return { points, growths: points.slice(1).map(([, ms], index) => ms / points[index]![1]) };
}

function streamingRow({ name, points, growths }: Streaming): string {
  const times = points.map(([, ms]) => duration(ms).padStart(10));
  return `${name.padEnd(16)}${times.join('')}   ${growths.map((growth) => growth.toFixed(2)).join(' ')}`;
}

function judgeStreaming([plain, withSchema, growing, peer, , aiSdk]: readonly Streaming[]): void {
  for (const { name, growths } of [plain!, withSchema!, growing!]) {
    atMost(`streaming (${name}), worst growth when doubled`, Math.max(...growths), bars.growth);
  }
  const behind = median(plain!.points.map(([, ms], index) => ms / peer!.points[index]![1]));
  console.log(`untyped takes ${behind.toFixed(2)} times as long as jsonriver (bar ${bars.river})`);
  atMost('streaming untyped, time relative to jsonriver', behind, bars.river);
  const [ahead, typedAhead] = [at100(aiSdk!) / at100(plain!), at100(aiSdk!) / at100(withSchema!)];
  console.log(
    `at 100 KB the AI SDK takes ${Math.round(ahead)} times as long as untyped (bar ${bars.reparsing}), ` +
      `${Math.round(typedAhead)} times as long as typed`,
  );
  atLeast('streaming 100 KB, relative to the AI SDK', ahead, bars.reparsing);
}

function at100({ points }: Line): number {
  return points.find(([kilobytes]) => kilobytes === 100)![1];
}

function atLeast(what: string, ratio: number, bar: number): void {
  if (!(ratio >= bar)) missed.push(`${what}: ${ratio.toFixed(2)}, below ${bar}`);
}

function atMost(what: string, ratio: number, bar: number): void {
  if (!(ratio <= bar)) missed.push(`${what}: ${ratio.toFixed(2)}, above ${bar}`);
}

function figure(value: number): string {
  return value.toFixed(2).padStart(8);
}
