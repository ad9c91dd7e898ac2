// Retries: when a call is retried, after which pause, and when not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collectEvents, failing, stubbornProvider, TestClock } from '../../../test/support/policies.ts';
import { never, request } from '../../../test/support/upstream.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Provider } from '../../core/provider.ts';
import { timeoutError } from '../../core/timeout.ts';
import { withRetry, type RetryOptions } from './retry.ts';
import { slowFailure } from './stall.ts';

/** Records the calls to a provider that fails with each error in turn, and their times. */
async function run(errors: readonly unknown[], options: RetryOptions = {}, signal: AbortSignal = never) {
  const clock = new TestClock();
  const provider = stubbornProvider(errors, clock);
  const { context, events } = collectEvents();
  const retrying = withRetry(provider, { clock, target: 'a/m', ...options });
  const thrown: unknown = await retrying.open(request, signal, context).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { times: provider.times, pauses: clock.pauses, thrown, events, clock };
}

describe('a call that fails', () => {
  test('is retried after growing pauses, until a response arrives', async () => {
    const { times, thrown, events } = await run([failing('timeout'), failing('overloaded')], { jitter: false });
    assert.equal(thrown, undefined);
    assert.deepEqual(times, [0, 100, 300]);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['attempt-start', 'attempt-end', 'retry-wait', 'attempt-start', 'attempt-end', 'retry-wait'].concat([
        'attempt-start',
        'attempt-end',
      ]),
    );
    assert.ok(events.every((event) => 'target' in event && event.target === 'a/m'));
  });

  test('too often fails with the last error, unchanged', async () => {
    const errors = [1, 2, 3, 4].map((number) => failing('upstream', `failure ${number}`));
    const { times, thrown } = await run(errors);
    assert.equal(times.length, 3);
    assert.equal(thrown, errors[2]);
  });

  test('with a permanent error is not retried', async () => {
    for (const kind of ['bad-request', 'auth', 'quota', 'not-found', 'context-overflow', 'bad-response'] as const) {
      assert.equal((await run([failing(kind)])).times.length, 1, kind);
    }
    assert.equal((await run([new TypeError('a defect')])).times.length, 1);
  });

  test('is retried after the configured kinds of errors, and only those', async () => {
    const options = { retryableErrors: ['quota'] } as const;
    assert.equal((await run([failing('quota')], options)).times.length, 2);
    assert.equal((await run([failing('timeout')], options)).times.length, 1);
  });

  test('is not retried if only one attempt is allowed', async () => {
    assert.equal((await run([failing('timeout')], { maxAttempts: 1 })).times.length, 1);
  });
});

const late = (setting: 'connect' | 'firstToken' | 'total') => timeoutError('nothing came', setting, 5);

describe('a call that took too long', () => {
  test('in total is never retried', async () => {
    assert.equal((await run([late('total')])).times.length, 1);
    assert.equal((await run([late('total')], { retryableErrors: ['timeout'] })).times.length, 1);
  });

  test('to start is retried only if there is no other target', async () => {
    for (const setting of ['connect', 'firstToken'] as const) {
      assert.equal((await run([late(setting)])).times.length, 2, setting);
      assert.equal((await runReplaceable([late(setting)])).times.length, 1, setting);
    }
  });

  test('to fail is not retried if there is another target', async () => {
    for (const [duration, calls] of [
      [slowFailure - 1, 2],
      [slowFailure, 1],
    ] as const) {
      const error = failing('overloaded');
      assert.equal((await runReplaceable([error], duration)).times.length, calls);
    }
  });
});

/** Each call takes this long to fail, and there is another target. */
async function runReplaceable(errors: readonly unknown[], duration = 0) {
  const clock = new TestClock();
  const inner = stubbornProvider(errors, clock);
  const slow: Provider = {
    name: 'slow',
    open: (...asked) => {
      const opening = inner.open(...asked);
      clock.time += duration;
      return opening;
    },
  };
  const context = { ...collectEvents().context, isReplaceable: true } as const;
  await withRetry(slow, { clock })
    .open(request, never, context)
    .catch(() => undefined);
  return inner;
}

test('a caller with its own retry policy gets the error at once', async () => {
  const clock = new TestClock();
  const provider = stubbornProvider([failing('timeout')], clock);
  const { context } = collectEvents();
  const opening = withRetry(provider, { clock }).open(request, never, { ...context, retry: false });
  await assert.rejects(opening, { kind: 'timeout' });
  assert.deepEqual([provider.times.length, clock.pauses.length], [1, 0]);
});

describe('a pause', () => {
  test('grows to its limit', async () => {
    const errors = Array.from({ length: 9 }, () => failing('timeout'));
    const { pauses } = await run(errors, { maxAttempts: 10, jitter: false, multiplier: 3, maxBackoff: 1000 });
    assert.deepEqual(pauses, [100, 300, 900, 1000, 1000, 1000, 1000, 1000, 1000]);
  });

  test('varies by 30 % in both directions', async () => {
    for (const [random, expected] of [
      [0, 70],
      [0.5, 100],
      [1, 130],
    ] as const) {
      const clock = new TestClock(() => random);
      const provider = stubbornProvider([failing('timeout')], clock);
      await withRetry(provider, { clock }).open(request, never);
      assert.deepEqual(clock.pauses.map(Math.round), [expected]);
    }
  });

  const asked: readonly (readonly [retryAfterMs: number | undefined, pause: number | undefined])[] = [
    [undefined, 100],
    [0, 100],
    [2000, 2000],
    [60_000, 60_000],
    [60_001, undefined],
    [1e12, undefined],
  ];
  for (const [retryAfterMs, pause] of asked) {
    test(`is as long as the provider requests: ${retryAfterMs} ms`, async () => {
      const details = retryAfterMs === undefined ? {} : { retryAfterMs };
      const error = new SimpleAgentsError('rate-limit', 'slow down', details);
      const { pauses, thrown, events } = await run([error], { jitter: false });
      assert.deepEqual(pauses, pause === undefined ? [] : [pause]);
      assert.equal(thrown, pause === undefined ? error : undefined);
      const refusals = events.flatMap((event) => (event.type === 'retry-refuse' ? [event.reason] : []));
      assert.deepEqual(refusals, pause === undefined ? ['retry-after'] : []);
    });
  }

  test('ends with an abort, whose reason is thrown unchanged, and releases its part of the budget', async () => {
    const controller = new AbortController();
    const clock = new TestClock();
    const provider = stubbornProvider([failing('timeout'), failing('timeout')], clock);
    const retrying = withRetry(provider, { clock, budgetReserve: 1, budget: 0 });
    clock.onSleep = () => controller.abort('enough');
    await assert.rejects(retrying.open(request, controller.signal), (thrown) => thrown === 'enough');
    assert.equal(provider.times.length, 1);
    clock.onSleep = undefined;
    await retrying.open(request, never);
    assert.equal(provider.times.length, 3);
  });
});

test('an abort is never retried, whatever its reason', async () => {
  for (const reason of [new DOMException('left', 'AbortError'), { mine: true }, undefined]) {
    const controller = new AbortController();
    controller.abort(reason);
    const { times, thrown, events } = await run([controller.signal.reason], {}, controller.signal);
    assert.deepEqual([times.length, thrown], [1, controller.signal.reason]);
    const end = events.at(-1);
    assert.ok(end?.type === 'attempt-end' && end.aborted);
  }
});

test('retries beyond the budget are not made, and the call fails with its own error', async () => {
  const clock = new TestClock();
  const error = failing('overloaded');
  const provider = stubbornProvider(
    Array.from({ length: 100 }, () => error),
    clock,
  );
  const retrying = withRetry(provider, { clock, budgetReserve: 3 });
  const { context, events } = collectEvents();
  for (let call = 0; call < 20; call++) {
    await assert.rejects(retrying.open(request, never, context), (thrown) => thrown === error);
  }
  assert.equal(provider.times.length, 23);
  assert.ok(events.some((event) => event.type === 'retry-refuse' && event.reason === 'budget'));
});
