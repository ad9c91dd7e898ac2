// Compares both transports with Node's own HTTP client on 10,000 random responses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReading, defaultSeed } from '../support/http-reference.ts';
import { startReader } from '../support/response-reader.ts';
import { transportNames } from '../support/transports.ts';

for (const name of transportNames) {
  test(`10,000 random responses: ${name} reads them like Node's HTTP client`, async (context) => {
    const seed = Number(process.env['HTTP_SEED'] ?? defaultSeed);
    context.diagnostic(`seed ${seed}`);
    assert.ok((await checkReading(await startReader(context, name), seed, 3400)) > 10_000);
  });
}
