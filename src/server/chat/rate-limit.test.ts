// The rate limit: an allowance that refills evenly, and bounded memory.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { RateLimit } from './rate-limit.ts';

describe('a rate limit', () => {
  test('allows the full allowance at once, then one message at a time', () => {
    let now = 0;
    const limit = new RateLimit({ limit: 3, window: 3000 }, { now: () => now });
    assert.deepEqual(
      [1, 2, 3, 4].map(() => limit.take('ada')),
      [0, 0, 0, 1000],
    );
    assert.equal(limit.take('grace'), 0);
    now = 999;
    assert.equal(limit.take('ada'), 1);
    now = 1000;
    assert.deepEqual([limit.take('ada'), limit.take('ada')], [0, 1000]);
    now = 10_000;
    assert.deepEqual(
      [1, 2, 3, 4].map(() => limit.take('ada')),
      [0, 0, 0, 1000],
    );
    limit.close();
  });

  test('never allows more than twice the allowance in any window, and never rejects a slow user', () => {
    const step = fc.integer({ min: 0, max: 400 });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (steps, most) => {
        let now = 0;
        const limit = new RateLimit({ limit: most, window: 1000 }, { now: () => now });
        const passed: number[] = [];
        for (const pause of steps) {
          now += pause;
          const wait = limit.take('ada');
          if (wait === 0) passed.push(now);
          else {
            // The returned wait is right: after it, the message passes.
            now += wait;
            assert.equal(limit.take('ada'), 0);
            passed.push(now);
          }
        }
        for (const begin of passed) {
          assert.ok(passed.filter((time) => time >= begin && time < begin + 1000).length <= 2 * most);
        }
        limit.close();
      }),
    );
  });

  test('removes users whose allowance is full again', () => {
    let now = 0;
    const swept: number[] = [];
    const limit = new RateLimit({ limit: 2, window: 1000 }, { now: () => now, swept: (count) => swept.push(count) });
    for (let user = 0; user < 1000; user++) limit.take(`user-${user}`);
    now = 400;
    limit.take('late');
    limit.sweep();
    assert.equal(limit.size, 1001);
    now = 500;
    limit.sweep();
    assert.equal(limit.size, 1);
    now = 2000;
    limit.sweep();
    limit.sweep();
    assert.deepEqual([limit.size, swept], [0, [1000, 1]]);
  });

  test('removes them on its own timer', async () => {
    const limit = new RateLimit({ limit: 1, window: 10 }, { now: () => performance.now() });
    limit.take('ada');
    while (limit.size > 0) await sleep(5);
  });

  test('stores a limited number of users', () => {
    const limit = new RateLimit({ limit: 1, window: 1000 }, { now: () => 0, mostUsers: 100 });
    for (let user = 0; user < 1000; user++) assert.equal(limit.take(`user-${user}`), 0);
    assert.equal(limit.size, 100);
    assert.equal(limit.take('user-999'), 1000);
    limit.close();
  });

  test('of 0 means no limit', () => {
    const limit = new RateLimit({ limit: 0, window: 1000 }, { now: () => 0 });
    for (let question = 0; question < 100; question++) assert.equal(limit.take('ada'), 0);
    assert.equal(limit.size, 0);
  });
});
