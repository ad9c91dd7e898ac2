// Checks the bars of bench/healing on a sample of its cases.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { pairCases, singleCases, type DamageCase } from '../support/damage/case.ts';
import { makeDocuments } from '../support/damage/document.ts';
import { healRun, missedBars, runsOf } from '../support/damage/score.ts';
import { createRandom } from '../../src/testing/model/random.ts';
import { differingCuts } from '../support/damage/cut.ts';

const seed = 'scorecard';

function sample(cases: Iterable<DamageCase>, share: number): DamageCase[] {
  const random = createRandom(seed);
  return [...cases].filter(() => random.chance(share));
}

describe('healing', () => {
  const documents = makeDocuments(seed, 11);
  const cases = [...sample(singleCases(seed, documents), 0.6), ...pairCases(seed, documents, 0.3)];
  const scored = runsOf(cases).map((run) => ({ ...run, outcome: healRun(run) }));

  test('meets the bars on damaged documents', () => {
    assert.ok(scored.length > 5_000);
    assert.deepEqual(missedBars(scored), []);
  });

  test('throws only HealError', () => {
    const crashed = scored.filter(({ outcome }) => outcome.verdict === 'crashed');
    assert.deepEqual(
      crashed.map(({ damaged, outcome }) => `${damaged.id}: ${outcome.message}`),
      [],
    );
  });

  test('reads a damaged document the same in one piece and in single characters', () => {
    assert.deepEqual(differingCuts(sample(cases, 0.05)), []);
  });
});
