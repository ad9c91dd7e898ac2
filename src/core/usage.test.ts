// Token counts: sums, and what was not counted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUsage, noUsage, promptTokens } from './usage.ts';

test('the prompt is what came fresh, from the cache and into the cache', () => {
  assert.equal(promptTokens({ input: 3, output: 9 }), 3);
  assert.equal(promptTokens({ input: 3, output: 9, cacheRead: 10, cacheWrite: 100, reasoning: 7 }), 113);
});

test('counts add up, and a part that nobody counted stays absent', () => {
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

test('what was not reported adds nothing, and nothing to nothing is still not reported', () => {
  const usage = { input: 1, output: 2 };
  assert.deepEqual(addUsage(noUsage, usage), usage);
  assert.deepEqual(addUsage(usage, noUsage), usage);
  assert.deepEqual(addUsage(noUsage, noUsage), noUsage);
});
