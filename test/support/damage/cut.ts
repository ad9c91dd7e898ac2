// Whether the way a damaged text is cut matters. Read whole, most of it goes through the quick reader; read character by
// character, none of it does: so this also shows that the two read alike.

import { isDeepStrictEqual } from 'node:util';

import { cutEvery } from '../chunks.ts';
import { healChunks, healWhole } from '../heal-outcome.ts';
import type { DamageCase } from './case.ts';

/** The cases that come out otherwise when they are cut. */
export function differingCuts(cases: Iterable<DamageCase>): string[] {
  const differing: string[] = [];
  for (const { id, text, schema } of cases) {
    for (const target of [undefined, schema]) {
      const whole = healWhole(text, target, { minConfidence: 0 });
      const cut = healChunks(cutEvery(text, 1), target, { minConfidence: 0 });
      if (!isDeepStrictEqual(whole, cut)) differing.push(`${id}${target === undefined ? '' : ', typed'}`);
    }
  }
  return differing;
}
