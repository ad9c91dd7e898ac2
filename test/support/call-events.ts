// One call event of each type, in a possible order.

import type { CallEvent } from '../../src/core/call.ts';
import { SimpleAgentsError } from '../../src/core/error.ts';

export const secretWords = 'the prompt: sk-secret';

const error = new SimpleAgentsError('overloaded', `busy with ${secretWords}\nand more`, { status: 529, code: 'busy' });
const call = 'c1';

export const everyCallEvent: readonly CallEvent[] = [
  { type: 'call-start', call, model: 'fast', stream: true },
  { type: 'cache-miss', call, key: 'k' },
  { type: 'cache-failure', call, operation: 'get', error },
  { type: 'call-join', call },
  { type: 'target-skip', call, target: 'c/z', reason: 'breaker-open' },
  { type: 'attempt-start', call, target: 'a/x', attempt: 1 },
  { type: 'attempt-end', call, target: 'a/x', attempt: 1, duration: 12.4, error },
  { type: 'retry-wait', call, target: 'a/x', attempt: 1, delay: 120, error },
  { type: 'attempt-start', call, target: 'a/x', attempt: 2 },
  { type: 'attempt-end', call, target: 'a/x', attempt: 2, duration: 1500, error },
  { type: 'retry-refuse', call, target: 'a/x', reason: 'budget', error },
  { type: 'breaker-change', call, target: 'a/x', from: 'closed', to: 'open' },
  { type: 'fallback', call, target: 'b/y', from: 'a/x', error },
  { type: 'attempt-start', call, target: 'b/y', attempt: 1 },
  { type: 'attempt-end', call, target: 'b/y', attempt: 1, duration: 30 },
  { type: 'first-token', call, target: 'b/y', duration: 1700 },
  { type: 'continuation', call, target: 'd/w', from: 'b/y', delivered: 42, error },
  { type: 'cache-store', call, key: 'k' },
  {
    type: 'call-end',
    call,
    outcome: 'complete',
    target: 'd/w',
    duration: 2000.6,
    usage: { input: 10, output: 5, cacheRead: 90 },
    cost: 0.001234,
  },
];
