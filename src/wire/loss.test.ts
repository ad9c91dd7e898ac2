// Losses: each is reported once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Losses } from './loss.ts';

test('a loss is reported once, in the order of the first occurrence', () => {
  const losses = new Losses();
  assert.deepEqual(losses.omit('audio'), []);
  losses.add('a temperature of 2 was lowered to 1');
  losses.omit('audio');
  assert.deepEqual(losses.list, ['audio was left out', 'a temperature of 2 was lowered to 1']);
});

test('fields of other wires are reported, those of this wire are not', () => {
  const losses = new Losses();
  const extra = { here: { mine: 1 }, there: { first: 1, second: 2 } };
  losses.addExtras({ model: 'm', messages: [], extra }, 'here');
  losses.addExtras({ model: 'm', messages: [] }, 'here');
  assert.deepEqual(losses.list, ['first is a field of there only', 'second is a field of there only']);
});
