// How sure a healed value is: each change takes its weight, scaled by the share of the value it touches.
// Exactly 1 when nothing was changed.

import { flagWeights, type FlagKind } from './flag.ts';
import { touchedLength, type Mark, type MarkCounts } from '../parse/mark.ts';

/** Changes that concern the whole, however short the text they stand at. */
const global: ReadonlySet<FlagKind> = new Set([
  'closed-truncated',
  'chose-value',
  'collected-values',
  'stripped-prose',
  'unwrapped',
  'guessed-structure',
  'wrapped-in-object',
]);

interface Doubt {
  readonly weight: number;
  readonly isGlobal: boolean;
}

/** By kind. */
const doubts: ReadonlyMap<FlagKind, Doubt> = new Map(
  (Object.keys(flagWeights) as FlagKind[]).map((kind) => [
    kind,
    { weight: flagWeights[kind], isGlobal: global.has(kind) },
  ]),
);

/** `more`: what is only counted. */
export function confidenceOf(marks: readonly Mark[], length: number, unlisted?: MarkCounts): number {
  let confidence = 1;
  let last: FlagKind | undefined;
  let doubt: Doubt | undefined;
  for (const { kind, start, end } of marks) {
    // Changes of one kind mostly come one behind the other.
    if (kind !== last) doubt = doubts.get(kind);
    last = kind;
    confidence *= trustIn(doubt, touchedLength(start, end), length);
  }
  if (unlisted === undefined) return confidence;
  for (const [kind, touched, count] of unlisted.entries())
    confidence *= trustIn(doubts.get(kind), touched, length) ** count;
  return confidence;
}

function trustIn(doubt: Doubt | undefined, touched: number, length: number): number {
  if (doubt === undefined) return 1;
  return 1 - doubt.weight * (doubt.isGlobal ? 1 : Math.min(1, touched / Math.max(1, length)));
}
