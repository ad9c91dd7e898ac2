// A cache that hangs, fails and recovers, on a virtual clock: how long calls wait for it.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../../core/error.ts';
import { failsWith } from '../../../test/support/fails-with.ts';
import { guardCache } from './cache-guard.ts';
import type { Cache } from './cache.ts';
import type { Clock } from '../../core/clock.ts';

/** A clock that advances only on request. */
class StillWorld implements Clock {
  time = 0;
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  now = () => this.time;
  random = () => 0;
  sleep = (milliseconds: number, _signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => this.#sleepers.push({ at: this.time + milliseconds, wake: resolve }));

  async pass(milliseconds: number): Promise<void> {
    this.time += milliseconds;
    for (const { at, wake } of this.#sleepers) if (at <= this.time) wake();
    for (let turn = 0; turn < 5; turn++) await setImmediate();
  }
}

function setUp() {
  const clock = new StillWorld();
  const state = { answer: (): Promise<Uint8Array | undefined> => Promise.resolve(undefined), calls: 0, late: 0 };
  const store: Cache = {
    get() {
      state.calls++;
      return state.answer();
    },
    set: () => Promise.reject(new Error('full')),
    delete: () => Promise.resolve(),
  };
  const cache = guardCache(store, { timeout: 50, rest: 1000, clock, onTimeout: () => state.late++ });
  return { clock, state, cache };
}

const hanging = () => new Promise<never>(() => undefined);

describe('a guarded cache', () => {
  test('has a time limit, and is not used after a time-out', async () => {
    const { clock, state, cache } = setUp();
    state.answer = hanging;
    const first = assert.rejects(cache.get('a'), failsWith('timeout', /did not respond within 50 ms/));
    await clock.pass(49);
    assert.equal(state.late, 0);
    await clock.pass(1);
    await first;
    assert.equal(state.late, 1);
    await assert.rejects(cache.get('a'), failsWith('network', /not used for a while/));
    assert.equal(state.calls, 1);
  });

  test('is tried again in the background, without delaying a call', async () => {
    const { clock, state, cache } = setUp();
    state.answer = () => Promise.reject(new Error('gone'));
    await assert.rejects(cache.get('a'), /gone/);
    state.answer = hanging;
    await clock.pass(1000);
    await assert.rejects(cache.get('a'), /not used for a while/);
    await assert.rejects(cache.get('a'), /not used for a while/);
    assert.equal(state.calls, 2, 'one tries for all');
    await clock.pass(50);
    await assert.rejects(cache.get('a'), /not used for a while/);
    assert.equal(state.calls, 2, 'a new failure begins a new rest');
    state.answer = () => Promise.resolve(new Uint8Array(1));
    await clock.pass(1000);
    await assert.rejects(cache.get('a'), /not used for a while/);
    await setImmediate();
    assert.equal((await cache.get('a'))?.length, 1);
  });

  test('is not used after any failure of any operation', async () => {
    const { cache } = setUp();
    await assert.rejects(cache.set('a', new Uint8Array(), 1), /full/);
    await assert.rejects(cache.get('a'), (error: SimpleAgentsError) => /full/.test(String(error.cause)));
    await assert.rejects(cache.delete('a'), /not used for a while/);
  });

  test('with a configuration error reports it every time', async () => {
    const { state, cache } = setUp();
    state.answer = () => Promise.reject(new SimpleAgentsError('configuration', 'no package'));
    for (let time = 0; time < 2; time++) await assert.rejects(cache.get('a'), failsWith('configuration', /no package/));
  });

  test('may respond late if this process was busy', async () => {
    const { clock, state, cache } = setUp();
    const answer = Promise.withResolvers<Uint8Array>();
    state.answer = () => answer.promise;
    const reading = cache.get('a');
    const passing = clock.pass(50);
    answer.resolve(new Uint8Array(1));
    await passing;
    assert.equal((await reading)?.length, 1);
  });
});
