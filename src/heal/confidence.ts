// How sure a healed value is: each change takes its weight, scaled by the share of the value it touches.
// Exactly 1 when nothing was changed.

import { flagWeights, type FlagKind } from './flag.ts';
import type { Mark } from './tree.ts';

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

export function confidenceOf(marks: readonly Mark[], length: number): number {
  let confidence = 1;
  for (const mark of marks) {
    const touched = Math.max(1, mark.end - mark.start);
    const share = global.has(mark.kind) ? 1 : Math.min(1, touched / Math.max(1, length));
    confidence *= 1 - flagWeights[mark.kind] * share;
  }
  return confidence;
}
