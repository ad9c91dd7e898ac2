// Checks that a damaged text gives the same result however it is split. In one piece, most of it goes through the plain
// reader; in single characters, none of it does. So this also shows that the two read alike.

import { isDeepStrictEqual } from 'node:util';

import { cutEvery } from '../chunks.ts';
import { healChunks, healWhole } from '../heal-outcome.ts';
import type { DamageCase } from './case.ts';

/** The cases whose result differs when the text is split. */
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
