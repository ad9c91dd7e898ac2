// JSON Schema formats.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasFormat } from './format.ts';

test('an email has one @ and a dot inside its domain', () => {
  for (const good of ['a@b.c', 'first.last@some.where.org', 'a@b..c']) assert.ok(hasFormat(good, 'email'), good);
  for (const bad of ['a', '@b.c', 'a@', 'a@b', 'a@.c', 'a@b.', 'a@b@c.d', 'a b@c.d', 'a@b.c ', ''])
    assert.ok(!hasFormat(bad, 'email'), bad);
});

test('an unknown format accepts every text', () => {
  assert.ok(hasFormat('anything', 'no-such-format'));
});
