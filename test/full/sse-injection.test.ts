// Text of a model never becomes an event of its own, a million times.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkInjection } from '../support/sse-injection.ts';

test('a million events: one out for each one in', (context) => {
  const seed = String(Date.now());
  context.diagnostic(`seed ${seed}`);
  const seen = checkInjection(seed, 70_000);
  context.diagnostic(`${seen} events`);
  assert.ok(seen >= 1_000_000);
});
