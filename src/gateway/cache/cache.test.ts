// The response cache: what is found, what is stored, the cache controls of a call, and failures of the store.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assemble } from '../../core/assembler.ts';
import type { CacheControl, CallEvent } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import { text } from '../../core/message.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { createSimulatedProvider } from '../../testing/model/provider.ts';
import type { ScriptedReply as Reply } from '../../testing/model/script.ts';
import { failsWith } from '../../../test/support/fails-with.ts';
import { eventsOf, never } from '../../../test/support/upstream.ts';
import { decodeEntry, encodeEntry } from './cache-entry.ts';
import type { Cache, CachedProvider, CacheOptions } from './cache.ts';
import { withCache } from '../../node.ts';
import { createMemoryCache } from './memory-cache.ts';

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: [text('Hello')] }] };

interface Setup {
  readonly cached: CachedProvider;
  /** The number of calls to the model. */
  readonly calls: () => number;
  readonly seen: CallEvent[];
  readonly ask: (change?: Partial<ChatRequest>, control?: CacheControl) => Promise<StreamEvent[]>;
}

function setUp(reply: Reply = { text: 'Good day.' }, options: Partial<CacheOptions> = {}): Setup {
  const model = createSimulatedProvider({ script: { replies: [reply, reply, reply] } });
  return setUpAround(model, options);
}

function setUpAround(model: Provider, options: Partial<CacheOptions> = {}): Setup {
  let calls = 0;
  const seen: CallEvent[] = [];
  const counted: Provider = {
    name: model.name,
    open(...call) {
      calls++;
      return model.open(...call);
    },
  };
  const cached = withCache(counted, { cache: createMemoryCache(), ttl: 1000, calendar: () => 0, ...options });
  const observe = (event: CallEvent) => void seen.push(event);
  return {
    cached,
    calls: () => calls,
    seen,
    async ask(change, control) {
      const context = { id: 'c', observe, ...(control === undefined ? {} : { cache: control }) };
      const events = await eventsOf(await cached.open({ ...request, ...change }, never, context));
      await cached.settled();
      return events;
    },
  };
}

const typesOf = (seen: readonly CallEvent[]) => seen.map(({ type }) => type);

describe('an equal request', () => {
  test('calls the model once, and the response has a notice that it is cached', async () => {
    const { ask, calls, seen } = setUp();
    const [first, second] = [await ask(), await ask()];
    assert.equal(calls(), 1);
    assert.deepEqual(assemble(second), assemble(first));
    assert.deepEqual(second[1], {
      type: 'notice',
      kind: 'cached',
      detail: 'the response comes from the cache, stored at 1970-01-01T00:00:00.000Z',
    });
    assert.deepEqual(typesOf(seen), ['cache-miss', 'cache-store', 'cache-hit']);
    assert.equal(new Set(seen.map((event) => ('key' in event ? event.key : ''))).size, 1);
  });

  test('is replayed as a stream if requested, else in one piece', async () => {
    const long = '🙂'.repeat(2000);
    const { ask, calls } = setUp({ text: long });
    await ask({ stream: false });
    const streamed = (await ask({ stream: true })).filter((event) => event.type === 'text-delta');
    const whole = (await ask({ stream: false })).filter((event) => event.type === 'text-delta');
    assert.equal(calls(), 1);
    assert.equal(whole.length, 1);
    assert.ok(streamed.length > 3);
    assert.equal(streamed.map((event) => event.text).join(''), long);
    assert.ok(streamed.every((event) => event.text.isWellFormed()));
  });

  test('replays reasoning, text and tool calls in order', async () => {
    const { ask } = setUp({
      reasoning: 'Let me see.',
      text: 'I look.',
      toolCalls: [{ name: 'look', input: { at: 'sky' } }],
    });
    const tools = [{ name: 'look', inputSchema: { type: 'object' } }];
    const [first, second] = [await ask({ tools }), await ask({ tools })];
    assert.equal(second[1]?.type, 'notice');
    assert.deepEqual(assemble(second), assemble(first));
    assert.deepEqual(
      assemble(second).content.map(({ type }) => type),
      ['reasoning', 'text', 'tool-call'],
    );
  });

  test('calls the model again if its name stands for another model', async () => {
    let target = 'one';
    const { ask, calls } = setUp({ text: 'Yes' }, { identify: () => target });
    await ask();
    target = 'two';
    await ask();
    assert.equal(calls(), 2);
  });

  test('calls the model again after the time to live', async () => {
    let now = 0;
    const { ask, calls } = setUp({ text: 'Yes' }, { cache: createMemoryCache({ now: () => now }), ttl: 100 });
    await ask();
    now = 99;
    await ask();
    assert.equal(calls(), 1);
    now = 101;
    await ask();
    assert.equal(calls(), 2);
  });
});

describe('a call', () => {
  test('with off makes no lookup and no store', async () => {
    const { ask, calls, seen } = setUp();
    await ask({}, 'off');
    await ask({}, 'off');
    assert.equal(calls(), 2);
    assert.deepEqual(seen, []);
  });

  test('with read makes a lookup and no store', async () => {
    const { ask, calls, seen } = setUp();
    await ask({}, 'read');
    await ask({}, 'read');
    assert.equal(calls(), 2);
    await ask();
    await ask({}, 'read');
    assert.equal(calls(), 3);
    assert.deepEqual(typesOf(seen), ['cache-miss', 'cache-miss', 'cache-miss', 'cache-store', 'cache-hit']);
  });

  test('with refresh calls the model and replaces the stored response', async () => {
    const model = createSimulatedProvider({ script: { replies: [{ text: 'Old' }, { text: 'New' }] } });
    const { ask, calls } = setUpAround(model);
    await ask();
    await ask({}, 'refresh');
    assert.equal(calls(), 2);
    const [block] = assemble(await ask()).content;
    assert.deepEqual(block, text('New'));
  });

  test('can set the time to live', async () => {
    const kept: number[] = [];
    const cache: Cache = { ...createMemoryCache(), set: async (_key, _bytes, ttl) => void kept.push(ttl) };
    const { ask } = setUp({ text: 'Yes' }, { cache });
    await ask({}, { ttl: 5 });
    await ask();
    assert.deepEqual(kept, [5, 1000]);
  });

  test('that is left early is not stored', async () => {
    const { cached, ask, calls } = setUp({ text: 'One two three four five six' });
    for await (const event of await cached.open(request, never)) if (event.type === 'text-delta') break;
    await ask();
    assert.equal(calls(), 2);
  });

  test('passes bytes through only if nothing is stored', async () => {
    const bytes = (async function* () {})();
    const inner = createSimulatedProvider();
    const model: Provider = {
      name: 'm',
      async open(...call): Promise<ModelStream> {
        const stream = await inner.open(...call);
        return {
          target: 'm',
          ended: stream.ended,
          bytes: Object.assign(bytes, { wire: 'w', form: 'stream' as const }),
          [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
        };
      },
    };
    const { cached } = setUpAround(model);
    const offered = async (cache?: CacheControl): Promise<boolean> => {
      const context = { id: 'c', observe: () => undefined, ...(cache === undefined ? {} : { cache }) };
      const stream = await cached.open(request, never, context);
      void stream[Symbol.asyncIterator]().return?.();
      return stream.bytes !== undefined;
    };
    assert.deepEqual([await offered(), await offered('refresh')], [false, false]);
    assert.deepEqual([await offered('off'), await offered('read')], [true, true]);
  });

  test('that is aborted during a lookup ends at once, with the reason', async () => {
    const cache: Cache = { ...createMemoryCache(), get: () => new Promise(() => undefined) };
    const { cached, calls } = setUp({}, { cache });
    const controller = new AbortController();
    const opening = cached.open(request, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await assert.rejects(opening, reason);
    assert.equal(calls(), 0);
  });
});

describe('not stored is', () => {
  const cases: Readonly<Record<string, Reply>> = {
    'an answer that ran into its limit': { text: 'Once upon', stopReason: 'length' },
    'a refusal': { text: 'No.', stopReason: 'refusal' },
    'an answer that was paused': { text: 'Wait', stopReason: 'pause' },
    'a failure in the middle': { text: 'One two three', fault: { errorAfterEvents: 3 } },
    'a failure at the beginning': { fault: { status: 500 } },
    'a tool call that cannot be read': { toolCalls: [{ name: 'look', rawInput: '{"at": ' }] },
  };
  for (const [what, reply] of Object.entries(cases)) {
    test(what, async () => {
      const { ask, calls, seen } = setUp(reply);
      for (let time = 0; time < 2; time++) await ask().catch(() => undefined);
      assert.equal(calls(), 2);
      assert.deepEqual(typesOf(seen), ['cache-miss', 'cache-miss']);
    });
  }

  test('a response that is too large', async () => {
    const { ask, calls } = setUp({ text: 'x'.repeat(2000) }, { largestEntry: 1000 });
    await ask();
    await ask();
    assert.equal(calls(), 2);
  });
});

const broken = () => Promise.reject(new Error('no disk'));
const misconfigured = () => Promise.reject(new SimpleAgentsError('configuration', 'no package'));

describe('a store', () => {
  test('that fails is reported, and the call succeeds', async () => {
    const { ask, seen } = setUp({ text: 'Yes' }, { cache: { get: broken, set: broken, delete: broken } });
    assert.deepEqual(assemble(await ask()).content, [text('Yes')]);
    assert.deepEqual(
      seen.map((event) => (event.type === 'cache-failure' ? [event.operation, String(event.error)] : event)),
      [
        ['get', 'Error: no disk'],
        ['set', 'Error: no disk'],
      ],
    );
  });

  test('with a configuration error fails the call', async () => {
    const { ask } = setUp({}, { cache: { ...createMemoryCache(), get: misconfigured } });
    await assert.rejects(ask(), failsWith('configuration', /no package/));
  });

  test('with invalid bytes under the key is ignored', async () => {
    const entry = encodeEntry({ target: 't', storedAt: 0, events: [] });
    const whole = encodeEntry({
      target: 't',
      storedAt: 0,
      events: [
        { type: 'message-start', id: 'i', model: 'm' },
        { type: 'message-end', stopReason: 'end', usage: { input: 0, output: 0 } },
      ],
    });
    assert.notEqual(decodeEntry(whole), undefined);
    const older = new TextEncoder().encode(new TextDecoder().decode(whole).replace('answer 1', 'answer 0'));
    for (const bytes of [new Uint8Array(), Buffer.from('{}'), entry, whole.slice(0, -1), older]) {
      assert.equal(decodeEntry(bytes), undefined);
      const cache: Cache = { ...createMemoryCache(), get: () => Promise.resolve(bytes) };
      const { ask, calls, seen } = setUp({ text: 'Yes' }, { cache });
      await ask();
      assert.equal(calls(), 1);
      assert.equal(seen[0]?.type, 'cache-miss');
    }
  });

  test('is not used for a request that is not JSON', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['itself'] = cyclic;
    const { ask, calls, seen } = setUp({ text: 'Yes' });
    await ask({ extra: { 'simulated': cyclic } });
    assert.equal(calls(), 1);
    assert.deepEqual(seen, []);
  });
});
