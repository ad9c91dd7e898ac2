// The Python package beside the official OpenAI client and litellm: start, CPU, concurrent streams, memory, size.
// Options: --rounds N. The peers are installed from PyPI into a cache folder. Linux only, because it reads /proc.
// `npm run bench -- bindings --check` exits with 1 if a bar is missed.

import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createSimulateServer } from '../src/testing/simulate/server.ts';
import { peerEnvironment, pythonPackage } from '../test/support/python-package.ts';

interface Sample {
  /** Milliseconds. */
  readonly wall: number;
  readonly cpu: number;
  /** Megabytes. */
  readonly rss?: number;
  readonly pieces?: number;
}

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, check: { type: 'boolean', default: false } },
});
const rounds = Number(options.rounds);
const run = promisify(execFile);
const program = join(import.meta.dirname, 'bindings/measure.py');
const libraries = ['simple_agents', 'openai', 'litellm'] as const;

const { wheel } = await pythonPackage();
const python = await peerEnvironment(join(import.meta.dirname, 'bindings/requirements.txt'), wheel);
const server = await createSimulateServer();
try {
  const size = statSync(wheel).size / 1e6;
  console.log(`wheel: ${size.toFixed(2)} MB`);
  const first = await compare('first', 'import and first answer');
  await compare('pieces', 'a stream of 1,000 pieces');
  await compare('threads', '100 streams of 50 pieces in threads');
  await compare('asyncio', '100 streams of 50 pieces in an event loop');
  await compare('healing', 'healing 1 KB into a pydantic model', ['simple_agents', 'json_repair']);
  judge([
    { name: 'wheel, MB', value: size, bar: 4 },
    { name: 'first answer / litellm', value: ratio(first, 'litellm', 'wall'), bar: 0.25 },
    { name: 'first answer / openai', value: ratio(first, 'openai', 'wall'), bar: 1 },
    { name: 'memory / litellm', value: ratio(first, 'litellm', 'rss'), bar: 0.5 },
  ]);
} finally {
  await server.close();
}

/** Runs alternate, so that other load on the machine affects all libraries. Prints and returns the medians. */
async function compare(
  scenario: string,
  title: string,
  names: readonly string[] = libraries,
): Promise<ReadonlyMap<string, Sample>> {
  const samples = new Map<string, Sample[]>(names.map((name) => [name, []]));
  // The first run of each fills the page cache and compiles the modules.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const sample = await measure(name, scenario);
      if (round > 0) samples.get(name)?.push(sample);
    }
  }
  const medians = new Map([...samples].map(([name, all]) => [name, medianOf(all)]));
  console.log(`\n${title}, median of ${rounds}`);
  for (const [name, sample] of medians) console.log(`  ${name.padEnd(14)} ${describe(sample)}`);
  return medians;
}

async function measure(name: string, scenario: string): Promise<Sample> {
  const { stdout } = await run(python, [program, name, scenario, `${server.url}/v1`], { maxBuffer: 1e8 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Sample;
}

function medianOf(samples: readonly Sample[]): Sample {
  const median = (read: (sample: Sample) => number): number =>
    samples.map(read).toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN;
  const { rss, pieces } = samples[0] ?? {};
  return {
    wall: median(({ wall }) => wall),
    cpu: median(({ cpu }) => cpu),
    ...(rss === undefined ? {} : { rss: median((sample) => sample.rss ?? Number.NaN) }),
    ...(pieces === undefined ? {} : { pieces }),
  };
}

function describe({ wall, cpu, rss, pieces }: Sample): string {
  const each = pieces === undefined ? '' : `, ${((cpu / pieces) * 1e3).toFixed(0)} µs CPU each`;
  const memory = rss === undefined ? '' : `, ${rss.toFixed(0)} MB`;
  return `${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms CPU${each}${memory}`;
}

function ratio(medians: ReadonlyMap<string, Sample>, peer: string, field: 'wall' | 'rss'): number {
  return (medians.get('simple_agents')?.[field] ?? Number.NaN) / (medians.get(peer)?.[field] ?? Number.NaN);
}

function judge(figures: readonly { readonly name: string; readonly value: number; readonly bar: number }[]): void {
  console.log('');
  for (const { name, value, bar } of figures) {
    const isMet = value <= bar;
    console.log(`${name.padEnd(24)} ${value.toFixed(2)}, bar ${bar}: ${isMet ? 'met' : 'MISSED'}`);
    if (!isMet && options.check) process.exitCode = 1;
  }
}
