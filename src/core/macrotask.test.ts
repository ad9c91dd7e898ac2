// The order in which callers of a shared macrotask continue.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sharedMacrotask } from './macrotask.ts';

test('callers in one turn continue one after the other', async () => {
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

test('a caller in a later turn gets its own macrotask', async () => {
  const first = sharedMacrotask();
  assert.equal(sharedMacrotask(), first);
  await first;
  const second = sharedMacrotask();
  assert.notEqual(second, first);
  await second;
});
