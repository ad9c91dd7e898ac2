// The policies in ten thousand simulated worlds. The seeds are fixed, so that a change and nothing else makes this
// fail; test/full/ tries others. `SEED=123 node --test test/routing-simulation.test.ts` runs one of them again.

import { test } from 'node:test';
import { checkSeeds } from './routing-seeds.ts';

test('10,000 simulated worlds: no call too many, no replay, no silent end, budgets and turns kept', async () => {
  const { SEED } = process.env;
  await (SEED === undefined ? checkSeeds(0, 10_000) : checkSeeds(Number(SEED), 1));
});
