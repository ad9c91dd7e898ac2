// The figures and the timeline of the live view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveCall } from '../../src/server/live/live-call.ts';
import type { LiveTick } from '../../src/server/live/live-channel.ts';
import { formatCost, formatDuration } from '../../web/kit/format.ts';
import { toSpans } from '../../web/live/spans.ts';
import { alignTicks, counts, quantile, quantiles, targetFigures } from '../../web/live/statistics.ts';

function tick(time: number, more: Partial<LiveTick> = {}): LiveTick {
  const zero = { calls: 0, failed: 0, cacheHits: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
  return { time, ...zero, openCalls: 0, openStreams: 0, firstToken: [], total: [], targets: {}, ...more };
}

test('quantiles are values of the list', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual(
    [0.5, 0.95, 0.99].map((share) => quantile(hundred, share)),
    [50, 95, 99],
  );
  assert.equal(quantile([7], 0.99), 7);
  assert.equal(quantile([], 0.5), null);
});

test('seconds without a summary are gaps', () => {
  const now = 1_000_000;
  const shown = alignTicks([tick(now - 3000, { calls: 2 }), tick(now, { calls: 5, total: [10, 30] })], now);
  assert.deepEqual(counts(shown, ({ calls }) => calls).slice(-4), [2, null, null, 5]);
  assert.equal(quantiles(shown, ({ total }) => total, 0.5).at(-1), 10);
  assert.equal(quantiles(shown, ({ total }) => total, 0.5).at(-2), null);
});

test('targets are summed over the shown seconds', () => {
  const one = { attempts: 2, failed: 1, latency: [10] };
  const figures = targetFigures([tick(0, { targets: { a: one } }), undefined, tick(1, { targets: { a: one } })]);
  assert.deepEqual(figures, [{ name: 'a', attempts: 4, failed: 2, latency: 10 }]);
});

test('a call with a retry and a fallback is a timeline of spans', () => {
  const call: LiveCall = {
    id: 'c',
    model: 'm',
    startedAt: 0,
    duration: 100,
    steps: [
      { type: 'call-start', at: 0 },
      { type: 'attempt-start', at: 1, target: 'a/m' },
      { type: 'attempt-end', at: 10, target: 'a/m', detail: 'busy' },
      { type: 'retry-wait', at: 10, target: 'a/m', detail: 'overloaded, waits 20 ms' },
      { type: 'attempt-start', at: 30, target: 'a/m' },
      { type: 'attempt-end', at: 35, target: 'a/m', detail: 'busy' },
      { type: 'fallback', at: 36, target: 'b/m', detail: 'from a/m: overloaded' },
      { type: 'attempt-start', at: 37, target: 'b/m' },
      { type: 'attempt-end', at: 50, target: 'b/m' },
      { type: 'first-token', at: 50, target: 'b/m' },
      { type: 'answer-heal', at: 99, detail: 'fixed-quotes' },
      { type: 'call-end', at: 100, target: 'b/m' },
    ],
  };
  assert.deepEqual(
    toSpans(call).map(({ kind, title, start, end }) => [kind, title, start, end]),
    [
      ['bad', 'Attempt failed', 1, 10],
      ['wait', 'Waits to try again', 10, 30],
      ['bad', 'Attempt failed', 30, 35],
      ['point', 'Falls back to another target', 36, 36],
      ['good', 'Attempt', 37, 50],
      ['good', 'Streams the answer', 50, 100],
      ['point', 'Healed', 99, 99],
    ],
  );
});

test('figures are readable', () => {
  assert.deepEqual([0.42, 12.3, 1234, 65_000].map(formatDuration), ['0.4 ms', '12 ms', '1.23 s', '65.0 s']);
  assert.deepEqual([0, 0.000012345, 0.5, 12].map(formatCost), ['$0', '$0.000012', '$0.50', '$12.00']);
});
