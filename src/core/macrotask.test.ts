// Who goes on when, of those who wait for the end of a turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sharedMacrotask } from './macrotask.ts';

test('those who ask in one turn go on one after the other, step by step', async () => {
  const steps: string[] = [];
  const work = async (name: string): Promise<void> => {
    await sharedMacrotask();
    steps.push(`${name} first`);
    await Promise.resolve();
    steps.push(`${name} second`);
  };
  await Promise.all([work('a'), work('b'), work('c')]);
  assert.deepEqual(steps, ['a first', 'b first', 'c first', 'a second', 'b second', 'c second']);
});

test('whoever asks while others go on has a turn of their own', async () => {
  const first = sharedMacrotask();
  assert.equal(sharedMacrotask(), first);
  await first;
  const second = sharedMacrotask();
  assert.notEqual(second, first);
  await second;
});
