// Fits the weight of each kind of change, so that the confidence of a value is the probability that it is faithful.
// Maximum likelihood by coordinate descent. Each kind also has a few imagined observations at its cost, so that a kind
// that is rarely seen keeps a sensible weight.

import { flagTable, type FlagKind } from '../../src/heal/index.ts';
import type { Observation } from './observation.ts';

export type Weights = Readonly<Record<FlagKind, number>>;

export interface WeightedObservation extends Observation {
  readonly weight: number;
}

/** How many observations the cost of a kind is worth. */
const imagined = 20;

/** A change always costs something. */
const least = 0.001;

const small = [0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08];
const large = Array.from({ length: 18 }, (_, index) => (index + 2) / 20);

const kinds = Object.keys(flagTable) as FlagKind[];

export function fitWeights(observations: readonly WeightedObservation[]): Weights {
  const weights = Object.fromEntries(kinds.map((kind) => [kind, priorOf(kind)])) as Record<FlagKind, number>;
  for (let sweep = 0, isChanged = true; isChanged && sweep < 20; sweep++) {
    isChanged = false;
    for (const kind of kinds.filter((each) => flagTable[each].cost > 0)) {
      const best = bestWeight(kind, weights, observations);
      isChanged ||= best !== weights[kind];
      weights[kind] = best;
    }
  }
  return weights;
}

export function confidenceIn({ changes }: Observation, weights: Weights): number {
  return changes.reduce((confidence, { kind, share }) => confidence * (1 - weights[kind] * share), 1);
}

function bestWeight(kind: FlagKind, weights: Weights, observations: readonly WeightedObservation[]): number {
  const withKind = observations
    .filter(({ changes }) => changes.some((change) => change.kind === kind))
    .map((each) => ({ ...each, others: confidenceIn(each, { ...weights, [kind]: 0 }) }));
  let [best, smallest] = [weights[kind], Infinity];
  for (const candidate of [priorOf(kind), ...small, ...large]) {
    let loss = imagined * crossEntropy(1 - candidate, 1 - priorOf(kind));
    for (const { changes, others, isFaithful, weight } of withKind) {
      const own = changes.filter((change) => change.kind === kind);
      const confidence = own.reduce((product, { share }) => product * (1 - candidate * share), others);
      loss += weight * crossEntropy(confidence, isFaithful ? 1 : 0);
    }
    if (loss < smallest) [best, smallest] = [candidate, loss];
  }
  return best;
}

function priorOf(kind: FlagKind): number {
  const { cost } = flagTable[kind];
  return cost === 0 ? 0 : Math.max(cost, least);
}

/** The cost of predicting `confidence` where the share `truth` is faithful. */
function crossEntropy(confidence: number, truth: number): number {
  const clamped = Math.min(Math.max(confidence, 1e-6), 1 - 1e-6);
  return -(truth * Math.log(clamped) + (1 - truth) * Math.log(1 - clamped));
}
