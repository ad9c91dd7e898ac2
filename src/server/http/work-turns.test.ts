// The order of the steps of large requests, on a clock of the test.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { macrotask } from '../../core/macrotask.ts';
import { WorkTurns, type WorkClock } from './work-turns.ts';

interface Deferred {
  readonly run: () => void;
  readonly at: number;
}

/** Time passes only when a step works. */
class StepClock implements WorkClock {
  time = 0;
  readonly #deferred: Deferred[] = [];

  now(): number {
    return this.time;
  }

  defer(run: () => void, delay: number): void {
    this.#deferred.push({ run, at: this.time + delay });
  }

  /** Runs everything, in order. Returns the waits that were needed. */
  async runAll(): Promise<number[]> {
    const waits: number[] = [];
    for (let next = this.#deferred.shift(); next !== undefined; next = this.#deferred.shift()) {
      if (next.at > this.time) waits.push(next.at - this.time);
      this.time = Math.max(this.time, next.at);
      next.run();
      await macrotask();
    }
    return waits;
  }
}

function start(steps: readonly (readonly [owner: string, duration: number])[]) {
  const clock = new StepClock();
  const turns = new WorkTurns(clock);
  const order: string[] = [];
  const work = steps.map(async ([owner, duration]) => {
    await turns.next(owner);
    order.push(owner);
    clock.time += duration;
  });
  return { clock, order, turns, done: Promise.all(work) };
}

test('owners take turns', async () => {
  const { clock, order, done } = start([
    ['greedy', 1],
    ['greedy', 1],
    ['greedy', 1],
    ['polite', 1],
    ['third', 1],
  ]);
  await clock.runAll();
  await done;
  assert.deepEqual(order, ['greedy', 'polite', 'third', 'greedy', 'greedy']);
});

test('after a step, the loop is free for as long, up to a limit', async () => {
  const { clock, done } = start([
    ['a', 20],
    ['a', 500],
    ['a', 0],
  ]);
  assert.deepEqual(await clock.runAll(), [20, 50]);
  await done;
});

test('works again after a pause', async () => {
  const { clock, turns, done } = start([['a', 1]]);
  await clock.runAll();
  await done;
  const again = turns.next('a');
  await clock.runAll();
  await again;
});

test('on the real clock, everything that is ready runs between two steps', async () => {
  const turns = new WorkTurns();
  const order: string[] = [];
  const steps = ['first', 'second'].map((name) => turns.next('a').then(() => order.push(name)));
  await steps[0];
  setImmediate(() => order.push('other'));
  await Promise.all(steps);
  assert.deepEqual(order, ['first', 'other', 'second']);
});
