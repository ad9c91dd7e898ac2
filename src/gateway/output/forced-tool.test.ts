// The text of a response as a tool call: with and without deltas, cut, refused, and beside what else a response contains.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventsOf } from '../../../test/support/upstream.ts';
import { assemble } from '../../core/assembler.ts';
import type { StreamEvent } from '../../core/event.ts';
import { text, type Block } from '../../core/message.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import type { ChatRequest, ToolDefinition } from '../../core/request.ts';
import { noUsage } from '../../core/usage.ts';
import { anthropicMessages } from '../../wire/anthropic-messages/client.ts';
import { withForcedTool } from './forced-tool.ts';

const never = new AbortController().signal;
const weather: ToolDefinition = {
  name: 'weather',
  description: 'Looks outside.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
};
const request: ChatRequest = {
  model: 'claude-opus-5-5',
  messages: [
    { role: 'system', content: [text('Be brief.')] },
    { role: 'user', content: [text('Paris?')] },
  ],
  tools: [weather],
  toolChoice: 'required',
  responseFormat: { type: 'json' },
};

const start: StreamEvent = { type: 'message-start', id: 'msg:1/a', model: 'm' };
const end = (stopReason: 'end' | 'length' | 'refusal' | 'tool-calls' = 'end'): StreamEvent => ({
  type: 'message-end',
  stopReason,
  usage: noUsage,
});
const delta = (piece: string, index = 0): StreamEvent => ({ type: 'text-delta', index, text: piece });
const blockEnd = (block: Block, index = 0): StreamEvent => ({ type: 'block-end', index, block });

async function ask(events: readonly StreamEvent[], change: Partial<ChatRequest> = {}) {
  const sent: ChatRequest[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<Outcome>();
  const last = events.at(-1);
  const outcome: Outcome =
    last?.type === 'message-end' ? { ...last, type: 'complete' } : { type: 'left', usage: noUsage };
  async function* read(): AsyncGenerator<StreamEvent> {
    yield* events;
    resolve(outcome);
  }
  const provider: Provider = {
    name: 'spy',
    open(received) {
      sent.push(received);
      const stream: ModelStream = { target: 'spy', ended, [Symbol.asyncIterator]: read };
      return Promise.resolve(stream);
    },
  };
  const stream = await withForcedTool(provider, { wire: anthropicMessages }).open({ ...request, ...change }, never);
  const got = await eventsOf(stream);
  return { sent: sent[0] as ChatRequest, events: got, message: assemble(got), outcome: await stream.ended };
}

const call = { type: 'tool-call', id: 'call_msg_1_a', name: 'weather' } as const;

describe('the request', () => {
  test('asks for the arguments as structured output, and keeps the tools', async () => {
    const { sent } = await ask([start, end()]);
    assert.deepEqual(
      [sent.tools, sent.toolChoice, sent.responseFormat],
      [[weather], 'none', { type: 'json-schema', name: 'weather', schema: weather.inputSchema }],
    );
    const [first, second] = sent.messages;
    assert.deepEqual([first?.content, second?.role], [[text('Be brief.')], 'system']);
    assert.match(JSON.stringify(second), /function .*weather.*Looks outside\./);
  });

  test('of a model that accepts a forced tool, or without one, is not changed', async () => {
    for (const change of [{ model: 'claude-opus-5' }, { toolChoice: 'auto' }, { tools: [] }] as const) {
      const { sent, message } = await ask([start, delta('Hi'), blockEnd(text('Hi')), end()], change);
      assert.deepEqual(sent, { ...request, ...change });
      assert.deepEqual(message.content, [text('Hi')]);
    }
  });

  test('that forces no known function is refused', async () => {
    const hosted = { type: 'opaque', origin: { wire: 'anthropic-messages' }, data: { type: 'web_search' } } as const;
    const others = [
      { toolChoice: { name: 'missing' } },
      { tools: [hosted] },
      { tools: [weather, hosted] },
      { tools: [weather, { ...weather, name: 'second' }] },
    ] as const;
    for (const change of others) {
      await assert.rejects(ask([start, end()], change), {
        kind: 'bad-request',
        field: 'toolChoice',
        message: /^toolChoice: this model does not accept a forced tool call; force one function by its name/,
      });
    }
  });
});

describe('the response', () => {
  test('has the text as the call, piece by piece', async () => {
    const { events, message, outcome } = await ask([
      start,
      delta('{"city"'),
      delta(':"Paris"}'),
      blockEnd(text('{"city":"Paris"}')),
      end(),
    ]);
    assert.deepEqual(events.slice(1, 4), [
      { type: 'tool-call-start', index: 0, id: call.id, name: 'weather' },
      { type: 'tool-call-delta', index: 0, json: '{"city"' },
      { type: 'tool-call-delta', index: 0, json: ':"Paris"}' },
    ]);
    assert.deepEqual(message.content, [{ ...call, input: { city: 'Paris' } }]);
    assert.equal(message.stopReason, 'tool-calls');
    assert.deepEqual([outcome.type, 'stopReason' in outcome && outcome.stopReason], ['complete', 'tool-calls']);
  });

  test('has the call after reasoning, also without deltas', async () => {
    const thought: Block = { type: 'reasoning', text: 'Hm', signature: 's' };
    const { message } = await ask([start, blockEnd(thought), blockEnd(text('{}'), 1), end()]);
    assert.deepEqual(message.content, [thought, { ...call, input: {} }]);
  });

  test('is one call, whatever text is beside it', async () => {
    const { events, message } = await ask([
      start,
      delta('\n'),
      blockEnd(text('\n')),
      delta(' ', 1),
      delta('{}', 1),
      delta('besides', 2),
      blockEnd(text(' {}'), 1),
      blockEnd(text('besides'), 2),
      end(),
    ]);
    assert.deepEqual(message.content, [{ ...call, input: {} }]);
    assert.deepEqual([...new Set(events.flatMap((event) => ('index' in event ? [event.index] : [])))], [1]);
  });

  test('keeps text that is not JSON with its error', async () => {
    const { message } = await ask([start, delta('Sorry'), blockEnd(text('Sorry')), end()]);
    const error = 'the arguments are not valid JSON';
    assert.deepEqual(message.content, [{ ...call, input: null, raw: 'Sorry', error }]);
  });

  test('keeps another stop reason, and a call that the model makes itself', async () => {
    for (const reason of ['length', 'refusal'] as const) {
      const { message } = await ask([start, delta('{"city'), blockEnd(text('{"city')), end(reason)]);
      assert.equal(message.stopReason, reason);
    }
    const own: Block = { type: 'tool-call', id: 'a', name: 'weather', input: { city: 'Rome' } };
    const { message } = await ask([start, blockEnd(own), end('tool-calls')]);
    assert.deepEqual([message.content, message.stopReason], [[own], 'tool-calls']);
  });

  test('without any text is empty', async () => {
    const { message } = await ask([start, end()]);
    assert.deepEqual([message.content, message.stopReason], [[], 'end']);
  });
});
