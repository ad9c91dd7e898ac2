// Computes the confidence in a healed value. Each change lowers it by its weight, scaled by the share of the value that
// the change touches. The confidence is exactly 1 if nothing was changed. All defaults of one object count once.

import { flagWeights } from './flag-weights.ts';
import type { FlagKind } from './flag.ts';
import { touchedLength, type Mark, type MarkCounts } from '../parse/mark.ts';

/** Changes that affect the entire value, however little text they touch. */
const globalKinds: ReadonlySet<FlagKind> = new Set([
  'closed-truncated',
  'stripped-value',
  'chose-value',
  'collected-values',
  'stripped-prose',
  'unwrapped',
  'guessed-structure',
  'wrapped-in-object',
]);

/** The share of the value that a change touches. `length` is the length of the text that the value was read from. */
export function shareOf({ kind, start, end }: Mark, length: number): number {
  return shareTouched(globalKinds.has(kind), touchedLength(start, end), length);
}

interface Doubt {
  readonly weight: number;
  readonly isGlobal: boolean;
}

const doubts: ReadonlyMap<FlagKind, Doubt> = new Map(
  (Object.keys(flagWeights) as FlagKind[]).map((kind) => [
    kind,
    { weight: flagWeights[kind], isGlobal: globalKinds.has(kind) },
  ]),
);

/** `unlisted` counts the changes that have no mark of their own. */
export function confidenceOf(marks: readonly Mark[], length: number, unlisted?: MarkCounts): number {
  let confidence = 1;
  let last: FlagKind | undefined;
  let doubt: Doubt | undefined;
  let defaulted: Mark | undefined;
  for (const mark of marks) {
    const { kind, start, end } = mark;
    // An object that leaves out many fields with defaults is as doubtful as one that leaves out one.
    if (kind === 'used-default-value') {
      if (start === defaulted?.start && end === defaulted.end) continue;
      defaulted = mark;
    }
    // Changes of one kind usually follow each other, so the last lookup is reused.
    if (kind !== last) doubt = doubts.get(kind);
    last = kind;
    confidence *= factorOf(doubt, touchedLength(start, end), length);
  }
  if (unlisted === undefined) return confidence;
  for (const [kind, touched, count] of unlisted.entries())
    confidence *= factorOf(doubts.get(kind), touched, length) ** count;
  return confidence;
}

function factorOf(doubt: Doubt | undefined, touched: number, length: number): number {
  return doubt === undefined ? 1 : 1 - doubt.weight * shareTouched(doubt.isGlobal, touched, length);
}

function shareTouched(isGlobal: boolean, touched: number, length: number): number {
  return isGlobal ? 1 : Math.min(1, touched / Math.max(1, length));
}
