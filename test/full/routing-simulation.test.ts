// Checks the policies in 100,000 simulations with new random seeds in every run.

import { test } from 'node:test';
import { checkSeeds } from '../support/routing-seeds.ts';

test('100,000 simulations', async (context) => {
  const first = 10_000 + Math.floor(Math.random() * 1e9);
  context.diagnostic(`seeds from ${first}`);
  await checkSeeds(first, 100_000);
});
