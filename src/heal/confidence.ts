// How sure a healed value is: each change takes its weight, scaled by the share of the value it touches.
// Exactly 1 when nothing was changed.

import { flagWeights, type FlagKind } from './flag.ts';
import { touchedBy, type Mark, type Tally } from './mark.ts';

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

/** By kind, looked up once for each change. */
const doubts: ReadonlyMap<FlagKind, { readonly weight: number; readonly isGlobal: boolean }> = new Map(
  (Object.keys(flagWeights) as FlagKind[]).map((kind) => [
    kind,
    { weight: flagWeights[kind], isGlobal: global.has(kind) },
  ]),
);

/** `more`: what is only counted. */
export function confidenceOf(marks: readonly Mark[], length: number, more?: Tally): number {
  let confidence = 1;
  for (const { kind, start, end } of marks) confidence *= trustIn(kind, touchedBy(start, end), length);
  if (more === undefined) return confidence;
  for (const [kind, touched, count] of more.entries()) confidence *= trustIn(kind, touched, length) ** count;
  return confidence;
}

function trustIn(kind: FlagKind, touched: number, length: number): number {
  const doubt = doubts.get(kind);
  if (doubt === undefined) return 1;
  return 1 - doubt.weight * (doubt.isGlobal ? 1 : Math.min(1, touched / Math.max(1, length)));
}
