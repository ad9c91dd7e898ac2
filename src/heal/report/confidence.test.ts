// How changes combine to a confidence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confidenceOf } from './confidence.ts';
import { flagWeights } from './flag-weights.ts';
import type { FlagKind } from './flag.ts';

function mark(kind: FlagKind, start: number, end: number) {
  return { kind, path: undefined, start, end, detail: undefined };
}

test('without changes the confidence is 1', () => {
  assert.equal(confidenceOf([], 100), 1);
});

test('each change costs its weight, scaled by the share of the text it touches', () => {
  const weight = flagWeights['type-coercion'];
  assert.equal(confidenceOf([mark('type-coercion', 0, 100)], 100), 1 - weight);
  assert.equal(confidenceOf([mark('type-coercion', 10, 60)], 100), 1 - weight / 2);
});

test('changes multiply, in any order', () => {
  const [first, second] = [mark('rounded-number', 0, 50), mark('enum-mention', 50, 100)];
  const both = confidenceOf([first, second], 100);
  assert.equal(both, confidenceOf([first], 100) * confidenceOf([second], 100));
  assert.equal(both, confidenceOf([second, first], 100));
});

test('a change that affects the entire value counts fully, however little text it touches', () => {
  assert.equal(confidenceOf([mark('closed-truncated', 99, 99)], 1_000_000), 1 - flagWeights['closed-truncated']);
});

test('a change at a point touches one character, and no change touches more than everything', () => {
  assert.equal(confidenceOf([mark('rounded-number', 5, 5)], 100), 1 - flagWeights['rounded-number'] / 100);
  assert.equal(confidenceOf([mark('rounded-number', 0, 500)], 100), 1 - flagWeights['rounded-number']);
  assert.equal(confidenceOf([mark('rounded-number', 0, 0)], 0), 1 - flagWeights['rounded-number']);
});

test('all defaults of one object count once', () => {
  const defaults = [mark('used-default-value', 0, 60), mark('used-default-value', 0, 60)];
  const other = mark('used-default-value', 10, 30);
  assert.equal(confidenceOf(defaults, 100), confidenceOf(defaults.slice(1), 100));
  assert.equal(confidenceOf([...defaults, other], 100), confidenceOf(defaults, 100) * confidenceOf([other], 100));
});

test('weights are between 0 and 1', () => {
  for (const weight of Object.values(flagWeights)) assert.ok(weight >= 0 && weight < 1);
});
