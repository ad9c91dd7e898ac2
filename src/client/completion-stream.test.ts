// A streamed response: iterated, awaited, both, left, aborted, and failing at any point.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream } from '../core/provider.ts';
import { CompletionStream } from './completion-stream.ts';

const start: StreamEvent = { type: 'message-start', id: 'msg_1', model: 'm' };
const say = (text: string): StreamEvent => ({ type: 'text-delta', index: 0, text });
const close = (text: string): StreamEvent => ({ type: 'block-end', index: 0, block: { type: 'text', text } });
const end: StreamEvent = { type: 'message-end', stopReason: 'end', usage: { input: 1, output: 2 } };
const whole = [start, say('a'), say('b'), close('ab'), end];

/** An inner stream that records how it was used. */
class Inner implements ModelStream {
  readonly target = 'inner';
  readonly ended = new Promise<never>(() => undefined);
  readonly #events: readonly (StreamEvent | { readonly error: unknown })[];
  /** The number of events read so far. */
  position = 0;
  wasLeft = false;
  signal: AbortSignal | undefined;

  constructor(events: readonly (StreamEvent | { readonly error: unknown })[]) {
    this.#events = events;
  }

  readonly open = (signal: AbortSignal): Promise<ModelStream> => {
    this.signal = signal;
    return Promise.resolve(this);
  };

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent> {
    return {
      next: async () => {
        const event = this.#events[this.position++];
        if (event === undefined) return { done: true, value: undefined };
        if ('error' in event && !('type' in event)) throw event.error;
        return { done: false, value: event as StreamEvent };
      },
      return: () => {
        this.wasLeft = this.signal?.aborted === false;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

async function read(stream: AsyncIterable<StreamEvent>, most = Infinity): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length === most) break;
  }
  return events;
}

const left = { kind: 'bad-request', message: /cancelled before its end/ };
const readTwice = { kind: 'bad-request', message: /read only once/ };
const textOf = (stream: CompletionStream) => JSON.stringify(stream.partial.content);

describe('a stream', () => {
  test('makes no call before it is read', async () => {
    let calls = 0;
    const stream = new CompletionStream((signal) => {
      calls++;
      return new Inner(whole).open(signal);
    });
    await setImmediate();
    assert.equal(calls, 0);
    await read(stream);
    assert.equal(calls, 1);
  });

  test('yields every event, then the result, any number of times', async () => {
    const inner = new Inner([...whole.slice(0, 1), { type: 'notice', kind: 'loss', detail: 'x' }, ...whole.slice(1)]);
    const stream = new CompletionStream(inner.open);
    assert.equal((await read(stream)).length, 6);
    const completion = await stream.final();
    assert.equal(await stream.final(), completion);
    assert.equal(completion.text, 'ab');
    assert.equal(completion.target, 'inner');
    assert.deepEqual(completion.notices, [{ type: 'notice', kind: 'loss', detail: 'x' }]);
    assert.equal(inner.signal?.aborted, false);
  });

  test('can be awaited without being iterated, also concurrently', async () => {
    const inner = new Inner(whole);
    const stream = new CompletionStream(inner.open);
    const [first, second] = await Promise.all([stream.final(), stream.final()]);
    assert.equal(first, second);
    assert.equal(first.text, 'ab');
  });

  test('can be iterated only once', async () => {
    const iterated = new CompletionStream(new Inner(whole).open);
    await read(iterated);
    await assert.rejects(read(iterated), readTwice);
    const awaited = new CompletionStream(new Inner(whole).open);
    await awaited.final();
    await assert.rejects(read(awaited), readTwice);
  });

  test('is complete at its message-end, even if the loop is left there', async () => {
    const inner = new Inner(whole);
    const stream = new CompletionStream(inner.open);
    assert.equal((await read(stream, whole.length)).at(-1), end);
    assert.equal((await stream.final()).text, 'ab');
    assert.deepEqual([inner.wasLeft, inner.signal?.aborted], [false, false]);
  });
});

describe('awaiting the result of a stream that is being iterated', () => {
  test('in the middle of the loop reads on, and the loop still gets every event', async () => {
    const stream = new CompletionStream(new Inner(whole).open);
    const events: StreamEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (events.length === 2) assert.equal((await stream.final()).text, 'ab');
    }
    assert.deepEqual(events, whole);
  });

  test('concurrently works for both', async () => {
    const stream = new CompletionStream(new Inner(whole).open);
    const [events, { text }] = await Promise.all([read(stream), stream.final()]);
    assert.deepEqual([events, text], [whole, 'ab']);
  });

  test('after some calls of next reads the rest', async () => {
    const stream = new CompletionStream(new Inner(whole).open);
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    assert.equal((await stream.final()).text, 'ab');
    assert.deepEqual(await iterator.next(), { done: false, value: say('a') });
  });

  test('fails for both with the error of the stream', async () => {
    const error = new SimpleAgentsError('network', 'cut');
    const stream = new CompletionStream(new Inner([start, say('a'), { error }]).open);
    const events: StreamEvent[] = [];
    await assert.rejects(async () => {
      for await (const event of stream) {
        events.push(event);
        if (events.length === 1) await assert.rejects(stream.final(), error);
      }
    }, error);
    assert.deepEqual(events, [start, say('a')]);
  });
});

/** One event, then nothing until the abort. */
async function* generate(signal: AbortSignal): AsyncGenerator<StreamEvent> {
  yield start;
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

describe('leaving a stream', () => {
  test('closes the inner stream before it aborts the call, and there is no result', async () => {
    const inner = new Inner(whole);
    const stream = new CompletionStream(inner.open);
    await read(stream, 2);
    await setImmediate();
    assert.deepEqual([inner.wasLeft, inner.signal?.aborted], [true, true]);
    assert.equal(inner.position, 2);
    await assert.rejects(stream.final(), left);
    assert.equal(textOf(stream), '[{"type":"text","text":"a"}]');
  });

  test('by throwing in the loop has the same effect', async () => {
    const inner = new Inner(whole);
    await assert.rejects(async () => {
      for await (const _event of new CompletionStream(inner.open)) throw new Error('mine');
    }, /mine/);
    await setImmediate();
    assert.deepEqual([inner.wasLeft, inner.signal?.aborted], [true, true]);
  });

  test('while it is being opened aborts the call, and pending reads end', async () => {
    let signal: AbortSignal | undefined;
    const stream = new CompletionStream((given) => {
      signal = given;
      return new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason as Error)));
    });
    const iterator = stream[Symbol.asyncIterator]();
    const waiting = iterator.next();
    await setImmediate();
    assert.deepEqual(await iterator.return?.(), { done: true, value: undefined });
    assert.deepEqual(await waiting, { done: true, value: undefined });
    assert.equal(signal?.aborted, true);
    await assert.rejects(stream.final(), left);
  });

  test('while a read is pending ends the read, also of a generator', async () => {
    const stream = new CompletionStream((signal) =>
      Promise.resolve({
        target: 't',
        ended: new Promise<never>(() => undefined),
        [Symbol.asyncIterator]: () => generate(signal),
      }),
    );
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    await iterator.return?.();
    assert.deepEqual(await waiting, { done: true, value: undefined });
  });

  test('before reading makes no call', async () => {
    const stream = new CompletionStream(() => assert.fail('a call was made'));
    await stream[Symbol.asyncIterator]().return?.();
    await assert.rejects(stream.final(), left);
  });
});

describe('a stream that fails', () => {
  test('to open throws the error of the call every time', async () => {
    const error = new SimpleAgentsError('auth', 'no key');
    const stream = new CompletionStream(() => Promise.reject(error));
    await assert.rejects(read(stream), error);
    await assert.rejects(stream.final(), error);
    assert.deepEqual(stream.partial.content, []);
  });

  test('at any event yields the events before it, keeps the partial message, and throws the error unchanged', async () => {
    for (const [at] of whole.entries()) {
      for (const error of [new SimpleAgentsError('network', 'cut'), 'a reason of one’s own']) {
        const stream = new CompletionStream(new Inner([...whole.slice(0, at), { error }]).open);
        const events: StreamEvent[] = [];
        let thrown: unknown;
        try {
          for await (const event of stream) events.push(event);
        } catch (caught) {
          thrown = caught;
        }
        assert.equal(thrown, error);
        assert.deepEqual(events, whole.slice(0, at));
        assert.equal(textOf(stream), JSON.stringify(at < 2 ? [] : [{ type: 'text', text: at === 2 ? 'a' : 'ab' }]));
        assert.equal('stopReason' in stream.partial, false);
        await assert.rejects(stream.final(), (caught) => caught === error);
      }
    }
  });

  test('by stopping without an end is an error', async () => {
    for (const [at] of whole.entries()) {
      const stream = new CompletionStream(new Inner(whole.slice(0, at)).open);
      const stopped = { kind: 'network', message: /without a stop reason/, target: 'inner' };
      await assert.rejects(read(stream), stopped);
      await assert.rejects(stream.final(), stopped);
    }
  });

  test('after its end is complete', async () => {
    const stream = new CompletionStream(new Inner([...whole, { error: new Error('too late') }]).open);
    assert.deepEqual(await read(stream), whole);
    assert.equal((await stream.final()).text, 'ab');
  });
});
