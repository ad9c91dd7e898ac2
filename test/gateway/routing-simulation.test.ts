// The policies in thousands of simulated worlds. The seeds are fixed, so that a change and nothing else makes this
// fail; test/full/ tries others. `SEED=123 node --test test/gateway/routing-simulation.test.ts` runs one of them again.

import { test } from 'node:test';
import { runs } from '../support/enumeration.ts';
import { checkSeeds } from '../support/routing-seeds.ts';

const count = runs(10_000, 1000);

test(`${count} simulated worlds: no call too many, no replay, no silent end, budgets and turns kept`, async () => {
  const { SEED } = process.env;
  await (SEED === undefined ? checkSeeds(0, count) : checkSeeds(Number(SEED), 1));
});
