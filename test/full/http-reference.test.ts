// Both transports compared with Node's own HTTP client, ten thousand times.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReading, defaultSeed } from '../support/http-reference.ts';
import { startReader } from '../support/response-reader.ts';
import { transportNames } from '../support/transports.ts';

for (const name of transportNames) {
  test(`ten thousand responses made up at random are read over ${name} as Node reads them`, async (context) => {
    const seed = Number(process.env['HTTP_SEED'] ?? defaultSeed);
    context.diagnostic(`seed ${seed}`);
    assert.ok((await checkReading(await startReader(context, name), seed, 3400)) > 10_000);
  });
}
