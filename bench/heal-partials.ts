// Partial values of streamed text: how often something shown is taken back, and how much later a monotone value shows it.
// Uses generated JSON, and real-answers.jsonl from the folder that SIMPLE_AGENTS_CORPORA names. Options: --verbose (lists
// what was taken back), --check (exit with 1 if a monotone value is taken back).

import { parseArgs } from 'node:util';

import { HealError, healStream, type HealStream, type JsonSchema } from '../src/heal/index.ts';
import { cutEvery, cutRandomly } from '../test/support/chunks.ts';
import { realAnswers, skipRealAnswers } from '../test/support/real-answers.ts';
import { recordsSchema, recordsText } from './heal-speed/document.ts';
import { appearances, lagsOf } from './heal-partials/lag.ts';
import { withdrawalOf, type Withdrawal } from './heal-partials/withdrawal.ts';

interface Streamed {
  readonly id: string;
  readonly schema: JsonSchema;
  readonly text: string;
}

const { values: options } = parseArgs({
  options: { verbose: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
});
const clean: Streamed[] = [1_000, 10_000].map((length) => ({
  id: `clean ${length}`,
  schema: recordsSchema,
  text: recordsText(length),
}));

measure('clean JSON', clean);
if (skipRealAnswers === false) measure('responses of real models', realAnswers());
else console.log(`responses of real models: not measured: ${skipRealAnswers}`);

function measure(name: string, texts: readonly Streamed[]): void {
  console.log(`${name}: ${texts.length} texts`);
  for (const monotone of [false, true]) {
    const label = monotone ? 'monotone' : 'live';
    const found = texts.map((text, index) => readAll(text, monotone, index));
    const withdrawn = found.filter(({ steps }) => steps.length > 0).length;
    const final = found.filter(({ hasValue }) => hasValue);
    const contradicted = final.filter(({ atEnd }) => atEnd !== undefined).length;
    console.log(
      `  ${label.padEnd(9)} taken back in ${withdrawn}; final value contradicts the last partial in ${contradicted} of ${final.length}`,
    );
    for (const [cause, count] of countCauses(found.map(({ steps }) => steps))) console.log(`    ${cause}: ${count}`);
    if (monotone && options.check && withdrawn > 0) process.exitCode = 1;
  }
  printLag(texts);
}

interface Readings {
  readonly steps: readonly Withdrawal[];
  readonly atEnd: Withdrawal | undefined;
  readonly hasValue: boolean;
}

/** Reads a text in pieces of different lengths. */
function readAll(streamed: Streamed, monotone: boolean, seed: number): Readings {
  const { text } = streamed;
  const all = [cutEvery(text, 1), cutEvery(text, 4), cutRandomly(text, seed)].map((chunks) =>
    read(streamed, monotone, chunks),
  );
  const steps = all.flatMap((each) => each.steps);
  if (options.verbose) for (const step of steps.slice(0, 3)) print(streamed.id, step);
  const [{ atEnd, hasValue }] = all as [Readings];
  if (options.verbose && atEnd !== undefined) print(`${streamed.id} at the end`, atEnd);
  return { steps, atEnd, hasValue };
}

function read({ schema }: Streamed, monotone: boolean, chunks: readonly string[]): Readings {
  const stream: HealStream = healStream(schema, { monotone });
  const steps: Withdrawal[] = [];
  let before: unknown;
  for (const chunk of chunks) {
    const patches = stream.push(chunk);
    const after = stream.snapshot();
    const step = withdrawalOf(before, after, patches);
    if (step !== undefined) steps.push(step);
    before = after;
  }
  const final = finalOf(stream);
  return { steps, hasValue: final !== undefined, atEnd: final && withdrawalOf(before, final.value, []) };
}

/** The final value, also if it contradicts what was shown. */
function finalOf(stream: HealStream): { readonly value: unknown } | undefined {
  try {
    return stream.end();
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    return error.kind === 'contradiction' ? error : undefined;
  }
}

function countCauses(texts: readonly (readonly Withdrawal[])[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const steps of texts) {
    for (const cause of new Set(steps.map((step) => step.cause))) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return [...counts].toSorted(([, left], [, right]) => right - left);
}

/** Only texts with a final value: it tells what should have been shown. */
function printLag(texts: readonly Streamed[]): void {
  const healed = texts.filter((each) => read(each, false, [each.text]).hasValue);
  const lags = healed.flatMap(({ schema, text }) => {
    const [live, monotone] = [healStream(schema), healStream(schema, { monotone: true })];
    const lengths = lagsOf(appearances(live, text), appearances(monotone, text), text.length);
    return lengths.map((characters) => ({ characters, share: characters / text.length }));
  });
  const late = lags.filter(({ characters }) => characters > 0).length;
  const [median, p95, longest] = [0.5, 0.95, 1].map((share) => quantiles(lags, share));
  console.log(
    `  lag of ${lags.length} scalars: median ${median}; p95 ${p95}; longest ${longest}; ${late} scalars are late\n`,
  );
}

interface Lag {
  readonly characters: number;
  /** Of the text. */
  readonly share: number;
}

function quantiles(lags: readonly Lag[], share: number): string {
  const characters = quantile(
    lags.map((lag) => lag.characters),
    share,
  );
  const part = quantile(
    lags.map((lag) => lag.share),
    share,
  );
  return `${characters} characters, ${(100 * part).toFixed(1)} % of the text`;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function print(id: string, { cause, path, before, after }: Withdrawal): void {
  const [was, is] = [before, after].map((value) => (JSON.stringify(value) ?? 'absent').slice(0, 60));
  console.log(`    ${id}: ${cause} at ${JSON.stringify(path)}: ${was} → ${is}`);
}
