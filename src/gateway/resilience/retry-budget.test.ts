// The retry budget with few calls and with many failures.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RetryBudget } from './retry-budget.ts';

function retry(budget: RetryBudget, now: number): boolean {
  return budget.plan(now) && budget.spend(now);
}

describe('a retry budget', () => {
  test('lets a client with few calls retry each of them', () => {
    const budget = new RetryBudget();
    for (let now = 0; now < 600_000; now += 5000) {
      budget.countCall(now);
      assert.ok(retry(budget, now));
      assert.ok(retry(budget, now + 200));
    }
  });

  test('limits retries to a tenth of many calls, in any 10 s', () => {
    const budget = new RetryBudget();
    const retries: number[] = [];
    for (let now = 0; now < 60_000; now += 5) {
      budget.countCall(now);
      if (retry(budget, now)) retries.push(now);
    }
    for (const end of retries.filter((now) => now > 11_000)) {
      const lately = retries.filter((now) => now > end - 10_000 && now <= end).length;
      assert.ok(lately <= 200, `${lately} at ${end}`);
    }
    assert.ok(retries.length > 900, String(retries.length));
  });

  test('counts planned retries, and releases those that were not sent', () => {
    const budget = new RetryBudget({ share: 0.1, reserve: 2 });
    assert.ok(budget.plan(0));
    assert.ok(budget.plan(0));
    assert.ok(!budget.plan(0));
    budget.release();
    assert.ok(budget.plan(0));
  });

  test('does not send retries that were planned with many calls once there are few', () => {
    const budget = new RetryBudget({ share: 0.1, reserve: 1 });
    for (let count = 0; count < 100; count++) budget.countCall(0);
    for (let count = 0; count < 10; count++) assert.ok(budget.plan(0));
    assert.ok(budget.spend(20_000));
    assert.ok(!budget.spend(20_000));
  });

  test('of 0 allows no retry', () => {
    const budget = new RetryBudget({ share: 0, reserve: 0 });
    for (let count = 0; count < 100; count++) budget.countCall(0);
    assert.ok(!budget.plan(0));
  });
});
