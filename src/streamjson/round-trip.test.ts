// The property of the codec: decode(encode(events)) = events, for generated turns with several responses, tools that run
// one after the other or in parallel, retries, permissions and subagents.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { AgentEvent, TurnEnd } from '../agent/event.ts';
import { errorTable, SimpleAgentsError, type ErrorKind } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { Block, ToolCallBlock } from '../core/message.ts';
import type { Usage } from '../core/usage.ts';
import { StreamJsonDecoder } from './decoder.ts';
import { StreamJsonEncoder, type StreamJsonEncoderOptions } from './encoder.ts';
import { encodeFailure } from './block.ts';

const numRuns = process.env['SIMPLE_AGENTS_SUITE'] === 'full' ? 2000 : 60;

let counter = 0;
const unique = (prefix: string) => `${prefix}_${(counter += 1)}`;

const usage: fc.Arbitrary<Usage> = fc.record(
  { input: fc.nat(), output: fc.nat(), cacheRead: fc.nat(), cacheWrite: fc.nat(), reasoning: fc.nat() },
  { requiredKeys: ['input', 'output'] },
);
const words = fc.string({ minLength: 1, unit: 'grapheme' });
const input = fc.oneof(fc.dictionary(words, fc.jsonValue()), fc.constant(null), fc.jsonValue());
const image: fc.Arbitrary<Block> = fc.constant({
  type: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' },
});
const textBlock: fc.Arbitrary<Block> = words.map((value) => ({ type: 'text', text: value }));
const oddBlock: fc.Arbitrary<Block> = fc.constantFrom<Block>(
  { type: 'reasoning', text: '', redacted: 'xyz', origin: { wire: 'anthropic-messages' } },
  { type: 'reasoning', text: 'hm', origin: { wire: 'openai-chat' } },
  { type: 'reasoning', text: 'hm', signature: 'sig' },
  { type: 'opaque', origin: { wire: 'anthropic-messages' }, data: { type: 'server_tool_use', id: 'x' } },
  { type: 'opaque', origin: { wire: 'gemini' }, data: { odd: true } },
  { type: 'text', text: 'cited', citations: [{ type: 'page', page: 1 }] },
  { type: 'audio', format: 'wav', data: 'aGk=' },
);
const error = fc
  .record({
    kind: fc.constantFrom(...(Object.keys(errorTable) as ErrorKind[])),
    message: fc.string(),
    status: fc.option(fc.integer({ min: 400, max: 599 }), { nil: undefined }),
  })
  .map(({ kind, message, status }) => new SimpleAgentsError(kind, message, status === undefined ? {} : { status }));

/** The events of a block: with deltas, or only its end. */
function blockEvents(block: Block, index: number, hasDeltas: boolean): StreamEvent[] {
  const end: StreamEvent = { type: 'block-end', index, block };
  if (!hasDeltas) return [end];
  if (block.type === 'text')
    return [...cut(block.text).map((text) => ({ type: 'text-delta', index, text }) as const), end];
  if (block.type === 'reasoning' && block.redacted === undefined) {
    return [...cut(block.text).map((text) => ({ type: 'reasoning-delta', index, text }) as const), end];
  }
  if (block.type !== 'tool-call') return [end];
  const { id, name } = block;
  const deltas = cut(JSON.stringify(block.input)).map((json) => ({ type: 'tool-call-delta', index, json }) as const);
  return [{ type: 'tool-call-start', index, id, name }, ...deltas, end];
}

function cut(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}

interface ResponseShape {
  readonly blocks: readonly Block[];
  readonly inputs: readonly unknown[];
  readonly hasDeltas: boolean;
  readonly interleaves: boolean;
  readonly gap: number;
  readonly usage: Usage;
  readonly id: string;
}

const responseShape: fc.Arbitrary<ResponseShape> = fc.record({
  blocks: fc.array(fc.oneof(textBlock, oddBlock), { maxLength: 3 }),
  inputs: fc.array(input, { maxLength: 3 }),
  hasDeltas: fc.boolean(),
  interleaves: fc.boolean(),
  gap: fc.nat(2),
  usage,
  id: fc.constantFrom('', 'msg'),
});

function toResponse(shape: ResponseShape): { events: AgentEvent[]; calls: ToolCallBlock[] } {
  const calls = shape.inputs.map((value): ToolCallBlock => ({
    type: 'tool-call',
    id: unique('call'),
    name: 'Read',
    input: value,
  }));
  const lists = [...shape.blocks, ...calls].map((block, at) =>
    blockEvents(block, at * (shape.gap + 1), shape.hasDeltas),
  );
  const stopReason = calls.length > 0 ? 'tool-calls' : 'end';
  const events: StreamEvent[] = [
    { type: 'message-start', id: shape.id === '' ? '' : unique('msg'), model: 'm' },
    ...(shape.interleaves ? interleave(lists) : lists.flat()),
    { type: 'message-end', stopReason, usage: shape.usage },
  ];
  return { calls, events: events.map((event) => ({ type: 'model-event', event })) };
}

/** One of each list in turn. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

const aside: fc.Arbitrary<AgentEvent[]> = fc.array(
  fc.oneof<fc.Arbitrary<AgentEvent>[]>(
    error.map((value) => ({ type: 'retry-wait', attempt: 1, limit: 3, delay: 250, error: value })),
    fc.constant({ type: 'notice', kind: 'continuation', detail: 'again', attempt: 1, limit: 3 }),
    fc.constant({ type: 'context-trim', how: 'trim', exchanges: 1, messages: 2, blocks: 0, before: 900, after: 30 }),
    fc.constant({ type: 'model-event', event: { type: 'notice', kind: 'warning', detail: 'odd' } }),
  ),
  { maxLength: 2 },
);

interface ToolShape {
  readonly isParallel: boolean;
  readonly asks: boolean;
  readonly output: string;
  readonly result: readonly Block[];
  readonly isError: boolean | undefined;
}

const toolShape: fc.Arbitrary<ToolShape> = fc.record({
  isParallel: fc.boolean(),
  asks: fc.boolean(),
  output: fc.string(),
  result: fc.array(fc.oneof(textBlock, image), { maxLength: 2 }),
  isError: fc.constantFrom(undefined, true, false),
});

function toBatch(calls: readonly ToolCallBlock[], shape: ToolShape, child: readonly AgentEvent[]): AgentEvent[] {
  const lists = calls.map(({ id, name, input: value }): AgentEvent[] => [
    { type: 'tool-start', id, name, input: value },
    ...(shape.asks ? [{ type: 'permission-request', id, name, input: value, reason: 'writes' } as const] : []),
    ...(shape.output === '' ? [] : [{ type: 'tool-output', id, chunk: shape.output } as const]),
    ...child.map((event) => ({ type: 'subagent-event', id, event }) as const),
    {
      type: 'tool-end',
      id,
      name,
      duration: 12.5,
      result: {
        type: 'tool-result',
        callId: id,
        content: shape.result as [],
        ...(shape.isError === undefined ? {} : { isError: shape.isError }),
      },
    },
  ]);
  return shape.isParallel ? interleave(lists) : lists.flat();
}

const reasons: readonly TurnEnd['reason'][] = [
  'end',
  'length',
  'continuation-cap',
  'iteration-limit',
  'cost-limit',
  'refusal',
  'cancelled',
  'error',
  'block-limit-total',
  'convergence-signal',
];

/** A turn; with `depth` above 0 its tools may start subagents. */
function turn(depth: number): fc.Arbitrary<AgentEvent[]> {
  const child = depth === 0 ? fc.constant([]) : fc.oneof(fc.constant([]), turn(depth - 1));
  const step = fc.tuple(responseShape, toolShape, aside, child, fc.boolean());
  const end = fc.record({
    reason: fc.constantFrom(...reasons),
    error,
    text: fc.string(),
    usage: fc.oneof(usage, fc.constant({ input: 0, output: 0, missing: true } as const)),
    cost: fc.option(fc.double({ min: 0, max: 10, noNaN: true }), { nil: undefined }),
  });
  return fc
    .tuple(fc.array(fc.oneof(textBlock, image), { minLength: 1, maxLength: 2 }), fc.array(step, { maxLength: 3 }), end)
    .map(([content, steps, { reason, error: failure, text, usage: total, cost }]): AgentEvent[] => [
      { type: 'turn-start', prompt: { role: 'user', content }, model: 'm' },
      ...steps.flatMap(([response, tools, asides, events, restarts]) => {
        const { events: answer, calls } = toResponse(response);
        const cutOff = restarts
          ? [...answer.slice(0, 2).filter(isUnended), { type: 'stream-restart', attempt: 1 } as const]
          : [];
        return [...asides, ...cutOff, ...answer, ...toBatch(calls, tools, events)];
      }),
      {
        type: 'turn-end',
        reason,
        ...(reason === 'error' ? { error: failure } : {}),
        text,
        usage: total,
        ...(cost === undefined ? {} : { cost }),
        iterations: 2,
        duration: 30.25,
      },
    ]);
}

function isUnended(event: AgentEvent): boolean {
  return event.type === 'model-event' && event.event.type !== 'message-end' && event.event.type !== 'block-end';
}

const session = fc.array(turn(2), { minLength: 1, maxLength: 2 }).map((turns) => turns.flat());

function roundTrip(events: readonly AgentEvent[], options: Partial<StreamJsonEncoderOptions>): AgentEvent[] {
  const encoder = new StreamJsonEncoder({
    sessionId: 'session',
    createId: () => unique('uuid'),
    session: () => ({ cwd: '/work', tools: ['Read'], model: 'claude' }),
    totals: () => new Map(),
    now: () => 0,
    ...options,
  });
  const decoder = new StreamJsonDecoder();
  return events.flatMap((event) => {
    if (event.type === 'turn-start' && options.replayUserMessages !== true) decoder.expectPrompt(event.prompt);
    return encoder.push(event).flatMap((line) => {
      const decoded = decoder.push(JSON.stringify(line));
      assert.equal(decoded.kind, 'line', JSON.stringify(decoded));
      return decoded.kind === 'line' ? decoded.events : [];
    });
  });
}

function toPlain(_key: string, value: unknown): unknown {
  return value instanceof SimpleAgentsError ? encodeFailure(value) : value;
}

/** As JSON, because an error has a stack. */
function plain(events: readonly AgentEvent[]): unknown {
  return JSON.parse(JSON.stringify(events, toPlain));
}

/** Without deltas and the end of each response, which are only in partial messages. */
function withoutPartial(events: readonly AgentEvent[]): AgentEvent[] {
  const partial = new Set([
    'text-delta',
    'reasoning-delta',
    'tool-call-start',
    'tool-call-delta',
    'message-end',
    'message-start',
  ]);
  return events.flatMap((event): AgentEvent[] => {
    if (event.type === 'subagent-event') {
      return withoutPartial([event.event]).map((inner) => ({ ...event, event: inner }));
    }
    return event.type === 'model-event' && partial.has(event.event.type) ? [] : [event];
  });
}

describe('decode(encode(events)) = events', () => {
  test('with partial messages and replayed prompts', () => {
    fc.assert(
      fc.property(session, (events) => {
        const decoded = roundTrip(events, { includePartialMessages: true, replayUserMessages: true });
        assert.deepEqual(plain(decoded), plain(events));
      }),
      { numRuns },
    );
  });

  test('without them, except for deltas and the usage of single responses', () => {
    fc.assert(
      fc.property(session, (events) => {
        assert.deepEqual(plain(withoutPartial(roundTrip(events, {}))), plain(withoutPartial(events)));
      }),
      { numRuns },
    );
  });
});
