// The policies in thousands of simulated environments. The seeds are fixed, so that only a change of the code makes this
// fail; test/full/ tries others. `SEED=123 node --test test/gateway/routing-simulation.test.ts` runs one of them again.

import { test } from 'node:test';
import { runs } from '../support/enumeration.ts';
import { checkSeeds } from '../support/routing-seeds.ts';

const count = runs(10_000, 1000);

test(`${count} simulated environments: no extra call, no replay, no silent end, budgets and turns respected`, async () => {
  const { SEED } = process.env;
  await (SEED === undefined ? checkSeeds(0, count) : checkSeeds(Number(SEED), 1));
});
