// Our reader of answers beside Node's own client.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReading, defaultSeed } from './http-reference.ts';

test('answers made up at random are read as Node reads them', async (context) => {
  const seed = Number(process.env['HTTP_SEED'] ?? defaultSeed);
  context.diagnostic(`seed ${seed}`);
  assert.equal(await checkReading(seed, 400), 1200);
});
