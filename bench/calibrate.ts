// Fits the weights of flags on texts with known truth, and reports how honest the confidence is on other texts: damaged
// documents of another seed, and the half of the labelled responses that was not fitted. Reads real-answers.jsonl from
// the folder that SIMPLE_AGENTS_CORPORA names. Options: --answers FILE (also this file; can be repeated), --write (save
// the weights), --chart FILE (draw the reliability), --check (exit with 1 if a bar is missed).

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { flagWeights } from '../src/heal/index.ts';
import { corpus } from '../test/support/requirement.ts';
import { drawReliability } from './calibrate/diagram.ts';
import { confidenceIn, fitWeights, type Weights } from './calibrate/fit.ts';
import { observeDamage, observeResponses, type Observation } from './calibrate/observation.ts';
import { measureReliability, type Prediction } from './calibrate/reliability.ts';
import { halfOf, type Half } from './healing-real/label.ts';
import { loadLabelled } from './healing-real/labelled.ts';

const weightsFile = join(import.meta.dirname, '../src/heal/report/flag-weights.ts');
const defaultConfidence = 0.7;
const bars = { damageError: 0.03, faithful: 0.95 };

/** There are many more damaged documents than responses, and they are less like what models write. */
const damageWeight = 0.02;
const [documents, pairs] = [6, 0.15];

const { values: options } = parseArgs({
  options: {
    answers: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    chart: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
});

const { path, skip } = corpus('real-answers.jsonl');
if (skip === false) await run();
else console.log(`not measured: ${skip}`);

async function run(): Promise<void> {
  const responses = (await Promise.all([path, ...options.answers].map(loadLabelled))).flat();
  const observe = (half: Half): Observation[] => observeResponses(responses.filter(({ id }) => halfOf(id) === half));
  const weights = fitWeights([
    ...observe('fit').map((each) => ({ ...each, weight: 1 })),
    ...observeDamage('fit', documents, pairs).map((each) => ({ ...each, weight: damageWeight })),
  ]);
  if (options.write) writeWeights(weights);
  else printDifferences(weights);
  const used = options.write ? weights : flagWeights;
  const damage = predict(observeDamage('report', documents, pairs), used);
  const real = predict(observe('report'), used);
  report('damaged documents', damage);
  report('labelled responses', real);
  if (options.chart !== undefined) writeFileSync(options.chart, chartOf(damage, real));
  judgeBars(damage, real);
}

function predict(observations: readonly Observation[], weights: Weights): Prediction[] {
  return observations.map((each) => ({ confidence: confidenceIn(each, weights), isFaithful: each.isFaithful }));
}

function report(name: string, predictions: readonly Prediction[]): void {
  const { count, bins, error, brier } = measureReliability(predictions);
  const sure = predictions.filter(isSure);
  const faithful = sure.filter(({ isFaithful }) => isFaithful).length;
  console.log(
    `\n${name}, not fitted: ${count} values, calibration error ${percent(error)}, Brier score ${brier.toFixed(4)}`,
  );
  console.log(
    `confidence of at least ${defaultConfidence}: ${sure.length}, faithful ${faithful} (${percent(faithful / sure.length)})`,
  );
  console.log('confidence  values  faithful');
  for (const bin of bins) {
    console.log(
      `${bin.confidence.toFixed(3).padStart(10)}${String(bin.count).padStart(8)}${percent(bin.faithful).padStart(10)}`,
    );
  }
}

function chartOf(damage: readonly Prediction[], real: readonly Prediction[]): string {
  return drawReliability([
    { name: 'damaged documents', colour: '#2563eb', bins: measureReliability(damage).bins },
    { name: 'responses of models', colour: '#dc2626', bins: measureReliability(real).bins },
  ]);
}

function judgeBars(damage: readonly Prediction[], real: readonly Prediction[]): void {
  const { error } = measureReliability(damage);
  const sure = real.filter(isSure);
  const faithful = sure.filter(({ isFaithful }) => isFaithful).length / sure.length;
  const isMet = error <= bars.damageError && faithful >= bars.faithful;
  console.log(
    `\nbars: calibration error on damaged documents at most ${percent(bars.damageError)}, ` +
      `${percent(bars.faithful)} of what passes by default is faithful: ${isMet ? 'met' : 'MISSED'}`,
  );
  if (options.check && !isMet) process.exitCode = 1;
}

function isSure({ confidence }: Prediction): boolean {
  return confidence >= defaultConfidence;
}

function printDifferences(weights: Weights): void {
  const kinds = Object.keys(weights) as (keyof Weights)[];
  const changed = kinds.filter((kind) => weights[kind] !== flagWeights[kind]);
  console.log(changed.length === 0 ? 'the weights in use are the fitted ones' : 'kind, weight in use, fitted weight:');
  for (const kind of changed) console.log(`  ${kind} ${flagWeights[kind]} ${weights[kind]}`);
}

function writeWeights(weights: Weights): void {
  const source = readFileSync(weightsFile, 'utf8');
  const rows = Object.entries(weights).map(
    ([kind, weight]) => `  ${kind.includes('-') ? `'${kind}'` : kind}: ${weight},`,
  );
  writeFileSync(weightsFile, source.replace(/(?<== \{\n)[^]*(?=\n\};)/, rows.join('\n')));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
