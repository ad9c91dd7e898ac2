// Log records of calls: one for each call, with counts and times, and without prompts or responses.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { everyCallEvent, secretWords } from '../../../test/support/call-events.ts';
import type { CallEvent } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { noUsage } from '../../core/usage.ts';
import { createCallLog, logCalls, type CallRecord } from './log.ts';

function recordsOf(events: readonly CallEvent[]): CallRecord[] {
  const take = createCallLog();
  return events.map(take).filter((record) => record !== undefined);
}

describe('a call', () => {
  test('is one record, when it has ended', () => {
    assert.deepEqual(recordsOf(everyCallEvent), [
      {
        type: 'call',
        call: 'c1',
        model: 'fast',
        stream: true,
        outcome: 'complete',
        target: 'd/w',
        durationMs: 2001,
        firstTokenMs: 1700,
        attempts: 3,
        retries: 1,
        fallbacks: 2,
        cache: 'failure',
        inputTokens: 10,
        outputTokens: 5,
        cacheReadTokens: 90,
        cost: 0.001234,
      },
    ]);
  });

  test('that failed has the kind of its error, not its message', () => {
    const error = new SimpleAgentsError('overloaded', secretWords, { status: 529, code: 'busy', cause: secretWords });
    const [record] = recordsOf([
      { type: 'call-start', call: 'c', model: 'm', stream: false },
      { type: 'call-end', call: 'c', outcome: 'failed', duration: 1, usage: noUsage, error },
    ]);
    assert.deepEqual(record?.error, { kind: 'overloaded', status: 529, code: 'busy' });
    assert.ok(!('inputTokens' in (record ?? {})));
    assert.ok(!JSON.stringify(record).includes(secretWords));
  });

  test('is kept apart from concurrent calls', () => {
    const events = ['a', 'b'].map((call) => everyCallEvent.map((event) => ({ ...event, call })));
    const mixed = everyCallEvent.flatMap((_event, index) => events.map((list) => list[index] as CallEvent));
    assert.deepEqual(
      recordsOf(mixed).map(({ call, attempts }) => [call, attempts]),
      [
        ['a', 3],
        ['b', 3],
      ],
    );
  });

  test('is dropped at its end', () => {
    const take = createCallLog();
    const end = everyCallEvent.at(-1) as CallEvent;
    assert.equal(take(end), undefined);
    const records = [...everyCallEvent, end].map(take).filter((record) => record !== undefined);
    assert.equal(records.length, 1);
  });
});

test('an observer passes records on', () => {
  const records: CallRecord[] = [];
  const observer = logCalls((record) => records.push(record));
  for (const event of everyCallEvent) observer(event);
  assert.equal(records.length, 1);
});
