// The text as it came, put together more than once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Source } from './source.ts';

test('what comes after the text was put together belongs to it too', () => {
  const source = new Source();
  source.push('ab');
  assert.equal(source.join(), 'ab');
  source.push('cd');
  assert.equal(source.join(), 'abcd');
  assert.equal(source.slice(1, 4), 'bcd');
});
