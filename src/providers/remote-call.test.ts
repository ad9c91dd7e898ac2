// The time-outs of a call on a virtual clock: each expires exactly at its time.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { RemoteCall } from './remote-call.ts';
import { defaultTimeouts, type Timeouts } from './timeouts.ts';

function start(context: TestContext, timeouts: Partial<Timeouts> = {}) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const controller = new AbortController();
  const call = new RemoteCall(controller.signal, 'someone', { ...defaultTimeouts, ...timeouts });
  const pass = (milliseconds: number) => {
    context.mock.timers.tick(milliseconds);
    return call.signal.aborted;
  };
  return { call, controller, pass };
}

describe('a call', () => {
  test('waits 120 s for its first token', (context) => {
    const { call, pass } = start(context);
    assert.equal(pass(119_999), false);
    assert.equal(pass(1), true);
    failsWith('timeout', /^no response arrived from someone within 120 s /)(call.signal.reason);
  });

  test('waits 90 s between two parts of content', (context) => {
    const { call, pass } = start(context);
    call.commit();
    call.startWaiting(true);
    assert.equal(pass(89_999), false);
    assert.equal(pass(1), true);
    failsWith('timeout', /^the stream stalled: no new content arrived from someone within 90 s /)(call.signal.reason);
  });

  test('does not count the time between reads, because a slow reader is not a silent server', (context) => {
    const { call, pass } = start(context, { idle: 100 });
    call.commit();
    call.startWaiting(true);
    call.stopWaiting();
    assert.equal(pass(600_000), false);
  });

  test('is not extended by bytes without content', (context) => {
    const { call, pass } = start(context, { idle: 100 });
    call.commit();
    call.startWaiting(true);
    for (let ping = 0; ping < 9; ping++) {
      assert.equal(pass(10), false);
      call.stopWaiting();
      call.startWaiting(false);
    }
    assert.equal(pass(10), true);
  });

  test('has no total limit by default, but may have one', (context) => {
    const free = start(context, { idle: 0 });
    free.call.commit();
    free.call.startWaiting(true);
    assert.equal(free.pass(2 ** 31), false);
    free.call.release();
    context.mock.timers.reset();
    const bound = start(context, { total: 1000 });
    bound.call.commit();
    assert.equal(bound.pass(999), false);
    assert.equal(bound.pass(1), true);
    failsWith('timeout', /^no complete response arrived from someone within 1 s .*total/)(bound.call.signal.reason);
  });

  test('that is over has no timers, and an abort keeps its own reason', (context) => {
    const { call, controller, pass } = start(context, { total: 10 });
    call.release();
    assert.equal(pass(600_000), false);
    context.mock.timers.reset();
    const other = start(context);
    const reason = { mine: true };
    other.controller.abort(reason);
    assert.deepEqual([other.call.aborted, other.call.signal.reason], [true, reason]);
    controller.abort();
  });
});
