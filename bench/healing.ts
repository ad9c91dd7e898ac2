// Values recovered exactly from damaged documents, compared with jsonrepair, BAML, json_repair and two partial parsers.
// Every kind of damage on every document in every style, and half of all pairs of kinds. The same seed gives the same
// cases. Options: --documents N, --seed TEXT, --pairs SHARE (of all pairs), --worst N, --python COMMAND, --alone (no
// peers), --check (exit with 1 if a bar is missed).

import { parseArgs } from 'node:util';

import { loadBaml } from './healing/baml.ts';
import { loadBestEffort, loadJsonrepair, loadPartialJson } from './healing/javascript.ts';
import type { Peer, PeerLoader } from './healing/peer.ts';
import { loadJsonRepair } from './healing/python.ts';
import { tableHead, tableRow, worstKinds, type Scorecard } from './healing/table.ts';
import { pairCases, singleCases } from '../test/support/damage/case.ts';
import { makeDocuments } from '../test/support/damage/document.ts';
import { bars, healRun, missedBars, runsOf, type Run } from '../test/support/damage/score.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '11' },
    seed: { type: 'string', default: '2026' },
    pairs: { type: 'string', default: '0.5' },
    worst: { type: 'string', default: '12' },
    python: { type: 'string', default: 'python3' },
    alone: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

const ours: Peer = { name: 'simple-agents', takesSchema: true, heal: async (runs) => runs.map(healRun) };
const peers: readonly PeerLoader[] = [
  loadJsonRepair(options.python),
  loadJsonrepair,
  loadBaml,
  loadPartialJson,
  loadBestEffort,
];

const documents = makeDocuments(options.seed, Number(options.documents));
const cases = [...singleCases(options.seed, documents), ...pairCases(options.seed, documents, Number(options.pairs))];
const runs = runsOf(cases);
console.log(`${cases.length} damaged texts of ${documents.length} documents, seed ${options.seed}; in percent\n`);
console.log(tableHead());
const own = await score(ours, runs);
console.log(tableRow(own));
const rows = (options.alone ? [] : peers).map(measure);
for (const row of rows) console.log(await row);
console.log('wrong: a wrong value with a confidence of at least 0.7, or from a library without confidence');
console.log('doubted: the right value with a lower confidence, so that it is rejected by default');
console.log(worstKinds(own.scored, Number(options.worst)));
judgeBars();

async function measure(load: PeerLoader): Promise<string> {
  try {
    const peer = await load();
    return typeof peer === 'string' ? peer : tableRow(await score(peer, runs));
  } catch (error) {
    return `not measured: ${String(error)}`;
  }
}

async function score(peer: Peer, all: readonly Run[]): Promise<Scorecard> {
  const ownRuns = peer.takesSchema ? all : all.filter(({ isTyped }) => !isTyped);
  const outcomes = await peer.heal(ownRuns);
  return { name: peer.name, scored: ownRuns.map((run, index) => ({ ...run, outcome: outcomes[index]! })) };
}

function judgeBars(): void {
  const { exact, style, pairs, confidentlyWrong } = bars;
  const missed = missedBars(own.scored);
  console.log(
    `bars: ${exact} % exact, ${style} % in every style, ${pairs} % of pairs, below ${confidentlyWrong} % wrong but confident: ` +
      (missed.length === 0 ? 'met' : `MISSED\n  ${missed.join('\n  ')}`),
  );
  if (options.check && missed.length > 0) process.exitCode = 1;
}
