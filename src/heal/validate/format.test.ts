// JSON Schema formats.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasFormat } from './format.ts';

test('an email has one @ and a dot inside its domain', () => {
  for (const good of ['a@b.c', 'first.last@some.where.org', 'a@b..c']) assert.ok(hasFormat(good, 'email'), good);
  for (const bad of ['a', '@b.c', 'a@', 'a@b', 'a@.c', 'a@b.', 'a@b@c.d', 'a b@c.d', 'a@b.c ', ''])
    assert.ok(!hasFormat(bad, 'email'), bad);
});

test('a date is a day that the calendar has', () => {
  for (const good of ['2025-01-31', '2024-02-29']) assert.ok(hasFormat(good, 'date'), good);
  for (const bad of ['2025-02-29', '2025-02-30', '2025-13-01', '2025-00-10', '2025-04-31', '25-01-01', '2025-01-01 '])
    assert.ok(!hasFormat(bad, 'date'), bad);
  for (const good of ['2025-01-31T08:00:00Z', '2025-01-31 08:00', '2025-01-31t08:00:00.5+02:00'])
    assert.ok(hasFormat(good, 'date-time'), good);
  for (const bad of ['2025-02-30T08:00:00Z', '2025-01-31', '2025-01-31T', '2025-01-31T8:00'])
    assert.ok(!hasFormat(bad, 'date-time'), bad);
});

test('an unknown format accepts every text', () => {
  assert.ok(hasFormat('anything', 'no-such-format'));
});
