// How the time to heal hostile texts grows when their length doubles. Some are healed with a schema, up to the budget of
// the call.
// Linear growth is a ratio of 2. Measures CPU time, as the median of several runs. Options: --check exits with 1 if a ratio is
// above the bar. --stream heals in chunks of 64 characters. --megabytes=N is the length of the shorter text (default
// 1). --rounds=N is the number of runs (default 5, three times as many if the result is above the bar). A word selects
// the texts whose name contains it.

import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonSchema } from '../src/heal/index.ts';
import { cutEvery } from '../test/support/chunks.ts';
import { healChunks, healWhole } from '../test/support/heal-outcome.ts';
import { hostileTexts, typedHostileTexts, type HostileText } from '../test/support/hostile-texts.ts';

const bar = 2.3;
/**
 * Faster texts are healed several times in a row, because shorter measurements are dominated by clock and garbage
 * collector.
 */
const leastMs = 60;

/** A full garbage collection also discards compiled code. This is how long the warm-up after it takes... */
const warmMs = 150;

/** ...with texts that are shorter by this factor, so that they leave little garbage. */
const warmShare = 16;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

const { values: flags, positionals } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    stream: { type: 'boolean', default: false },
    megabytes: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
  },
  allowPositionals: true,
});

const rounds = Number(flags.rounds);
let worst = 0;
const families: readonly (readonly [name: string, family: Family])[] = [
  ...Object.entries(hostileTexts).map(([name, text]) => [name, { text, schema: undefined }] as const),
  ...Object.entries(typedHostileTexts).map(([name, family]) => [`${name} (typed)`, family] as const),
];
for (const [name, family] of families) {
  if (positionals.length > 0 && !positionals.some((word) => name.includes(word))) continue;
  const { ms, ratio } = growth(family, Number(flags.megabytes) * 1_000_000);
  worst = Math.max(worst, ratio);
  const verdict = ratio > bar ? '  ABOVE THE BAR' : '';
  console.log(`${name.padEnd(34)} ${ms.toFixed(1).padStart(8)} ms  × ${ratio.toFixed(2)}${verdict}`);
}
console.log(`worst ${worst.toFixed(2)}, bar ${bar}`);
if (flags.check && worst > bar) process.exitCode = 1;

interface Family {
  readonly text: HostileText;
  readonly schema: JsonSchema | undefined;
}

/** For the text, and for twice the text. */
type Times = readonly [single: number, double: number];

function growth({ text, schema }: Family, length: number): { ms: number; ratio: number } {
  const [sample, short, long] = [length / warmShare, length, length * 2].map((size) => ({
    text: text(size),
    schema,
  })) as [Sample, Sample, Sample];
  const count = Math.ceil(leastMs / msOf(short, sample));
  const times: Times[] = [];
  const measure = (wanted: number) => {
    while (times.length < wanted) times.push([msOf(short, sample, count), msOf(long, sample, count)]);
  };
  measure(rounds);
  // Other load on the machine can exceed what a few rounds average out, so more rounds are added.
  if (ratioOf(times) > bar) measure(3 * rounds);
  return { ms: median(times.map(([single]) => single)), ratio: ratioOf(times) };
}

function ratioOf(times: readonly Times[]): number {
  return median(times.map(([single, double]) => double / single));
}

interface Sample {
  readonly text: string;
  readonly schema: JsonSchema | undefined;
}

function run({ text, schema }: Sample): void {
  if (flags.stream) healChunks(cutEvery(text, 64), schema, { minConfidence: 0 });
  else healWhole(text, schema, { minConfidence: 0 });
}

/** Excludes garbage of the previous run, and compilation. */
function msOf(text: Sample, sample: Sample, count = 1): number {
  collectGarbage();
  warmUp(sample);
  collectGarbage({ type: 'minor' });
  return cpuMs(text, count) / count;
}

function warmUp(text: Sample): void {
  for (let spent = 0; spent < warmMs;) spent += cpuMs(text);
}

function cpuMs(text: Sample, count = 1): number {
  const before = process.cpuUsage();
  for (let repeat = 0; repeat < count; repeat += 1) run(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
