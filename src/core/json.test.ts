// Guards and helpers for data whose shape is not known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { omitUndefined, entryOf, isRecord } from './json.ts';

test('a record is an object that is not an array', () => {
  assert.deepEqual([{}, Object.create(null), [], null, 'text', 1, undefined].map(isRecord), [
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('omitUndefined removes undefined members, and only those', () => {
  const value = omitUndefined({ a: undefined, b: null, c: 0, d: '', e: false });
  assert.deepEqual(Object.keys(value), ['b', 'c', 'd', 'e']);
});

test('an entry of a table is an own member, never an inherited one', () => {
  const table = { known: 1 };
  assert.equal(entryOf(table, 'known'), 1);
  for (const name of ['unknown', 'constructor', '__proto__', undefined]) assert.equal(entryOf(table, name), undefined);
});
