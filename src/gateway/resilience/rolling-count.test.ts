// Counting recent events.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RollingCount } from './rolling-count.ts';

test('a rolling count drops events that are older than its slots', () => {
  const count = new RollingCount(3, 10);
  for (const now of [5, 12, 19, 25]) count.add(now);
  assert.deepEqual([count.sum(25), count.sum(25, 1), count.sum(25, 2)], [4, 1, 3]);
  assert.equal(count.sum(30), 3);
  assert.equal(count.sum(49), 1);
  assert.equal(count.sum(50), 0);
  count.add(1_000_000);
  assert.equal(count.sum(1_000_029), 1);
  assert.equal(count.sum(1_000_030), 0);
});
