// Shared calls: which requests share a call, what each reader gets at its own pace, and the effects of leaving, failures
// and slow readers on the others.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { assemble } from '../../core/assembler.ts';
import type { CallEvent } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import { text } from '../../core/message.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { noUsage } from '../../core/usage.ts';
import { failsWith } from '../../../test/support/fails-with.ts';
import { eventsOf, never } from '../../../test/support/upstream.ts';
import { EventLog, type LogPosition } from './event-log.ts';
import { withSingleFlight } from './single-flight.ts';

const request: ChatRequest = { model: 'm', messages: [] };

function answerOf(words: readonly string[]): StreamEvent[] {
  return [
    { type: 'message-start', id: 'i', model: 'm' },
    ...words.map((word) => ({ type: 'text-delta' as const, index: 0, text: word })),
    { type: 'block-end', index: 0, block: text(words.join('')) },
    { type: 'message-end', stopReason: 'end', usage: { input: 1, output: words.length } },
  ];
}

const words = ['One', ' two', ' three', ' four'];

/** A model that the test controls: `release` emits a number of events, `open` opens the call. */
class SteppedModel implements Provider {
  readonly name = 'stepped';
  calls = 0;
  /** The number of requested events. */
  asked = 0;
  isCancelled = false;
  outcome: Outcome | undefined;
  readonly #events: readonly StreamEvent[];
  readonly #opened = Promise.withResolvers<void>();
  #released = 0;
  #news = Promise.withResolvers<void>();
  #failure: unknown;

  constructor(events: readonly StreamEvent[] = answerOf(words)) {
    this.#events = events;
  }

  commit(): void {
    this.#opened.resolve();
  }

  refuse(error: unknown): void {
    this.#opened.reject(error);
  }

  release(count: number, failure?: unknown): void {
    this.#released += count;
    this.#failure = failure;
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  async open(_request: ChatRequest, signal: AbortSignal): Promise<ModelStream> {
    this.calls++;
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => undefined);
    signal.addEventListener('abort', () => {
      this.isCancelled = true;
      aborted.reject(signal.reason);
    });
    await Promise.race([this.#opened.promise, aborted.promise]);
    const { promise: ended, resolve } = Promise.withResolvers<Outcome>();
    void ended.then((outcome) => (this.outcome = outcome));
    return { target: 'stepped', ended, [Symbol.asyncIterator]: () => this.#read(resolve, aborted.promise) };
  }

  async *#read(settle: (outcome: Outcome) => void, aborted: Promise<never>): AsyncGenerator<StreamEvent, void> {
    try {
      for (const [position, event] of this.#events.entries()) {
        this.asked++;
        while (position >= this.#released) {
          if (this.#failure !== undefined) throw this.#failure;
          await Promise.race([this.#news.promise, aborted]);
        }
        if (event.type === 'message-end') settle({ type: 'complete', stopReason: 'end', usage: event.usage });
        yield event;
      }
    } catch (error) {
      settle({ type: 'failed', error, usage: { input: 1, output: 1 } });
      throw error;
    } finally {
      settle({ type: 'left', usage: { input: 1, output: 2 } });
    }
  }
}

const share = (model: Provider, limit?: number) => withSingleFlight(model, ({ model: name }) => name, limit);

async function take(
  stream: ModelStream,
  count: number,
): Promise<{ events: StreamEvent[]; rest: AsyncIterator<StreamEvent> }> {
  const rest = stream[Symbol.asyncIterator]();
  const events: StreamEvent[] = [];
  for (let taken = 0; taken < count; taken++) events.push((await rest.next()).value as StreamEvent);
  return { events, rest };
}

async function drain(iterator: AsyncIterator<StreamEvent>): Promise<StreamEvent[]> {
  return eventsOf({ [Symbol.asyncIterator]: () => iterator } as ModelStream);
}

const textIn = (events: readonly StreamEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

describe('equal requests', () => {
  test('share one call, and each gets the complete response', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    const seen: CallEvent[] = [];
    const observe = (event: CallEvent) => void seen.push(event);
    const openings = ['a', 'b', 'c', 'd', 'e'].map((id) => shared.open(request, never, { id, observe }));
    model.commit();
    model.release(99);
    const readings = await Promise.all(openings.map(async (opening) => eventsOf(await opening)));
    assert.equal(model.calls, 1);
    for (const events of readings) assert.deepEqual(assemble(events), assemble(answerOf(words)));
    assert.deepEqual(
      seen,
      ['b', 'c', 'd', 'e'].map((call) => ({ call, type: 'call-join' })),
    );
    for (const opening of openings) {
      const { ended, target } = await opening;
      assert.equal(target, 'stepped');
      assert.deepEqual(await ended, { type: 'complete', stopReason: 'end', usage: { input: 1, output: 4 } });
    }
  });

  test('may join a call in progress and catch up', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    model.commit();
    model.release(3);
    const { rest: first } = await take(await shared.open(request, never), 3);
    const late = await shared.open(request, never);
    const { events, rest } = await take(late, 3);
    const detail = 'an identical call was in progress; this is its response';
    // The earlier text comes in one piece.
    assert.deepEqual(events, [
      answerOf([])[0],
      { type: 'notice', kind: 'shared', detail },
      { type: 'text-delta', index: 0, text: 'One two' },
    ]);
    model.release(99);
    assert.equal(textIn([...events, ...(await drain(rest))]), words.join(''));
    await drain(first);
    assert.equal(model.calls, 1);
  });

  test('make a new call when the previous one is over', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    model.commit();
    model.release(99);
    await eventsOf(await shared.open(request, never));
    await eventsOf(await shared.open(request, never));
    assert.equal(model.calls, 2);
  });

  test('for a plain body share a stream, but not the other way round', async () => {
    const counts: number[] = [];
    for (const order of [
      [true, false, false],
      [false, true, false],
    ]) {
      const model = new SteppedModel();
      const shared = share(model);
      const openings = order.map((stream) => shared.open({ ...request, stream }, never));
      model.commit();
      model.release(99);
      await Promise.all(openings.map(async (opening) => eventsOf(await opening)));
      counts.push(model.calls);
    }
    assert.deepEqual(counts, [1, 2]);
  });

  test('do not share a call with another onCut, another key, or no key', async () => {
    const model = new SteppedModel();
    const shared = withSingleFlight(model, ({ model: name }) => (name === '' ? undefined : name));
    const context = { id: 'c', observe: () => undefined };
    const openings = [
      shared.open(request, never),
      shared.open(request, never, { ...context, onCut: 'continue' }),
      shared.open({ ...request, model: 'other' }, never),
      shared.open({ ...request, model: '' }, never),
      shared.open({ ...request, model: '' }, never),
    ];
    model.commit();
    model.release(99);
    await Promise.all(openings.map(async (opening) => eventsOf(await opening)));
    assert.equal(model.calls, 5);
  });
});

describe('a failure', () => {
  test('before the first event reaches all, and the next request makes a new call', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    const openings = [shared.open(request, never), shared.open(request, never)];
    const error = new SimpleAgentsError('overloaded', 'too many');
    model.refuse(error);
    for (const opening of openings) await assert.rejects(opening, error);
    await assert.rejects(shared.open(request, never), error);
    assert.equal(model.calls, 2);
  });

  test('in the middle reaches all, after the text before it', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    model.commit();
    const streams = await Promise.all([shared.open(request, never), shared.open(request, never)]);
    const error = new SimpleAgentsError('network', 'cut');
    model.release(3, error);
    for (const stream of streams) {
      const events: StreamEvent[] = [];
      await assert.rejects(async () => {
        for await (const event of stream) events.push(event);
      }, error);
      assert.equal(textIn(events), 'One two');
      assert.deepEqual(await stream.ended, { type: 'failed', error, usage: { input: 1, output: 1 } });
    }
  });
});

describe('a reader that leaves', () => {
  test('does not affect the others; with the last one the call ends', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    model.commit();
    model.release(3);
    const streams = await Promise.all([shared.open(request, never), shared.open(request, never)]);
    // The first events of the second reader contain the notice that it shares a call.
    const [first, second] = await Promise.all(streams.map((stream, index) => take(stream, index + 2)));
    await first?.rest.return?.();
    assert.deepEqual(await streams[0]?.ended, { type: 'left', usage: noUsage });
    assert.equal(model.isCancelled, false);
    assert.equal(textIn([((await second?.rest.next())?.value ?? {}) as StreamEvent]), ' two');
    await second?.rest.return?.();
    assert.deepEqual(await streams[1]?.ended, { type: 'left', usage: { input: 1, output: 2 } });
    await setImmediate();
    assert.equal(model.isCancelled, true);
    assert.equal(model.outcome?.type, 'left');
    void shared.open(request, never);
    assert.equal(model.calls, 2);
  });

  test('while a read is pending ends the call at once if it is the last', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    model.commit();
    model.release(1);
    const stream = await shared.open(request, never);
    const { rest } = await take(stream, 1);
    const waiting = rest.next();
    await rest.return?.();
    assert.deepEqual(await waiting, { done: true, value: undefined });
    await setImmediate();
    assert.equal(model.isCancelled, true);
  });

  test('before the first event does not end the call of the others, and the last one does', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    const controllers = [new AbortController(), new AbortController()];
    const openings = controllers.map(({ signal }) => shared.open(request, signal));
    const reason = new Error('enough');
    controllers[0]?.abort(reason);
    await assert.rejects(openings[0] ?? Promise.resolve(), reason);
    assert.equal(model.isCancelled, false);
    controllers[1]?.abort(reason);
    await assert.rejects(openings[1] ?? Promise.resolve(), reason);
    await setImmediate();
    assert.equal(model.isCancelled, true);
  });

  test('by an abort gets the reason at once, and the others read on', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    model.commit();
    model.release(2);
    const controller = new AbortController();
    const [leaver, stayer] = [await shared.open(request, controller.signal), await shared.open(request, never)];
    const { rest } = await take(leaver, 2);
    const waiting = rest.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await assert.rejects(waiting, reason);
    assert.deepEqual(await rest.next(), { done: true, value: undefined });
    assert.deepEqual(await leaver.ended, { type: 'failed', error: reason, usage: noUsage });
    model.release(99);
    assert.equal(textIn(await eventsOf(stayer)), words.join(''));
  });

  test('before its request makes no call', async () => {
    const model = new SteppedModel();
    await assert.rejects(share(model).open(request, AbortSignal.abort(new Error('early'))), /early/);
    assert.equal(model.calls, 0);
  });
});

describe('the reading pace', () => {
  test('is that of the fastest reader, and nothing is read ahead of it', async () => {
    const model = new SteppedModel();
    const shared = share(model);
    model.commit();
    model.release(99);
    const [fast, slow] = [await shared.open(request, never), await shared.open(request, never)];
    const { rest } = await take(fast, 2);
    assert.equal(model.asked, 2);
    await drain(rest);
    assert.equal(textIn(await eventsOf(slow)), words.join(''));
  });

  test('of a reader that is too far behind ends in an error for it, and memory is bounded', async () => {
    const pieces = Array.from({ length: 500 }, () => 'x'.repeat(100));
    const model = new SteppedModel(answerOf(pieces));
    const shared = share(model, 10_000);
    model.commit();
    model.release(9999);
    const [fast, slow] = [await shared.open(request, never), await shared.open(request, never)];
    const { rest } = await take(slow, 2);
    assert.equal(textIn(await eventsOf(fast)), pieces.join(''));
    await assert.rejects(rest.next(), failsWith('timeout', /too far behind/));
    assert.deepEqual(await rest.next(), { done: true, value: undefined });
    assert.equal((await slow.ended).type, 'failed');
  });

  test('prevents joining once the first events are dropped', async () => {
    const pieces = Array.from({ length: 500 }, () => 'x'.repeat(100));
    const model = new SteppedModel(answerOf(pieces));
    const shared = share(model, 10_000);
    model.commit();
    model.release(9999);
    const { rest } = await take(await shared.open(request, never), 200);
    const other = await shared.open(request, never);
    assert.equal(model.calls, 2);
    assert.equal(textIn(await eventsOf(other)), pieces.join(''));
    await drain(rest);
  });
});

describe('a log of events', () => {
  test('gives every reader the same text, however reads interleave and whatever is trimmed', () => {
    const chunk = fc.record({ index: fc.nat(1), text: fc.string({ maxLength: 600 }) });
    const turns = fc.array(fc.nat(2), { maxLength: 120 });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 30 }), turns, (chunks, schedule) => {
        const log = new EventLog();
        const events = chunks.map(({ index, text: part }): StreamEvent => ({ type: 'text-delta', index, text: part }));
        const readers: { place: LogPosition; got: string[] }[] = [0, 1].map(() => ({
          place: { entry: 0, offset: 0 },
          got: ['', ''],
        }));
        const read = ({ place, got }: (typeof readers)[number]): boolean => {
          const event = log.read(place);
          if (event?.type === 'text-delta') got[event.index] += event.text;
          return event !== undefined;
        };
        let next = 0;
        for (const turn of schedule) {
          const event = events[next];
          if (turn === 2 && event !== undefined) log.append(events[next++] as StreamEvent);
          else if (turn < 2) read(readers[turn] as never);
          if (turn === 1) log.trim(readers.map(({ place }) => place));
        }
        for (const event of events.slice(next)) log.append(event);
        for (const reader of readers) while (read(reader));
        const expected = [0, 1].map((index) => chunks.map((part) => (part.index === index ? part.text : '')).join(''));
        for (const { got } of readers) assert.deepEqual(got, expected);
        log.trim(readers.map(({ place }) => place));
        assert.equal(log.weight, 0);
      }),
    );
  });

  test('gives a reader that keeps up the original events, and joins them for the others', () => {
    const log = new EventLog();
    const place = { entry: 0, offset: 0 };
    for (const event of answerOf(words)) {
      log.append(event);
      assert.equal(log.read(place), event);
    }
    const late = { entry: 0, offset: 0 };
    const events: StreamEvent[] = [];
    for (let event = log.read(late); event !== undefined; event = log.read(late)) events.push(event);
    assert.deepEqual(events, [...answerOf([words.join('')]).slice(0, -1), answerOf(words).at(-1)]);
  });
});
