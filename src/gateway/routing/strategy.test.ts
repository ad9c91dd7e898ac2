// The order of targets by each strategy.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { failing, TestClock } from '../../../test/support/policies.ts';
import { request } from '../../../test/support/upstream.ts';
import { noUsage } from '../../core/usage.ts';
import { createRandom } from '../../testing/model/random.ts';
import { createStrategy, strategyNames, type Strategy, type StrategyTarget } from './strategy.ts';

function target(name: string, more: Partial<StrategyTarget> = {}): StrategyTarget {
  return { name, provider: name, model: 'm', weight: 1, ...more };
}

const [a, b, c] = [target('a'), target('b'), target('c')];
const complete = { type: 'complete', stopReason: 'end', usage: noUsage } as const;
const call = { request, route: 'r' };

function firsts(strategy: Strategy, targets: readonly StrategyTarget[], count: number): string[] {
  return Array.from({ length: count }, () => strategy.order(targets, call)[0]?.name ?? '');
}

function counts(names: readonly string[]): Record<string, number> {
  const result: Record<string, number> = {};
  for (const name of names) result[name] = (result[name] ?? 0) + 1;
  return result;
}

test('every strategy returns the given targets, each once', () => {
  for (const name of strategyNames) {
    const random = createRandom(name);
    const strategy = createStrategy(name, new TestClock(() => random.next()));
    for (let count = 0; count < 50; count++) {
      assert.deepEqual(new Set(strategy.order([a, b, c], call)), new Set([a, b, c]), name);
    }
    assert.deepEqual(strategy.order([], call), []);
  }
});

test('priority: as listed', () => {
  assert.deepEqual(firsts(createStrategy('priority'), [b, a], 3), ['b', 'b', 'b']);
});

test('cost: the cheapest, and those without a price last', () => {
  const targets = [target('unknown'), target('dear', { price: 9 }), target('cheap', { price: 1 })];
  const order = createStrategy('cost').order(targets, call);
  assert.deepEqual(
    order.map(({ name }) => name),
    ['cheap', 'dear', 'unknown'],
  );
});

describe('round-robin', () => {
  test('is fair to within one call in any run, wherever it starts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.double({ min: 0, max: 0.999 }), (size, start) => {
        const targets = Array.from({ length: size }, (_, ordinal) => target(String(ordinal)));
        const asked = firsts(createStrategy('round-robin', new TestClock(() => start)), targets, 50);
        for (let from = 0; from < 20; from++) {
          const found = targets.map(({ name }) => asked.slice(from, from + 25).filter((one) => one === name).length);
          assert.ok(Math.max(...found) - Math.min(...found) <= 1);
        }
      }),
    );
  });

  test('does not start with the same target in every program', () => {
    const begins = [0, 0.01, 0.02].map((start) =>
      firsts(createStrategy('round-robin', new TestClock(() => start)), [a, b, c], 1),
    );
    assert.deepEqual(begins.flat().toSorted(), ['a', 'b', 'c']);
  });

  test('counts each route separately, and stays fair when a target is unavailable for a while', () => {
    const strategy = createStrategy('round-robin', new TestClock(() => 0));
    const asked: string[] = [];
    for (let count = 0; count < 60; count++) {
      strategy.order([a, b], { request, route: 'other' });
      const there = count >= 20 && count < 40 ? [a, c] : [a, b, c];
      asked.push(strategy.order(there, call)[0]?.name ?? '');
    }
    const meanwhile = counts(asked.slice(20, 40));
    assert.ok(Math.max(...Object.values(meanwhile)) <= 11, JSON.stringify(meanwhile));
    const last = counts(asked.slice(40));
    assert.ok(Math.max(...Object.values(last)) <= 8, JSON.stringify(last));
  });
});

test('weighted: exactly by weight, and spread out', () => {
  const targets = [target('a', { weight: 3 }), target('b', { weight: 1 })];
  const strategy = createStrategy('weighted', new TestClock(() => 0));
  assert.deepEqual(firsts(strategy, targets, 8).join(''), 'aabaaaba');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 5 }), (weights) => {
      const several = weights.map((weight, ordinal) => target(String(ordinal), { weight }));
      const asked = counts(firsts(createStrategy('weighted'), several, 1000));
      const sum = weights.reduce((left, right) => left + right);
      for (const { name, weight } of several) {
        assert.ok(Math.abs((asked[name] ?? 0) / 1000 - weight / sum) < 0.02);
      }
    }),
  );
});

test('least-busy: the fewest calls in progress; among equals the fewest calls so far', () => {
  const strategy = createStrategy('least-busy');
  const first = () => strategy.order([a, b], call)[0]!;
  strategy.onStart?.(a);
  assert.equal(first(), b);
  strategy.onStart?.(b);
  strategy.onStart?.(b);
  assert.equal(first(), a);
  for (const ended of [a, b, b]) strategy.onEnd?.(ended, complete);
  assert.equal(first(), a);
});

const steady = () => 0.5;

function answer(strategy: Strategy, clock: TestClock, durations: Readonly<Record<string, number>>): string {
  const [first] = strategy.order([a, b], call);
  strategy.onStart?.(first!);
  const duration = durations[first!.name] ?? 0;
  clock.time += duration;
  strategy.onFirstToken?.(first!, duration);
  strategy.onEnd?.(first!, complete);
  return first!.name;
}

describe('latency', () => {
  test('finds the faster target and keeps it', () => {
    const clock = new TestClock(steady);
    const strategy = createStrategy('latency', clock);
    const asked = Array.from({ length: 10 }, () => answer(strategy, clock, { a: 900, b: 100 }));
    assert.equal(asked.join(''), 'abbbbbbbbb');
  });

  test('notices a target that has become faster, by exploring', () => {
    const random = createRandom('latency');
    const clock = new TestClock(() => random.next());
    const strategy = createStrategy('latency', clock);
    for (let count = 0; count < 200; count++) answer(strategy, clock, { a: 900, b: 100 });
    const later = Array.from({ length: 400 }, () => answer(strategy, clock, { a: 20, b: 100 }));
    assert.ok((counts(later)['a'] ?? 0) > 250, JSON.stringify(counts(later)));
  });

  test('treats a fast failure as slow', () => {
    const strategy = createStrategy('latency', new TestClock(steady));
    for (const one of [a, b]) strategy.onStart?.(one);
    strategy.onEnd?.(a, { type: 'failed', error: failing('upstream'), usage: noUsage });
    strategy.onFirstToken?.(b, 5000);
    assert.equal(strategy.order([a, b], call)[0], b);
  });

  test('spreads a burst at the start', () => {
    const strategy = createStrategy('latency', new TestClock(steady));
    strategy.onStart?.(a);
    assert.equal(strategy.order([a, b], call)[0], b);
  });
});
