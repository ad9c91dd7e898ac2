// Parameters are left out by their decoded name, and the others do not change.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filterQuery } from './query.ts';

const keeps = (name: string) => name !== 'key';

test('parameters are left out by their decoded name', () => {
  assert.equal(filterQuery('key=a&limit=1&%6bey=b&ke%79&key', keeps), 'limit=1');
  assert.equal(filterQuery('a=%20+%zz&b&&c=1=2&monkey=x', keeps), 'a=%20+%zz&b&c=1=2&monkey=x');
  assert.equal(filterQuery('', keeps), '');
});
