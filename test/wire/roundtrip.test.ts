// What both wires can say goes through either, and through one after the other, unchanged: streams and requests
// made up by fast-check.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { MessageAssembler } from '../../src/core/assembler.ts';
import type { StopReason, StreamEvent } from '../../src/core/event.ts';
import { omitUndefined } from '../../src/core/json.ts';
import type { Block, Message, TextBlock } from '../../src/core/message.ts';
import type { ChatRequest, ReasoningEffort, ToolChoice } from '../../src/core/request.ts';
import type { Usage } from '../../src/core/usage.ts';
import { runs } from '../support/enumeration.ts';
import { decodeChunks, encodeEvents, wires, type Wire } from '../support/cassette.ts';
import { normalise } from '../support/normalise.ts';

const count = runs(10_000, 600);
const [anthropic, openai] = wires as [Wire, Wire];
const bothNames = [anthropic.client.name, openai.client.name];

const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
const identifier = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);
const jsonObject = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });

/** A block, and the pieces its text came in. */
interface Piece {
  readonly block: Block;
  readonly deltas: readonly string[];
}

const textPiece = fc
  .array(words, { minLength: 1, maxLength: 5 })
  .map((deltas): Piece => ({ block: { type: 'text', text: deltas.join('') }, deltas }));
const reasoningPiece = fc
  .tuple(fc.array(words, { minLength: 1, maxLength: 4 }), identifier)
  .map(([deltas, signature]): Piece => ({ block: { type: 'reasoning', text: deltas.join(''), signature }, deltas }));
const callPiece = fc
  .tuple(identifier, jsonObject, fc.array(fc.nat(), { maxLength: 4 }))
  .map(([name, input, cuts]): Piece => {
    // JSON text has no negative zero.
    const json = JSON.stringify(input);
    return { block: { type: 'tool-call', id: '', name, input: JSON.parse(json) }, deltas: splitAt(json, cuts) };
  });

const usage = fc.record(
  { input: fc.nat(), output: fc.nat(), cacheRead: fc.nat(), cacheWrite: fc.nat(), reasoning: fc.nat() },
  { requiredKeys: ['input', 'output'], noNullPrototype: true },
);
const stopReason = fc.constantFrom<StopReason>('end', 'length', 'refusal');

/** Reasoning first, then texts, then calls that may interleave, as both wires can tell them apart. */
const stream = fc
  .record({
    reasoning: fc.array(reasoningPiece, { maxLength: 1 }),
    texts: fc.array(textPiece, { maxLength: 1 }),
    calls: fc.array(callPiece, { maxLength: 3 }),
    order: fc.array(fc.nat({ max: 2 }), { maxLength: 12 }),
    usage,
    stopReason,
    id: identifier,
    model: identifier,
  })
  .map(toEvents);

function toEvents(made: {
  reasoning: Piece[];
  texts: Piece[];
  calls: Piece[];
  order: number[];
  usage: Usage;
  stopReason: StopReason;
  id: string;
  model: string;
}): StreamEvent[] {
  const events: StreamEvent[] = [{ type: 'message-start', id: made.id, model: made.model }];
  const before = [...made.reasoning, ...made.texts];
  for (const [index, { block, deltas }] of before.entries()) {
    const type = block.type === 'text' ? 'text-delta' : 'reasoning-delta';
    events.push(...deltas.map((text) => ({ type, index, text }) as const), { type: 'block-end', index, block });
  }
  events.push(...interleave(made.calls, made.order, before.length));
  const stopReasonNow = made.calls.length > 0 && made.stopReason === 'end' ? 'tool-calls' : made.stopReason;
  events.push({ type: 'message-end', stopReason: stopReasonNow, usage: made.usage });
  return events;
}

function interleave(calls: Piece[], order: number[], first: number): StreamEvent[] {
  const queues = calls.map(({ block, deltas }, at): StreamEvent[] => {
    const index = first + at;
    const call = { ...block, id: `call_${at}` } as Block & { type: 'tool-call' };
    return [
      { type: 'tool-call-start', index, id: call.id, name: call.name },
      ...deltas.map((json) => ({ type: 'tool-call-delta', index, json }) as const),
      { type: 'block-end', index, block: call },
    ];
  });
  // Every call begins in order; after that, anything goes.
  const events = queues.map((queue) => queue.shift() as StreamEvent);
  for (const turn of order) events.push(...(queues[turn]?.splice(0, 1) ?? []));
  return [...events, ...queues.flat()];
}

function splitAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return places.flatMap((place, at) => text.slice(places[at - 1] ?? 0, place) || []);
}

function through({ client, server }: Wire, events: readonly StreamEvent[]): readonly StreamEvent[] {
  const bytes = encodeEvents(server, events);
  const half = bytes.length >> 1;
  const again = decodeChunks(client.decodeStream(), [bytes.subarray(0, half), bytes.subarray(half)]);
  assert.equal(again.failure, undefined);
  return again.events;
}

for (const wire of wires) {
  test(`any stream goes through ${wire.client.name} and back`, () => {
    fc.assert(
      fc.property(stream, (events) => {
        const names = [wire.client.name];
        assert.deepEqual(normalise(through(wire, events), names), normalise(events, names));
      }),
      { numRuns: count },
    );
  });
}

test('any stream goes from openai to anthropic to openai unchanged', () => {
  fc.assert(
    fc.property(stream, (events) => {
      const started = through(openai, events);
      const again = through(openai, through(anthropic, started));
      assert.deepEqual(normalise(again, bothNames), normalise(started, bothNames));
    }),
    { numRuns: count },
  );
});

test('a stream assembles to the same message after both wires', () => {
  fc.assert(
    fc.property(stream, (events) => {
      const message = assembled(through(openai, through(anthropic, events)));
      assert.deepEqual(message, assembled(events));
    }),
    { numRuns: runs(1000, 300) },
  );
});

function assembled(events: readonly StreamEvent[]): Block[] {
  const assembler = new MessageAssembler();
  for (const event of events) assembler.push(event);
  return assembler.message().content.map((block) => {
    if (block.type !== 'reasoning') return block;
    const { origin: _origin, ...rest } = block;
    return rest;
  });
}

const text = words.map((value): TextBlock => ({ type: 'text', text: value }));
const image = fc
  .oneof(
    fc
      .base64String({ minLength: 4, maxLength: 16 })
      .map((data) => ({ kind: 'base64' as const, mediaType: 'image/png', data })),
    fc.webUrl().map((url) => ({ kind: 'url' as const, url })),
  )
  .map((source): Block => ({ type: 'image', source }));
const marked = fc.tuple(text, fc.boolean()).map(([block, cached]): Block => (cached ? { ...block, cache: {} } : block));

/** One exchange: what the user says, what the assistant answers and calls, and the results. */
const exchange = fc.record({
  user: fc.array(fc.oneof(marked, image), { minLength: 1, maxLength: 3 }),
  said: text,
  calls: fc.array(fc.tuple(identifier, jsonObject, fc.array(text, { minLength: 1, maxLength: 1 })), { maxLength: 3 }),
});

const conversation = fc.array(exchange, { maxLength: 3 }).map((exchanges): Message[] =>
  exchanges.flatMap(({ user, said, calls }, at): Message[] => {
    const asked = calls.map(([name, input], call) => ({
      type: 'tool-call' as const,
      id: `call_${at}_${call}`,
      name,
      input: JSON.parse(JSON.stringify(input)) as unknown,
    }));
    const results = calls.map(([, , content], call) => ({
      type: 'tool-result' as const,
      callId: `call_${at}_${call}`,
      content,
    }));
    const answered: Message[] = results.length === 0 ? [] : [{ role: 'user', content: results }];
    const closing: Message[] =
      results.length === 0 ? [] : [{ role: 'assistant', content: [{ type: 'text', text: 'ok' }] }];
    return [{ role: 'user', content: user }, { role: 'assistant', content: [said, ...asked] }, ...answered, ...closing];
  }),
);

const schema = fc.constant({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
const request = fc
  .record(
    {
      model: fc.constant('claude-opus-4-6'),
      maxTokens: fc.integer({ min: 1, max: 100_000 }),
      stream: fc.boolean(),
      system: fc.array(marked, { maxLength: 2 }),
      conversation,
      last: fc.array(fc.oneof(marked, image), { minLength: 1, maxLength: 2 }),
      tools: fc.uniqueArray(fc.record({ name: identifier, description: words, inputSchema: schema }), {
        selector: (tool) => tool.name,
        minLength: 1,
        maxLength: 3,
      }),
      toolChoice: fc.constantFrom<ToolChoice>('auto', 'none', 'required', { name: 'f' }),
      responseFormat: schema.map((value) => ({ type: 'json-schema', name: 'response', schema: value }) as const),
      temperature: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
      topP: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
      stop: fc.array(words, { minLength: 1, maxLength: 4 }),
      effort: fc.constantFrom<ReasoningEffort>('none', 'low', 'medium', 'high', 'xhigh', 'max'),
      user: identifier,
    },
    { requiredKeys: ['model', 'maxTokens', 'stream', 'system', 'conversation', 'last'], noNullPrototype: true },
  )
  .map(({ system, conversation: turns, last, effort, temperature, topP, ...rest }): ChatRequest => ({
    ...rest,
    // Beside thinking, one of the wires takes no other sampling.
    ...(effort === undefined ? omitUndefined({ temperature, topP }) : { reasoning: { effort } }),
    messages: [
      ...(system.length === 0 ? [] : [{ role: 'system' as const, content: system }]),
      ...turns,
      { role: 'user' as const, content: last },
    ],
  }));

test('any request goes from openai to anthropic to openai unchanged', () => {
  fc.assert(
    fc.property(request, (made) => {
      const first = openai.server.decodeRequest(openai.client.encodeRequest(made).body);
      const between = anthropic.client.encodeRequest(first);
      const second = anthropic.server.decodeRequest(between.body);
      assert.deepEqual(between.losses, []);
      assert.deepEqual(openai.client.encodeRequest(second).body, openai.client.encodeRequest(first).body);
    }),
    { numRuns: count },
  );
});

test('any request is read back as it was said', () => {
  fc.assert(
    fc.property(request, (made) => {
      for (const { client, server } of wires) {
        const once = server.decodeRequest(client.encodeRequest(made).body);
        assert.deepEqual(server.decodeRequest(client.encodeRequest(once).body), once);
      }
    }),
    { numRuns: runs(2000, 500) },
  );
});
