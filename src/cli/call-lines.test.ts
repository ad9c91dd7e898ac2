// The lines of `--verbose` for each call event, and when they are written.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyCallEvent } from '../../test/support/call-events.ts';
import { MemoryTerminal } from '../../test/support/memory-terminal.ts';
import type { CallEvent } from '../core/call.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { noUsage } from '../core/usage.ts';
import { CallLines, describeCallEvent } from './call-lines.ts';

const lines = everyCallEvent.map(describeCallEvent).filter((line) => line !== undefined);

test('each event is a short line; a successful attempt has none', () => {
  assert.deepEqual(lines, [
    'calling fast',
    'not in the cache',
    'the cache failed (get); continuing without it',
    'an identical call is in progress; sharing its response',
    'skipping c/z: its circuit breaker is open',
    'attempt 1 at a/x',
    'attempt 1 failed after 12 ms: HTTP 529 overloaded: busy with the prompt: sk-secret',
    'waiting 120 ms before the next attempt',
    'attempt 2 at a/x',
    'attempt 2 failed after 1.5 s: HTTP 529 overloaded: busy with the prompt: sk-secret',
    'no further attempt at a/x: the retry budget is used up',
    'circuit breaker of a/x: closed → open',
    'falling back from a/x to b/y',
    'attempt 1 at b/y',
    'first token after 1.7 s',
    'b/y broke off after 42 characters; d/w continues',
    'stored in the cache',
    'response from d/w, 2.0 s, 100 in, 5 out, $0.0012',
  ]);
});

test('the last line shows how the call ended', () => {
  const end = { type: 'call-end', call: 'c', duration: 5, usage: { input: 1, output: 1 }, target: 't' } as const;
  const told = (how: Partial<Extract<CallEvent, { type: 'call-end' }>>) =>
    describeCallEvent({ ...end, outcome: 'complete', ...how });
  assert.equal(told({ usage: noUsage }), 'response from t, 5 ms, tokens unknown, cost unknown');
  assert.equal(told({ shared: true, cost: 1 }), 'response from t, 5 ms, 1 in, 1 out, no cost');
  assert.equal(told({ outcome: 'left' }), 'stopped after 5 ms');
  assert.equal(told({ outcome: 'failed' }), 'failed after 5 ms');
  assert.equal(told({ cost: 1234.567 }), 'response from t, 5 ms, 1 in, 1 out, $1,234.57');
  assert.equal(told({ cost: 0.000_000_123 }), 'response from t, 5 ms, 1 in, 1 out, $0.00000012');
});

test('lines are held back while the response is written', () => {
  const terminal = new MemoryTerminal();
  const written: string[] = [];
  terminal.stderr.write = ((text: string) => written.push(text)) as never;
  const verbose = new CallLines(terminal.stderr, (_format, text) => text);
  for (const event of everyCallEvent) verbose.observe(event);
  assert.equal(written.at(-1), 'first token after 1.7 s\n');
  verbose.flush();
  assert.deepEqual(
    written,
    lines.map((line) => `${line}\n`),
  );
});

test('a failed attempt names the HTTP status if there is one', () => {
  const error = new SimpleAgentsError('rate-limit', 'too many requests', { status: 429 });
  const event = { type: 'attempt-end', call: '1', target: 'a/x', attempt: 1, duration: 12, error } as const;
  assert.equal(describeCallEvent(event), 'attempt 1 failed after 12 ms: HTTP 429 rate-limit: too many requests');
});
