// Checks the policies in thousands of simulations. The seeds are fixed, so that only a change of the code can make this
// fail; test/full/ tries other seeds. `SEED=123 node --test test/gateway/routing-simulation.test.ts` repeats one.

import { test } from 'node:test';
import { runs } from '../support/enumeration.ts';
import { checkSeeds } from '../support/routing-seeds.ts';

const count = runs(10_000, 1000);

test(`${count} simulations: limits, budgets and turns hold, no replay, no silent end`, async () => {
  const { SEED } = process.env;
  await (SEED === undefined ? checkSeeds(0, count) : checkSeeds(Number(SEED), 1));
});
