// Our reader of answers beside Node's own client, a hundred thousand times.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReading, defaultSeed } from '../http-reference.ts';

test('a hundred thousand answers made up at random are read as Node reads them', async (context) => {
  const seed = Number(process.env['HTTP_SEED'] ?? defaultSeed);
  context.diagnostic(`seed ${seed}`);
  assert.ok((await checkReading(seed, 34_000)) > 100_000);
});
