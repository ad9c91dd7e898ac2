// Costs, compared with results computed by hand.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noUsage, type Usage } from '../core/usage.ts';
import { costOf } from './cost.ts';
import type { Price } from './price-table.ts';

const plain: Price = { input: 3, output: 15 };
const cached: Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const tiered: Price = {
  ...cached,
  tiers: [
    { above: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 },
    { above: 500_000, input: 12, output: 45 },
  ],
};

describe('the cost of', () => {
  const cases: readonly [name: string, usage: Usage, price: Price, dollars: number][] = [
    ['input and output', { input: 1000, output: 200 }, plain, 0.003 + 0.003],
    ['nothing', { input: 0, output: 0 }, plain, 0],
    ['what the cache served', { input: 100, output: 0, cacheRead: 10_000 }, cached, 0.0003 + 0.003],
    ['what the cache stored', { input: 0, output: 0, cacheWrite: 8000 }, cached, 0.03],
    ['the cache where it has no price', { input: 0, output: 0, cacheRead: 1000, cacheWrite: 1000 }, plain, 0.006],
    ['reasoning, a part of the output', { input: 0, output: 1000, reasoning: 400 }, plain, 0.015],
    [
      'reasoning with a price of its own',
      { input: 0, output: 1000, reasoning: 400 },
      { ...plain, reasoning: 30 },
      0.009 + 0.012,
    ],
    ['more reasoning than output', { input: 0, output: 10, reasoning: 40 }, { ...plain, reasoning: 30 }, 0.0003],
    ['a prompt just at the limit', { input: 200_000, output: 1000 }, tiered, 0.6 + 0.015],
    ['a prompt just over it, all of it', { input: 200_001, output: 1000 }, tiered, 1.200006 + 0.0225],
    [
      'a prompt long with what was cached',
      { input: 150_000, output: 0, cacheRead: 100_000, cacheWrite: 50_000 },
      tiered,
      0.9 + 0.06 + 0.375,
    ],
    ['a prompt over the second limit', { input: 1_000_000, output: 1_000_000 }, tiered, 12 + 45],
    ['what is free', { input: 9, output: 9 }, { input: 0, output: 0 }, 0],
  ];
  for (const [name, usage, price, dollars] of cases) {
    test(name, () => assert.ok(Math.abs((costOf(usage, price) ?? Number.NaN) - dollars) < 1e-12));
  }
});

test('unknown usage or prices have no cost', () => {
  assert.equal(costOf({ input: 1, output: 1 }, undefined), undefined);
  assert.equal(costOf(noUsage, plain), undefined);
  assert.equal(costOf({ input: Number.NaN, output: 1 }, plain), undefined);
  assert.equal(costOf({ input: 1, output: Number.POSITIVE_INFINITY }, plain), undefined);
  assert.equal(costOf({ input: -1, output: 1 }, plain), undefined);
  assert.equal(costOf({ input: 1, output: 1 }, { input: Number.NaN, output: 1 }), undefined);
});
