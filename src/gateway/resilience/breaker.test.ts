// The circuit breaker: its states, what counts, and its effect on calls.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  answerOf,
  collectEvents,
  failing,
  stubbornProvider,
  TestClock,
  textOf,
  wordsOf,
} from '../../../test/support/policies.ts';
import { failsWith } from '../../../test/support/fails-with.ts';
import { never, request } from '../../../test/support/upstream.ts';
import type { ErrorKind, SimpleAgentsError } from '../../core/error.ts';
import type { Provider } from '../../core/provider.ts';
import { toConnectionError } from '../../transport/connection-error.ts';
import { Breaker, isBreakerOpen, withBreaker } from './breaker.ts';
import { withRetry } from './retry.ts';
import type { CallVerdict } from './breaker-state.ts';

const settings = { window: 1000, failureRatio: 0.5, minCalls: 4, openFor: 500, probes: 2 };

/** The context of a call that has no other target. */
function call(breaker: Breaker, verdict: CallVerdict, now: number): void {
  const permit = breaker.admit(now, false);
  assert.ok(permit);
  breaker.record(permit, verdict, now);
}

function opened(at = 0): Breaker {
  const breaker = new Breaker(settings);
  for (let count = 0; count < 4; count++) call(breaker, 'failure', at);
  assert.deepEqual([breaker.state, breaker.effect], ['open', 'refuse']);
  return breaker;
}

describe('a breaker', () => {
  test('opens when enough calls have failed, and not before there are enough calls', () => {
    const breaker = new Breaker(settings);
    for (const verdict of ['failure', 'failure', 'success'] as const) call(breaker, verdict, 0);
    assert.equal(breaker.state, 'closed');
    call(breaker, 'failure', 0);
    assert.equal(breaker.state, 'open');
    assert.equal(breaker.admit(499), undefined);
    assert.deepEqual([breaker.allows(499), breaker.opensIn(100)], [false, 400]);
  });

  test('stays closed while most calls succeed', () => {
    const breaker = new Breaker(settings);
    for (let now = 0; now < 10_000; now += 10) call(breaker, now % 50 === 0 ? 'failure' : 'success', now);
    assert.equal(breaker.state, 'closed');
  });

  test('ignores calls outside its window and calls that do not count', () => {
    const breaker = new Breaker(settings);
    for (let now = 0; now < 9600; now += 400) call(breaker, now % 1200 === 800 ? 'success' : 'failure', now);
    for (let count = 0; count < 9; count++) call(breaker, 'neither', 10_000);
    assert.equal(breaker.state, 'closed');
  });

  test('closes after enough successful probes', () => {
    const breaker = opened();
    const probes = [breaker.admit(500), breaker.admit(500)];
    assert.equal(breaker.state, 'half-open');
    assert.equal(breaker.admit(500), undefined);
    for (const probe of probes) breaker.record(probe!, 'success', 510);
    assert.equal(breaker.state, 'closed');
  });

  test('opens again when a probe fails, each time for twice as long, up to a limit', () => {
    const breaker = new Breaker({ ...settings, maxOpenFor: 3000 });
    for (let count = 0; count < 4; count++) call(breaker, 'failure', 0);
    let now = 0;
    for (const pause of [500, 1000, 2000, 3000, 3000]) {
      assert.equal(breaker.admit(now + pause - 1), undefined, `before ${pause} ms`);
      now += pause;
      call(breaker, 'failure', now);
      assert.equal(breaker.state, 'open');
    }
    now += 3000;
    for (let count = 0; count < 2; count++) call(breaker, 'success', now);
    assert.equal(breaker.state, 'closed');
    for (let count = 0; count < 4; count++) call(breaker, 'failure', now);
    assert.deepEqual([breaker.allows(now + 499), breaker.allows(now + 500)], [false, true], 'begins again');
  });

  test('replaces a probe that does not count', () => {
    const breaker = opened();
    for (let count = 0; count < 5; count++) call(breaker, 'neither', 500);
    assert.equal(breaker.state, 'half-open');
    for (let count = 0; count < 2; count++) call(breaker, 'success', 500);
    assert.equal(breaker.state, 'closed');
  });

  test('does not wait forever for probes that never end', () => {
    const breaker = opened();
    const slow = [breaker.admit(500), breaker.admit(500)];
    assert.equal(breaker.admit(1499), undefined);
    call(breaker, 'success', 1500);
    breaker.record(slow[0]!, 'success', 1501);
    assert.equal(breaker.state, 'closed');
  });

  test('ignores calls that started before its last change', () => {
    const breaker = new Breaker(settings);
    const late = Array.from({ length: 9 }, () => breaker.admit(0)!);
    for (let count = 0; count < 4; count++) call(breaker, 'failure', 0);
    for (const permit of late) breaker.record(permit, 'success', 10);
    assert.equal(breaker.state, 'open');
    breaker.admit(600);
    breaker.record(late[0]!, 'failure', 600);
    assert.equal(breaker.state, 'half-open');
  });
});

function stalled(): Breaker {
  const breaker = new Breaker(settings);
  call(breaker, 'stall', 0);
  assert.deepEqual([breaker.state, breaker.effect], ['open', 'divert']);
  return breaker;
}

test('a breaker diverts calls after three failures in a row, and not after fewer', () => {
  const breaker = new Breaker({ ...settings, minCalls: 100 });
  for (const verdict of ['failure', 'failure', 'success', 'failure', 'failure', 'neither'] as const) {
    call(breaker, verdict, 0);
  }
  assert.equal(breaker.state, 'closed');
  call(breaker, 'failure', 0);
  assert.deepEqual([breaker.state, breaker.effect, breaker.allows(499)], ['open', 'divert', false]);
  call(breaker, 'success', 500);
  call(breaker, 'failure', 500);
  assert.equal(breaker.state, 'closed');
});

describe('a breaker after one stall', () => {
  test('rejects calls that have another target, and admits those that have none', () => {
    const breaker = stalled();
    assert.equal(breaker.allows(499), false);
    assert.equal(breaker.admit(499), undefined);
    assert.ok(breaker.admit(499, false));
    assert.equal(breaker.state, 'open');
  });

  test('admits one probe after the pause, with a longer time limit each time', () => {
    const breaker = stalled();
    let now = 0;
    for (const pause of [500, 1000, 2000, 4000]) {
      now += pause;
      const probe = breaker.admit(now);
      assert.equal(probe?.probeTimeout, 2 * pause);
      assert.equal(breaker.admit(now), undefined, 'one at a time');
      now += pause;
      breaker.record(probe, 'stall', now);
      assert.equal(breaker.allows(now + 2 * pause - 1), false);
    }
  });

  test('closes with one probe, or with one call that had no other target', () => {
    const probed = stalled();
    call(probed, 'success', 500);
    assert.equal(probed.state, 'closed');
    const forced = stalled();
    forced.record(forced.admit(100, false)!, 'success', 100);
    assert.equal(forced.state, 'closed');
  });

  test('changes once for many calls that stalled together', () => {
    const breaker = new Breaker(settings);
    const together = Array.from({ length: 50 }, () => breaker.admit(0)!);
    for (const permit of together) breaker.record(permit, 'stall', 0);
    assert.deepEqual([breaker.allows(499), breaker.allows(500)], [false, true]);
  });

  test('rejects every call once too many have failed', () => {
    const breaker = stalled();
    for (let count = 0; count < 3; count++) breaker.record(breaker.admit(10, false)!, 'failure', 10);
    assert.deepEqual([breaker.state, breaker.effect], ['open', 'refuse']);
    assert.equal(breaker.admit(100, false), undefined);
  });
});

async function fail(errors: readonly unknown[], signal: AbortSignal = never): Promise<Breaker> {
  const clock = new TestClock();
  const breaker = new Breaker(settings);
  const provider = withBreaker(stubbornProvider(errors, clock), { breaker, clock });
  for (const error of errors) await assert.rejects(provider.open(request, signal), (thrown) => thrown === error);
  return breaker;
}

describe('a provider with a breaker', () => {
  const counted: readonly ErrorKind[] = ['overloaded', 'upstream', 'network', 'timeout', 'bad-response'];
  const uncounted: readonly ErrorKind[] = ['bad-request', 'auth', 'quota', 'rate-limit', 'not-found', 'healing'];
  test('counts failures of the target, not of the caller', async () => {
    for (const kind of counted) assert.equal((await fail(Array(4).fill(failing(kind)))).state, 'open', kind);
    for (const kind of uncounted) assert.equal((await fail(Array(9).fill(failing(kind)))).state, 'closed', kind);
  });

  test('does not count a shortage on this machine, because the target was not reached', async () => {
    const shortage = toConnectionError(
      { code: 'EMFILE' },
      { origin: 'http://a', phase: 'connecting', connectTimeout: 1 },
    );
    assert.equal((await fail(Array(9).fill(shortage))).state, 'closed');
  });

  test('does not count an abort', async () => {
    const reason = failing('timeout');
    assert.equal((await fail(Array(9).fill(reason), AbortSignal.abort(reason))).state, 'closed');
  });

  test('fails at once when open, with an error that is not retried', async () => {
    const clock = new TestClock();
    const inner = stubbornProvider(Array(9).fill(failing('upstream')), clock);
    const breaking = withBreaker(inner, { breaker: new Breaker(settings), clock, target: 'a/m' });
    const provider = withRetry(breaking, { clock, maxAttempts: 9, jitter: false, initialBackoff: 1 });
    const { context, events } = collectEvents();
    await assert.rejects(provider.open(request, never, context), (error: Error) => {
      assert.match(error.message, /^a\/m failed recently and gets no calls for another 1 s \(circuit breaker\)$/);
      return true;
    });
    assert.equal(inner.times.length, 4);
    assert.deepEqual(
      events.filter(({ type }) => type === 'breaker-change'),
      [{ type: 'breaker-change', call: 'call_1', target: 'a/m', from: 'closed', to: 'open', effect: 'divert' }],
    );
    await assert.rejects(breaking.open(request, never), failsWith('overloaded', /circuit breaker/));
    await assert.rejects(breaking.open(request, never), (error: SimpleAgentsError) => isBreakerOpen(error));
    assert.equal(inner.times.length, 4);
  });

  test('counts streams that fail in the middle', async () => {
    const clock = new TestClock();
    const breaker = new Breaker(settings);
    const cut: Provider = {
      name: 'cut',
      open: () => Promise.resolve(answerOf('cut', wordsOf('a', 'b').slice(0, 2), failing('network'))),
    };
    const provider = withBreaker(cut, { breaker, clock });
    for (let count = 0; count < 4; count++) {
      const stream = await provider.open(request, never);
      await assert.rejects(textOf(stream), failsWith('network', /./));
    }
    assert.equal(breaker.state, 'open');
  });

  test('closes after responses that were read to their end', async () => {
    const clock = new TestClock();
    const breaker = opened(0);
    const provider = withBreaker(stubbornProvider([], clock), { breaker, clock });
    clock.time = 500;
    const { context, events } = collectEvents();
    for (let count = 0; count < 2; count++) await textOf(await provider.open(request, never, context));
    assert.equal(breaker.state, 'closed');
    assert.deepEqual(
      events.map((event) => event.type === 'breaker-change' && event.to),
      ['half-open', 'closed'],
    );
  });
});
