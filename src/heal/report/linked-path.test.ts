// Paths into a value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPath } from './error.ts';
import { toKeys } from './linked-path.ts';

test('a linked path is expanded from the root', () => {
  assert.deepEqual(toKeys(undefined), []);
  const items = { parent: undefined, key: 'items' };
  assert.deepEqual(toKeys({ parent: { parent: items, key: 2 }, key: 'name' }), ['items', 2, 'name']);
});

test('paths are formatted for people', () => {
  assert.equal(formatPath([]), 'the value');
  assert.equal(formatPath(['items', 2, 'name']), 'items[2].name');
  assert.equal(formatPath([0, 'a']), '[0].a');
  assert.equal(formatPath(['user name', 'a"b']), '["user name"]["a\\"b"]');
  assert.equal(formatPath(['']), '[""]');
});
