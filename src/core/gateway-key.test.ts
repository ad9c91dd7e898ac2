// Hashes that no key may have.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { isHashOfNothing } from './gateway-key.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

test('the hash of an unset variable is recognized, whichever command made it', () => {
  for (const text of ['', '\n', '\r\n', '\r', '\t', ' ', ' \n', ' \r\n', '\n\n']) {
    assert.equal(isHashOfNothing(hashOf(text)), true, JSON.stringify(text));
    assert.equal(isHashOfNothing(hashOf(text).toUpperCase()), true);
  }
  assert.equal(isHashOfNothing(hashOf('key')), false);
});
