// The events that an observer gets about a call.

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
import { never, request } from '../../../test/support/upstream.ts';
import type { CallEvent } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Provider } from '../../core/provider.ts';
import { withObservation } from './observe.ts';
import { withRetry } from '../resilience/retry.ts';

const costOf = (target: string, { output }: { output: number }) => (target === 'a/m' ? output / 100 : undefined);

function observed(provider: Provider, clock = new TestClock()) {
  const events: CallEvent[] = [];
  const retrying = withRetry(provider, { clock, target: 'a/m', jitter: false });
  const observing = withObservation(retrying, { observer: (event) => void events.push(event), clock, costOf });
  return { observing, events };
}

function clumsy(): never {
  throw new Error('a defect of the observer');
}

describe('an observer', () => {
  test('gets the start, the first token and the end of a call', async () => {
    const { observing, events } = observed(stubbornProvider([failing('timeout')], new TestClock(), 'a'));
    const stream = await observing.open({ ...request, model: 'fast', stream: false }, never);
    await textOf(stream);
    const call = events[0]?.call ?? '';
    assert.match(call, /^call_[0-9a-z]{10}$/);
    assert.ok(events.every((event) => event.call === call));
    assert.deepEqual(events[0], { type: 'call-start', call, model: 'fast', stream: false });
    assert.deepEqual(events.slice(-2), [
      { type: 'first-token', call, target: 'a/m', duration: 100 },
      {
        type: 'call-end',
        call,
        outcome: 'complete',
        target: 'a/m',
        duration: 100,
        usage: { input: 1, output: 1 },
        cost: 0.01,
      },
    ]);
  });

  test('gets a failure before and in the middle of the response', async () => {
    const error = failing('auth');
    const before = observed(stubbornProvider([error], new TestClock()));
    await assert.rejects(before.observing.open(request, never));
    const end = before.events.at(-1);
    assert.ok(end?.type === 'call-end' && end.outcome === 'failed' && end.error === error);
    assert.equal(end.target, undefined);
    const cut = { name: 'a', open: () => Promise.resolve(answerOf('a', wordsOf('x').slice(0, 2), error)) };
    const middle = observed(cut);
    await assert.rejects(textOf(await middle.observing.open(request, never)));
    const later = middle.events.at(-1);
    assert.ok(later?.type === 'call-end' && later.outcome === 'failed' && later.error === error);
  });

  test('gets an event when the caller leaves, by an abort or by leaving the loop', async () => {
    const signal = AbortSignal.abort({ mine: true });
    const aborted = observed(stubbornProvider([signal.reason], new TestClock()));
    await assert.rejects(aborted.observing.open(request, signal));
    const left = observed(stubbornProvider([]));
    for await (const _event of await left.observing.open(request, never)) break;
    for (const { events } of [aborted, left]) {
      const end = events.at(-1);
      assert.ok(end?.type === 'call-end');
      assert.deepEqual([end.outcome, end.error], ['left', undefined]);
    }
  });

  test('may throw without an effect', async () => {
    const observing = withObservation(withRetry(stubbornProvider([])), { observer: clumsy });
    assert.equal(await textOf(await observing.open(request, never)), 'Hello');
  });

  test('of the call itself gets the events too, with the call’s own id', async () => {
    const own = collectEvents();
    const { observing, events } = observed(stubbornProvider([]));
    await textOf(await observing.open(request, never, own.context));
    assert.deepEqual(own.events, events);
    assert.equal(events[0]?.call, 'call_1');
  });

  test('sees that a response was shared', async () => {
    const events: CallEvent[] = [];
    const cached: Provider = {
      name: 'cache',
      open(_request, _signal, context) {
        context?.observe({ type: 'cache-hit', call: context.id, key: 'k' });
        return Promise.resolve(answerOf('a', wordsOf('x')));
      },
    };
    const observing = withObservation(cached, { observer: (event) => void events.push(event), costOf: () => 1 });
    await textOf(await observing.open(request, never));
    const end = events.at(-1);
    assert.ok(end?.type === 'call-end');
    assert.deepEqual([end.shared, end.cost, end.target], [true, undefined, 'a']);
  });

  test('gets no cost for a continued response, because a part of it is unknown', async () => {
    const events: CallEvent[] = [];
    const error = new SimpleAgentsError('network', 'cut');
    const continued: Provider = {
      name: 'continued',
      open(_request, _signal, context) {
        const call = context?.id ?? '';
        context?.observe({ type: 'attempt-end', call, target: 'a/m', attempt: 1, duration: 1 });
        context?.observe({ type: 'continuation', call, from: 'b/m', target: 'a/m', delivered: 1, error });
        return Promise.resolve(answerOf('a', wordsOf('x')));
      },
    };
    const observing = withObservation(continued, { observer: (event) => void events.push(event), costOf: () => 1 });
    await textOf(await observing.open(request, never));
    const end = events.at(-1);
    assert.ok(end?.type === 'call-end');
    assert.deepEqual([end.target, end.cost], ['a/m', undefined]);
  });

  test('does not wrap the stream of the model', async () => {
    const stream = answerOf('a', wordsOf('x'));
    assert.equal(await withObservation({ name: 'a', open: async () => stream }).open(request, never), stream);
  });
});
