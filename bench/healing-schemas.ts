// Schemas of real projects (JSONSchemaBench): how many compile, and how well damaged values of each are healed.
// Reads the folder of a checkout of guidance-ai/jsonschemabench: npm run bench -- healing-schemas FOLDER. A value is
// sampled for each schema and damaged in three ways. The same seed gives the same texts. Options: --seed TEXT, --share
// N (every Nth schema), --wrong N (prints N texts that gave another value with confidence), --refusals, --check (exit
// with 1 if the bar is missed).

import { parseArgs } from 'node:util';

import { loadSchemas, type BenchSchema } from './healing-schemas/schema-file.ts';
import { damageSample, healDamaged, sampleFor, type HealedCase } from './healing-schemas/schema-case.ts';
import { compileFor, type Compiled } from './healing-schemas/compiled-schema.ts';
import { countBy, percentile, share } from './healing-schemas/figures.ts';

/** In percent. */
const compileBar = 99;
const waysToDamage = 3;

const { values: options, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: '2026' },
    share: { type: 'string', default: '1' },
    wrong: { type: 'string', default: '0' },
    refusals: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [folder = process.env['JSON_SCHEMA_BENCH']] = positionals;
if (folder === undefined) console.log('not measured: name the folder of a checkout of guidance-ai/jsonschemabench');
else run(folder);

function run(path: string): void {
  const schemas = loadSchemas(path).filter((_, index) => index % Number(options.share) === 0);
  const compiled = schemas.map(compileFor);
  reportCompilation(compiled);
  const cases: HealedCase[] = [];
  const times: number[] = [];
  const unsampled: string[] = [];
  for (const each of compiled) {
    if (each.target === undefined) continue;
    const found = healSchema(each.schema);
    if (typeof found === 'string') unsampled.push(found);
    else {
      cases.push(...found);
      times.push(each.time + found.reduce((sum, { time }) => sum + time, 0));
    }
  }
  reportHealing(cases, times, unsampled);
}

/** The reason if no valid value could be sampled. */
function healSchema(schema: BenchSchema): HealedCase[] | string {
  const sample = sampleFor(schema, options.seed);
  if ('reason' in sample) return sample.reason;
  return damageSample(schema, sample.value, { seed: options.seed, ways: waysToDamage }).map(healDamaged);
}

function reportCompilation(compiled: readonly Compiled[]): void {
  const refused = compiled.filter(({ error }) => error !== undefined);
  const percent = 100 - share(refused.length, compiled.length);
  const isMet = percent >= compileBar;
  console.log(`${compiled.length} schemas, ${compiled.length - refused.length} compile: ${percent.toFixed(2)} %`);
  console.log(`bar: ${compileBar} % compile: ${isMet ? 'met' : 'MISSED'}`);
  for (const { schema, error } of refused) console.log(`  ${schema.name}: ${error}`);
  const times = compiled.map(({ time }) => time);
  console.log(`compile ${timesOf(times)}\n`);
  if (options.check && !isMet) process.exitCode = 1;
}

function reportHealing(cases: readonly HealedCase[], times: readonly number[], unsampled: readonly string[]): void {
  const total = times.length + unsampled.length;
  console.log(`${times.length} of ${total} schemas have a sampled value that is valid`);
  for (const [reason, count] of countBy(unsampled, (each) => each).slice(0, 5)) console.log(`  ${count} × ${reason}`);
  console.log(`${cases.length} damaged texts`);
  for (const [verdict, count] of countBy(cases, (each) => each.verdict))
    console.log(`  ${verdict.padEnd(20)} ${share(count, cases.length).toFixed(2)} %  (${count})`);
  console.log(`compile and heal three texts, ${timesOf(times)}`);
  const wrong = cases.filter(({ verdict }) => verdict === 'wrong but confident');
  console.log('kinds of damage behind wrong but confident values:');
  for (const [kind, count] of countBy(wrong, (each) => each.kind).slice(0, 12)) console.log(`  ${count} × ${kind}`);
  for (const each of wrong.slice(0, Number(options.wrong))) printCase(each);
  if (options.refusals)
    for (const each of cases.filter(({ verdict }) => verdict === 'refused'))
      console.log(`${each.name}: ${each.kind}: ${each.message}`);
}

function printCase({ name, kind, text, expected, value, flags }: HealedCase): void {
  console.log(`\n${name}: ${kind}\n  text     ${text.slice(0, 600)}`);
  console.log(`  expected ${JSON.stringify(expected).slice(0, 400)}`);
  console.log(`  value    ${JSON.stringify(value).slice(0, 400)}\n  flags    ${flags.join(', ')}`);
}

function timesOf(times: readonly number[]): string {
  const [half, most, longest] = [0.5, 0.99, 1].map((rank) => percentile(times, rank).toFixed(2));
  return `time per schema: p50 ${half} ms, p99 ${most} ms, max ${longest} ms`;
}
