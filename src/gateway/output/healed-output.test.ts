// Output that cannot be taken back: responses with a schema are released as final, valid JSON or fail; arguments are
// healed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { failsWith } from '../../../test/support/fails-with.ts';
import { eventsOf, never, request } from '../../../test/support/upstream.ts';
import type { CallEvent } from '../../core/call.ts';
import type { StopReason, StreamEvent } from '../../core/event.ts';
import { text, type ToolCallBlock } from '../../core/message.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { bufferedStream } from '../../providers/buffered-stream.ts';
import { withHealedOutput } from './healed-output.ts';
import type { HealingSettings } from './healing.ts';

const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a', 'b'] };
const typed: ChatRequest = { ...request, responseFormat: { type: 'json-schema', schema } };
const tool = { name: 't', inputSchema: { type: 'object' } };

/** A model's response, with its text in pieces. */
function said(pieces: readonly string[], stopReason: StopReason = 'end'): StreamEvent[] {
  return [
    { type: 'message-start', id: 'i', model: 'm' },
    ...pieces.map((piece) => ({ type: 'text-delta' as const, index: 0, text: piece })),
    { type: 'block-end', index: 0, block: text(pieces.join('')) },
    { type: 'message-end', stopReason, usage: { input: 1, output: 1 } },
  ];
}

function model(events: readonly StreamEvent[], more: Partial<ModelStream> = {}): Provider {
  return {
    name: 'm',
    open: (_request, signal) => Promise.resolve({ ...bufferedStream('m', events, { signal }), ...more }),
  };
}

interface Answered {
  readonly events: StreamEvent[];
  readonly deltas: string[];
  readonly told: CallEvent[];
}

async function answer(events: readonly StreamEvent[], asked = typed, healing?: HealingSettings): Promise<Answered> {
  const told: CallEvent[] = [];
  const provider = withHealedOutput(model(events), healing && (() => healing));
  const stream = await provider.open(asked, never, { id: 'c', observe: (event) => told.push(event) });
  const seen = await eventsOf(stream);
  return { events: seen, deltas: seen.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])), told };
}

describe('a response with a schema', () => {
  const written = 'Here: {a: "1", b: \'two\',} Good?';

  test('is the same valid JSON, wherever it is split', async () => {
    for (let size = 1; size <= written.length; size++) {
      const pieces = written.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const { deltas, events, told } = await answer(said(pieces));
      assert.equal(deltas.join(''), '{"a":1,"b":"two"}');
      const end = events.find((event) => event.type === 'block-end');
      assert.deepEqual(end?.block, text('{"a":1,"b":"two"}'));
      const [heal] = told;
      assert.ok(heal?.type === 'answer-heal' && heal.kinds.includes('type-coercion') && (heal.confidence ?? 1) < 1);
    }
  });

  test('is not reported if nothing was changed', async () => {
    assert.deepEqual((await answer(said(['{"a":1,"b":"x"}']))).told, []);
  });

  test('releases nothing before the first final text', async () => {
    const provider = withHealedOutput(model(said(['I cannot say.'])));
    const reader = (await provider.open(typed, never))[Symbol.asyncIterator]();
    await assert.rejects(
      reader.next(),
      failsWith('healing', /cannot be healed/, { text: 'I cannot say.', target: 'm' }),
    );
  });

  test('may come in several blocks, and is sent as one', async () => {
    const events = said(['{"a":1,']);
    events.splice(
      3,
      0,
      { type: 'reasoning-delta', index: 1, text: 'hm' },
      { type: 'text-delta', index: 2, text: '"b":"x"}' },
      { type: 'block-end', index: 2, block: text('"b":"x"}') },
    );
    const { deltas, events: seen } = await answer(events);
    assert.equal(deltas.join(''), '{"a":1,"b":"x"}');
    assert.equal(seen.filter((event) => event.type === 'block-end' && event.block.type === 'text').length, 1);
  });

  test('may come without deltas', async () => {
    const events = said([]).map((event) => (event.type === 'block-end' ? { ...event, block: text(written) } : event));
    assert.equal((await answer(events)).deltas.join(''), '{"a":1,"b":"two"}');
  });

  test('that was cut off is an error that says so', async () => {
    await assert.rejects(answer(said(['{"a":'], 'length')), failsWith('healing', /cut off at its token limit/));
  });

  for (const stopReason of ['refusal', 'pause'] as const) {
    test(`without an answer (${stopReason}) passes unchanged`, async () => {
      const { deltas } = await answer(said(['I will', ' not.'], stopReason));
      assert.equal(deltas.join(''), 'I will not.');
    });
  }

  test('passes next to tool calls', async () => {
    const events = said(['Let me look.'], 'tool-calls');
    events.splice(
      -1,
      0,
      { type: 'tool-call-start', index: 1, id: 'c', name: 't' },
      { type: 'block-end', index: 1, block: { type: 'tool-call', id: 'c', name: 't', input: {} } },
    );
    assert.equal((await answer(events, { ...typed, tools: [tool] })).deltas.join(''), 'Let me look.');
  });

  test('is unchanged if healing is off', async () => {
    assert.equal((await answer(said([written]), typed, { enabled: false })).deltas.join(''), written);
  });

  test('follows the settings', async () => {
    await assert.rejects(answer(said([written]), typed, { strict: true }), failsWith('healing', /./));
  });
});

describe('tool calls', () => {
  const events: StreamEvent[] = [
    { type: 'message-start', id: 'i', model: 'm' },
    { type: 'tool-call-start', index: 0, id: 'c', name: 't' },
    { type: 'tool-call-delta', index: 0, json: '{a:' },
    { type: 'tool-call-delta', index: 0, json: '1}' },
    {
      type: 'block-end',
      index: 0,
      block: {
        type: 'tool-call',
        id: 'c',
        name: 't',
        input: { a: 1 },
        raw: '{a:1}',
        flags: [{ kind: 'unquoted-key', path: [] }],
      },
    },
    { type: 'message-end', stopReason: 'tool-calls', usage: { input: 1, output: 1 } },
  ];
  const asked = { ...request, tools: [tool] };

  test('have complete, healed arguments', async () => {
    const { events: seen, told } = await answer(events, asked);
    assert.equal(seen.map((event) => (event.type === 'tool-call-delta' ? event.json : '')).join(''), '{"a":1}');
    assert.deepEqual(told, [{ call: 'c', type: 'answer-heal', kinds: ['unquoted-key'], tool: 't' }]);
  });

  const broken = { type: 'tool-call', id: 'c', name: 't', input: null, raw: '{a:', error: 'no JSON' } as const;
  const [start, begun] = events as [StreamEvent, StreamEvent];

  function brokenCall(stopReason: StopReason, block: ToolCallBlock = broken): StreamEvent[] {
    const end: StreamEvent = { type: 'message-end', stopReason, usage: { input: 1, output: 1 } };
    return [start, begun, { type: 'block-end', index: 0, block }, end];
  }

  test('fail if their arguments are not JSON, unless the token limit cut them off', async () => {
    await assert.rejects(answer(brokenCall('tool-calls'), asked), { kind: 'bad-response', text: '{a:' });
    const { events: seen } = await answer(brokenCall('length'), asked);
    assert.deepEqual(
      seen.flatMap((event) => (event.type === 'tool-call-delta' ? [event.json] : [])),
      ['{a:'],
    );
  });

  test('pass if their arguments are JSON that does not match the schema', async () => {
    const { events: seen } = await answer(brokenCall('tool-calls', { ...broken, raw: '{"b":2}' }), asked);
    assert.ok(seen.some((event) => event.type === 'tool-call-delta' && event.json === '{"b":2}'));
  });

  test('pass unchanged if there are bytes, which are kept', async () => {
    const bytes = { wire: 'w', form: 'stream' as const, [Symbol.asyncIterator]: () => never as never };
    const stream = await withHealedOutput(model(events, { bytes })).open(asked, never);
    assert.equal(stream.bytes, bytes);
    assert.deepEqual(await eventsOf(stream), events);
  });
});

describe('several choices', () => {
  test('are rejected with a schema, and if there are no bytes', async () => {
    const several = failsWith('bad-request', /n: is not supported here/, { field: 'n' });
    await assert.rejects(answer(said(['{}']), { ...typed, choices: 2 }), several);
    await assert.rejects(answer(said(['hi']), { ...request, choices: 2 }), several);
  });
});
