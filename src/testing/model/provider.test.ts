// The simulated provider: the provider contract, its own replies, scripted replies, and damage.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assemble, type AssembledMessage } from '../../core/assembler.ts';
import type { StreamEvent } from '../../core/event.ts';
import { textOf, toolCallsOf } from '../../core/message.ts';
import type { ChatRequest } from '../../core/request.ts';
import type { DamageKind } from '../damage/damage.ts';
import { createSimulatedProvider, type SimulatedOptions } from './provider.ts';
import { parseScript } from './script.ts';

function ask(words: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'simulated', messages: [{ role: 'user', content: [{ type: 'text', text: words }] }], ...more };
}

async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function eventsOf(request: ChatRequest, options: SimulatedOptions = {}): Promise<StreamEvent[]> {
  const stream = await createSimulatedProvider(options).open(request, AbortSignal.timeout(10_000));
  return collect(stream);
}

async function answer(request: ChatRequest, options: SimulatedOptions = {}): Promise<AssembledMessage> {
  return assemble(await eventsOf(request, options));
}

function play(reply: object, more: object = {}): SimulatedOptions {
  return { script: parseScript({ replies: [reply], ...more }) };
}

const weather = {
  name: 'get_weather',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
} as const;
const time = { name: 'get_time', inputSchema: { type: 'object', properties: {} } } as const;

describe('the provider contract', () => {
  test('a stream is a start, blocks with deltas that add up to their end, and an end; the outcome is complete', async () => {
    const stream = await createSimulatedProvider().open(ask('Hello'), new AbortController().signal);
    const events = await collect(stream);
    assert.equal(events[0]?.type, 'message-start');
    assert.equal(events.at(-1)?.type, 'message-end');
    const said = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    assert.equal(said, textOf(assemble(events).content));
    const outcome = await stream.ended;
    assert.equal(outcome.type, 'complete');
    assert.equal(stream.target, 'simulated');
    assert.deepEqual(structuredClone(events), events);
  });

  test('a loop that stops early ends the stream as `left`', async () => {
    const stream = await createSimulatedProvider().open(ask('Count to 100'), new AbortController().signal);
    for await (const event of stream) if (event.type === 'text-delta') break;
    const outcome = await stream.ended;
    assert.equal(outcome.type, 'left');
    assert.ok(outcome.usage.output < 10);
  });

  test('an abort before, while waiting and in the middle throws the signal’s reason', async () => {
    const reason = new Error('enough');
    const early = createSimulatedProvider();
    await assert.rejects(early.open(ask('x'), AbortSignal.abort(reason)), reason);

    const slow = createSimulatedProvider({ firstTokenDelayMs: 60_000 });
    const waiting = new AbortController();
    const opened = slow.open(ask('x'), waiting.signal);
    waiting.abort(reason);
    await assert.rejects(opened, reason);

    const talking = new AbortController();
    const stream = await createSimulatedProvider({ tokensPerSecond: 20 }).open(ask('Count to 500'), talking.signal);
    const read = collect(stream);
    talking.abort(reason);
    await assert.rejects(read, reason);
    assert.deepEqual((await stream.ended).type, 'failed');
  });

  test('a stream that is not read ends with its signal', async () => {
    const controller = new AbortController();
    const stream = await createSimulatedProvider().open(ask('x'), controller.signal);
    controller.abort();
    assert.equal((await stream.ended).type, 'failed');
  });

  test('the same seed and request give the same events; another seed or request does not', async () => {
    const request = ask('make something up', { responseFormat: { type: 'json-schema', schema: weather.inputSchema } });
    const first = await eventsOf(request, { seed: 1 });
    assert.deepEqual(await eventsOf(request, { seed: 1 }), first);
    assert.notDeepEqual(await eventsOf(request, { seed: 2 }), first);
    assert.notDeepEqual(await eventsOf({ ...request, model: 'other' }, { seed: 1 }), first);
    assert.deepEqual(await eventsOf({ ...request, stream: false }, { seed: 1 }), first);
  });

  test('a pace is kept', async () => {
    const start = performance.now();
    await eventsOf(ask('Count to 10'), { tokensPerSecond: 200, firstTokenDelayMs: 20 });
    assert.ok(performance.now() - start > 40);
  });
});

describe('its own replies', () => {
  test('say that it is simulated', async () => {
    for (const words of ['Hello!', 'Explain the universe', '']) {
      assert.match(
        textOf((await answer(ask(words))).content),
        /I am the simulated model built into SimpleAgents: no key, no network/u,
      );
    }
  });

  test('repeat the user’s text and list the attachments', async () => {
    const image = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } } as const;
    const content = [{ type: 'text', text: 'Look at this' } as const, image];
    const said = textOf((await answer({ model: 'm', messages: [{ role: 'user', content }] })).content);
    assert.match(said, /Look at this/u);
    assert.match(said, /You attached 1: image \(image\/png\)/u);
  });

  test('count', async () => {
    assert.equal(textOf((await answer(ask('Please count to 5'))).content), '1, 2, 3, 4, 5');
  });

  test('are JSON that fits a schema, or any JSON', async () => {
    const fitting = await answer(
      ask('in Oslo', { responseFormat: { type: 'json-schema', schema: weather.inputSchema } }),
    );
    assert.deepEqual(JSON.parse(textOf(fitting.content)), { city: 'Oslo' });
    const any = await answer(ask('as JSON', { responseFormat: { type: 'json' } }));
    assert.equal((JSON.parse(textOf(any.content)) as { simulated: boolean }).simulated, true);
  });

  test('call the tools that are mentioned, with arguments from the message', async () => {
    const one = await answer(ask('What is the weather in Paris?', { tools: [weather, time] }));
    assert.deepEqual(
      toolCallsOf(one.content).map(({ name, input }) => [name, input]),
      [['get_weather', { city: 'Paris' }]],
    );
    assert.equal(one.stopReason, 'tool-calls');
    const two = await answer(ask('get_weather and get_time please', { tools: [weather, time] }));
    assert.deepEqual(
      toolCallsOf(two.content).map(({ name }) => name),
      ['get_weather', 'get_time'],
    );
    const single = await answer(ask('get_weather and get_time', { tools: [weather, time], parallelToolCalls: false }));
    assert.equal(toolCallsOf(single.content).length, 1);
    assert.equal(
      toolCallsOf((await answer(ask('get_weather', { tools: [weather], toolChoice: 'none' }))).content).length,
      0,
    );
  });

  test('call a forced tool', async () => {
    const named = await answer(ask('Hello', { tools: [weather, time], toolChoice: { name: 'get_time' } }));
    assert.deepEqual(
      toolCallsOf(named.content).map(({ name }) => name),
      ['get_time'],
    );
    assert.equal(
      toolCallsOf((await answer(ask('Hello', { tools: [weather], toolChoice: 'required' }))).content).length,
      1,
    );
  });

  test('quote tool results', async () => {
    const call = { type: 'tool-call', id: 'c1', name: 'get_weather', input: {} } as const;
    const result = { type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: '21 degrees' }] } as const;
    const messages = [
      ...ask('weather?').messages,
      { role: 'assistant', content: [call] } as const,
      { role: 'user', content: [result] } as const,
    ];
    const message = await answer({ model: 'm', messages, tools: [weather] });
    assert.match(textOf(message.content), /get_weather answered: 21 degrees/u);
    assert.equal(message.stopReason, 'end');
  });

  test('have signed reasoning with an origin, on request', async () => {
    const message = await answer(ask('Hello', { reasoning: { effort: 'low' } }), { name: 'sim' });
    const [thought] = message.content;
    assert.equal(thought?.type, 'reasoning');
    assert.ok(thought.signature);
    assert.deepEqual(thought.origin, { wire: 'simulated', provider: 'sim' });
    assert.ok((message.usage.reasoning ?? 0) > 0);
    assert.equal((await answer(ask('Hello', { reasoning: { effort: 'none' } }))).content[0]?.type, 'text');
  });

  test('obey the token limit and stop sequences', async () => {
    const short = await answer(ask('Count to 100', { maxTokens: 3 }));
    assert.equal(textOf(short.content), '1, 2, 3, 4, ');
    assert.equal(short.stopReason, 'length');
    assert.equal(short.usage.output, 3);
    const stopped = await answer(ask('Count to 100', { stop: ['5', '3'] }));
    assert.equal(textOf(stopped.content), '1, 2, ');
    assert.equal(stopped.stopReason, 'stop-sequence');
    assert.equal(stopped.stopSequence, '3');
  });

  test('end inside a tool call at the token limit', async () => {
    const message = await answer(ask('get_weather', { tools: [weather], maxTokens: 12 }));
    assert.equal(message.stopReason, 'length');
    assert.equal(toolCallsOf(message.content).length, 0);
    assert.equal(message.dropped.length, 1);
  });
});

describe('a script', () => {
  test('is sent as written, whatever the limits', async () => {
    const blocks = [
      { type: 'reasoning', text: 'first' },
      { type: 'tool-call', name: 'a', id: 'id_a', input: { x: 1 } },
      { type: 'text', text: 'between' },
      { type: 'tool-call', name: 'b', rawInput: '{"broken' },
    ];
    const message = await answer(
      ask('x', { maxTokens: 1 }),
      play({ blocks, usage: { input: 7, cacheRead: 3 }, model: 'named', stopReason: 'pause' }),
    );
    assert.deepEqual(
      message.content.map(({ type }) => type),
      ['reasoning', 'tool-call', 'text', 'tool-call'],
    );
    const [first, second] = toolCallsOf(message.content);
    assert.deepEqual([first?.id, first?.input], ['id_a', { x: 1 }]);
    assert.deepEqual([second?.input, second?.raw], [null, '{"broken']);
    assert.equal(message.model, 'named');
    assert.equal(message.stopReason, 'pause');
    assert.equal(message.usage.input, 7);
    assert.equal(message.usage.cacheRead, 3);
  });

  test('can interleave tool calls', async () => {
    const toolCalls = ['a', 'b'].map((name) => ({ name, input: { text: 'a longer value, cut into many fragments' } }));
    const events = await eventsOf(ask('x'), play({ toolCalls, interleave: true }));
    const indices = events.flatMap((event) => (event.type === 'tool-call-delta' ? [event.index] : []));
    assert.deepEqual(indices.slice(0, 4), [0, 1, 0, 1]);
    assert.deepEqual(
      toolCallsOf(assemble(events).content).map(({ name }) => name),
      ['a', 'b'],
    );
  });

  test('can fail before the first event, and after some', async () => {
    const provider = createSimulatedProvider(play({ fault: { status: 529, retryAfter: '2' } }, { otherwise: 'reply' }));
    await assert.rejects(provider.open(ask('x'), AbortSignal.timeout(5000)), {
      kind: 'overloaded',
      retryAfterMs: 2000,
    });
    await provider.open(ask('x'), AbortSignal.timeout(5000));

    const later = await createSimulatedProvider(play({ fault: { errorAfterEvents: 3 } })).open(
      ask('x'),
      AbortSignal.timeout(5000),
    );
    const seen: StreamEvent[] = [];
    await assert.rejects(
      async () => {
        for await (const event of later) seen.push(event);
      },
      { kind: 'overloaded' },
    );
    assert.equal(seen.length, 3);
    assert.equal((await later.ended).type, 'failed');

    const first = createSimulatedProvider(play({ fault: { errorAfterEvents: 1, errorType: 'api_error' } }));
    await assert.rejects(first.open(ask('x'), AbortSignal.timeout(5000)), { kind: 'upstream' });
  });

  test('is rejected if a fault needs bytes', () => {
    assert.throws(
      () => createSimulatedProvider(play({ text: 'a', fault: { cutAtByte: 1 } })),
      /replies\[0\]\.fault\.cutAtByte: requires an HTTP connection/u,
    );
  });

  test('that is used up is an error, unless the model may reply', async () => {
    const provider = createSimulatedProvider(play({ text: 'only' }));
    await provider.open(ask('x'), AbortSignal.timeout(5000));
    await assert.rejects(provider.open(ask('x'), AbortSignal.timeout(5000)), { kind: 'bad-request' });
  });
});

describe('damage', () => {
  test('applies to JSON responses and tool arguments, not to prose', async () => {
    const damage: DamageKind = 'fence';
    const format = { responseFormat: { type: 'json-schema', schema: weather.inputSchema } } as const;
    assert.match(textOf((await answer(ask('x', format), { damage })).content), /^```json\n/u);
    const [call] = toolCallsOf((await answer(ask('get_weather', { tools: [weather] }), { damage })).content);
    assert.match(call?.raw ?? '', /^```json\n/u);
    assert.match(textOf((await answer(ask('Hello'), { damage })).content), /^Hello!/u);
  });
});
