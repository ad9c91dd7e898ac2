// Values recovered from responses of real models, beside peers, and how many of them say what the text says by the labels
// in healing-real/. Reads real-answers.jsonl from the folder that SIMPLE_AGENTS_CORPORA names. Options: --answers FILE
// (also this file; can be repeated), --half fit|report (only this half of the ids), --python COMMAND (a Python with
// json_repair), --check (exit with 1 if a bar is missed).

import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

import type { JsonSchema } from '../src/core/json.ts';
import { corpus } from '../test/support/requirement.ts';
import { healRun, type HealRun, type Outcome } from '../test/support/damage/score.ts';
import { loadBaml } from './healing/baml.ts';
import { loadJsonrepair, loadPartialJson } from './healing/javascript.ts';
import { syntaxPeer, type Peer, type PeerLoader } from './healing/peer.ts';
import { loadJsonRepair } from './healing/python.ts';
import { digestOf, halfOf } from './healing-real/label.ts';
import { loadLabelled, type LabelledResponse } from './healing-real/labelled.ts';

interface Healed {
  readonly response: LabelledResponse;
  readonly value: unknown;
  readonly confidence: number;
  readonly isValid: boolean;
  readonly isFaithful: boolean;
}

/** In percent: of the values with the default confidence, how many say what the text says. */
const faithfulBar = 95;
const defaultConfidence = 0.7;

const { values: options } = parseArgs({
  options: {
    answers: { type: 'string', multiple: true, default: [] },
    half: { type: 'string' },
    python: { type: 'string', default: 'python3' },
    check: { type: 'boolean', default: false },
  },
});
const ours: Peer = { name: 'simple-agents', takesSchema: true, heal: async (runs) => runs.map(healRun) };
const peers: readonly PeerLoader[] = [
  async () => syntaxPeer('JSON.parse', (text) => JSON.parse(text) as unknown),
  loadJsonrepair,
  loadJsonRepair(options.python),
  loadPartialJson,
  loadBaml,
];

const { path, skip } = corpus('real-answers.jsonl');
const files = [...(skip === false ? [path] : []), ...options.answers];
if (files.length > 0) await run();
else console.log(`not measured: ${skip}`);

async function run(): Promise<void> {
  const sources = await Promise.all(
    files.map(async (file) => ({ name: basename(file), responses: (await loadLabelled(file)).filter(isInHalf) })),
  );
  for (const { name, responses } of sources) await printSource(name, responses);
  const all = sources.flatMap(({ responses }) => responses);
  if (sources.length > 1) await printSource('all', all);
  const own = await healAll(ours, all);
  if (options.half === undefined) {
    console.log('\nhalf      values  faithful');
    for (const half of ['fit', 'report']) printHalf(half, own);
  }
  printBins(own);
  judgeBar(own.filter(isSure));
}

function isInHalf({ id }: LabelledResponse): boolean {
  return options.half === undefined || options.half === halfOf(id);
}

async function printSource(name: string, responses: readonly LabelledResponse[]): Promise<void> {
  const answerable = responses.filter(({ labels }) => labels.length > 0).length;
  console.log(`\n${name}: ${responses.length} texts; ${answerable} hold a value of their schema\n`);
  console.log('                          values  schema-valid  faithful  not faithful');
  const own = await healAll(ours, responses);
  printRow(`simple-agents, ≥ ${defaultConfidence}`, own.filter(isSure));
  printRow('simple-agents, any', own);
  for (const load of peers) {
    const peer = await load();
    if (typeof peer === 'string') console.log(peer);
    else printRow(peer.name, await healAll(peer, responses));
  }
}

function isSure({ confidence }: Healed): boolean {
  return confidence >= defaultConfidence;
}

function printHalf(half: string, healed: readonly Healed[]): void {
  const sure = healed.filter((each) => halfOf(each.response.id) === half && isSure(each));
  const share = (100 * sure.filter((each) => each.isFaithful).length) / sure.length;
  console.log(`${half.padEnd(9)} ${String(sure.length).padStart(6)} ${share.toFixed(1).padStart(7)} %`);
}

/** The values a peer gives. A value that the schema does not accept counts too, because a caller may use it. */
async function healAll(peer: Peer, responses: readonly LabelledResponse[]): Promise<Healed[]> {
  const runs = responses.map(({ text, schema }): HealRun => ({
    damaged: { text, schema, accepted: [], isCut: false },
    isTyped: peer.takesSchema,
  }));
  const outcomes = await peer.heal(runs);
  return responses.flatMap((response, index) => toHealed(response, outcomes[index]));
}

function toHealed(response: LabelledResponse, outcome: Outcome | undefined): Healed[] {
  if (outcome === undefined || !('value' in outcome)) return [];
  const { value, confidence = 1 } = outcome;
  const { schema, labels } = response;
  const isFaithful = labels.includes(digestOf(value, schema));
  return [{ response, value, confidence, isValid: isValid(value, schema), isFaithful }];
}

/** By zod, which none of the contenders uses here. Unknown keys are allowed. */
function isValid(value: unknown, schema: JsonSchema): boolean {
  return z
    .fromJSONSchema(JSON.parse(JSON.stringify(schema).replaceAll(',"additionalProperties":false', '')) as never)
    .safeParse(value).success;
}

function printRow(name: string, healed: readonly Healed[]): void {
  const valid = healed.filter((each) => each.isValid).length;
  const faithful = healed.filter((each) => each.isFaithful).length;
  const cells = [
    healed.length,
    valid,
    faithful,
    valid - healed.filter((each) => each.isValid && each.isFaithful).length,
  ];
  console.log(
    name.padEnd(26) + cells.map((cell, index) => String(cell).padStart([6, 14, 10, 14][index] ?? 0)).join(''),
  );
}

function printBins(healed: readonly Healed[]): void {
  console.log('\nconfidence   values  faithful');
  const edges = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
  for (const [index, from] of edges.entries()) {
    const to = edges[index + 1] ?? Number.POSITIVE_INFINITY;
    const inside = healed.filter(({ confidence }) => confidence >= from && confidence < to);
    const share = (100 * inside.filter((each) => each.isFaithful).length) / inside.length;
    const label = to === Number.POSITIVE_INFINITY ? String(from) : `${from} to ${to}`;
    console.log(
      `${label.padEnd(12)} ${String(inside.length).padStart(6)} ${inside.length === 0 ? '' : `${share.toFixed(0).padStart(7)} %`}`,
    );
  }
}

function judgeBar(sure: readonly Healed[]): void {
  const share = (100 * sure.filter((each) => each.isFaithful).length) / sure.length;
  const isKept = share >= faithfulBar;
  console.log(
    `\nbar: ${faithfulBar} % of the values with the default confidence are faithful: ${share.toFixed(1)} %, ${isKept ? 'kept' : 'MISSED'}`,
  );
  if (options.check && !isKept) process.exitCode = 1;
}
