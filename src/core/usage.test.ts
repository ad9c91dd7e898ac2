// Token counts: sums, and missing counts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUsage, noUsage, promptTokens } from './usage.ts';

test('the prompt is the sum of uncached, cache-read and cache-written tokens', () => {
  assert.equal(promptTokens({ input: 3, output: 9 }), 3);
  assert.equal(promptTokens({ input: 3, output: 9, cacheRead: 10, cacheWrite: 100, reasoning: 7 }), 113);
});

test('counts are added, and a part that was not counted stays absent', () => {
  assert.deepEqual(addUsage({ input: 1, output: 2 }, { input: 10, output: 20 }), { input: 11, output: 22 });
  assert.deepEqual(addUsage({ input: 1, output: 2, cacheRead: 3 }, { input: 10, output: 20, reasoning: 4 }), {
    input: 11,
    output: 22,
    cacheRead: 3,
    reasoning: 4,
  });
  assert.deepEqual(addUsage({ input: 0, output: 0, cacheWrite: 0 }, { input: 0, output: 0 }), {
    input: 0,
    output: 0,
    cacheWrite: 0,
  });
});

test('missing usage adds nothing, and the sum of missing usages is missing', () => {
  const usage = { input: 1, output: 2 };
  assert.deepEqual(addUsage(noUsage, usage), usage);
  assert.deepEqual(addUsage(usage, noUsage), usage);
  assert.deepEqual(addUsage(noUsage, noUsage), noUsage);
});
