// A call's signal for code that takes only a real one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Call } from './call.ts';
import { defaultTimeouts } from './timeouts.ts';
import { toAbortSignal } from './transport.ts';

const never = new AbortController().signal;

test('a call’s signal becomes a real one, aborted with the same reason, before or after', () => {
  const caller = new AbortController();
  const call = new Call(caller.signal, 'p', defaultTimeouts);
  const before = toAbortSignal(call.signal);
  assert.ok(before instanceof AbortSignal && !before.aborted);
  caller.abort('left');
  assert.deepEqual([before.aborted, before.reason], [true, 'left']);
  const after = toAbortSignal(call.signal);
  assert.deepEqual([after.aborted, after.reason], [true, 'left']);
});

test('a real one stays what it is', () => {
  assert.equal(toAbortSignal(never), never);
});
