// Healed tool calls for readers that cannot take text back: their order, and what is never completed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseToolCall } from '../../core/assembler.ts';
import type { StopReason, StreamEvent, ToolCallDelta, ToolCallStart } from '../../core/event.ts';
import type { JsonSchema } from '../../core/json.ts';
import { StreamedCalls, type HealedCallEnd } from './healed-tool-calls.ts';

const schemas = new Map<string, JsonSchema>([
  ['write', { type: 'object', properties: { path: { type: 'string' }, lines: { type: 'integer' } } }],
]);

type CallEvent = ToolCallStart | ToolCallDelta | HealedCallEnd;

/** The events of one call, split into pieces. */
function callOf(index: number, pieces: readonly string[], name = 'write'): CallEvent[] {
  const id = `call_${index}`;
  return [
    { type: 'tool-call-start', index, id, name },
    ...pieces.map((json): ToolCallDelta => ({ type: 'tool-call-delta', index, json })),
    { type: 'block-end', index, block: parseToolCall(id, name, pieces.join('')) },
  ];
}

function machine(told: string[] = []): StreamedCalls {
  return new StreamedCalls(schemas, {}, (changes) => told.push(...changes.map(({ kind }) => kind)));
}

function play(events: readonly CallEvent[], stopReason: StopReason = 'tool-calls'): StreamEvent[] {
  const calls = machine();
  return [...events.flatMap((event) => calls.push(event)), ...calls.finish(stopReason)];
}

/** All ways to merge the lists, each keeping its order. */
function merges<T>(lists: readonly (readonly T[])[]): T[][] {
  const left = lists.filter((list) => list.length > 0);
  if (left.length === 0) return [[]];
  return left.flatMap((list) =>
    merges(left.map((other) => (other === list ? list.slice(1) : other))).map((rest) => [list[0] as T, ...rest]),
  );
}

/** Those in which the calls start in order, as on every wire. */
function interleavings(lists: readonly (readonly CallEvent[])[]): CallEvent[][] {
  return merges(lists).filter((events) => {
    const begun = events.flatMap((event) => (event.type === 'tool-call-start' ? [event.index] : []));
    return begun.every((index, place) => index > (begun[place - 1] ?? -1));
  });
}

/** Reads the calls strictly: one start, its fragments, one end, then the next in order. */
function readStrictly(events: readonly StreamEvent[]): unknown[] {
  const calls: unknown[] = [];
  let open: { index: number; json: string } | undefined;
  let last = -1;
  for (const event of events) {
    if (event.type === 'tool-call-start') {
      assert.equal(open, undefined, 'a call begins while another is open');
      assert.ok(event.index > last, 'calls are out of order');
      open = { index: event.index, json: '' };
    } else if (event.type === 'tool-call-delta') {
      assert.equal(open?.index, event.index, 'a fragment of a call that is not open');
      open.json += event.json;
    } else if (event.type === 'block-end') {
      assert.equal(open?.index, event.index);
      calls.push(JSON.parse(open.json));
      last = event.index;
      open = undefined;
    }
  }
  assert.equal(open, undefined);
  return calls;
}

describe('parallel calls', () => {
  const first = callOf(0, ['{"path": "a', '", "lines"', ': 1}']);
  const second = callOf(2, ['{"path"', ': "b"}']);
  const expected = [{ path: 'a', lines: 1 }, { path: 'b' }];

  test('are sent one at a time and in order, however they arrive', () => {
    const orders = interleavings([first, second]);
    assert.equal(orders.length, 70);
    for (const order of orders) assert.deepEqual(readStrictly(play(order)), expected, JSON.stringify(order));
  });

  test('are sent in order, also three, one damaged, one without arguments', () => {
    const lists = [callOf(0, ["{path: 'a", "',}"]), callOf(1, []), callOf(2, ['{"path": "c"}'])];
    const orders = interleavings(lists);
    for (const order of orders) {
      assert.deepEqual(readStrictly(play(order)), [{ path: 'a' }, {}, { path: 'c' }], JSON.stringify(order));
    }
  });

  test('whose ends all arrive at the end of the response', () => {
    const ends = [first.at(-1), second.at(-1)] as CallEvent[];
    for (const order of interleavings([first.slice(0, -1), second.slice(0, -1)])) {
      assert.deepEqual(readStrictly(play([...order, ...ends])), expected);
    }
  });

  test('do not wait for the end of a complete one', () => {
    const calls = machine();
    for (const event of first.slice(0, -1)) calls.push(event);
    const [start, ...rest] = second as [CallEvent, ...CallEvent[]];
    const types = calls.push(start).map(({ type }) => type);
    assert.deepEqual(types, ['tool-call-delta', 'block-end', 'tool-call-start']);
    assert.equal(calls.push(rest[0] as CallEvent).length, 0);
    assert.equal(calls.push(rest[1] as CallEvent)[0]?.type, 'tool-call-delta');
  });

  test('with more text after a complete call are an error', () => {
    const late: CallEvent = { type: 'tool-call-delta', index: 0, json: ' {"path": "x"}' };
    const events = [...first.slice(0, -1), second[0] as CallEvent, late, ...second.slice(1), first.at(-1) as CallEvent];
    assert.throws(() => play(events), { kind: 'bad-response', message: /more text followed/ });
  });

  test('wait in bounded memory', () => {
    const calls = machine();
    calls.push(first[0] as CallEvent);
    calls.push(second[0] as CallEvent);
    const json = ' '.repeat(1024 * 1024);
    assert.throws(
      () => {
        for (let count = 0; count < 17; count++) calls.push({ type: 'tool-call-delta', index: 2, json });
      },
      { kind: 'bad-response', message: /longer than 16777216 characters/ },
    );
  });
});

describe('one call', () => {
  test('streams as its arguments become final', () => {
    const calls = machine();
    const sent = callOf(0, ['{"path": "on', 'e two', ' three"', ', "lines": 12', '}'])
      .map((event) => calls.push(event))
      .map((events) => events.map((event) => (event.type === 'tool-call-delta' ? event.json : '')).join(''));
    assert.deepEqual(sent, ['', '{"path":"on', 'e two', ' three', '"', ',"lines":12', '}']);
  });

  test('may come without a start or deltas, and name an unknown tool', () => {
    const block = { type: 'tool-call', id: 'c', name: 'write', input: { path: 'a' } } as const;
    assert.deepEqual(readStrictly(play([{ type: 'block-end', index: 0, block }])), [{ path: 'a' }]);
    assert.deepEqual(readStrictly(play(callOf(0, ['{"x', '": 1}'], 'other'))), [{ x: 1 }]);
  });

  test('keeps members that do not match or are unknown unchanged', () => {
    const events = play(callOf(0, ['{"path": ["a", "b"], "lines": 1.5, "mode": 9007199254740993}']));
    const json = events.map((event) => (event.type === 'tool-call-delta' ? event.json : '')).join('');
    assert.equal(json, '{"path":["a", "b"],"lines":1.5,"mode":9007199254740993}');
  });

  test('reports its changes once', () => {
    const told: string[] = [];
    const calls = machine(told);
    for (const event of callOf(0, ["```json\n{'path': 'a'", '}\n```'])) calls.push(event);
    assert.deepEqual(told.toSorted(), ['fixed-quotes', 'fixed-quotes', 'stripped-markdown']);
  });
});

describe('a call that is cut off', () => {
  const whole = JSON.stringify({ path: 'src/{a}.ts "x"', lines: 12 });

  for (const style of ['JSON', 'single quotes', 'fence'] as const) {
    test(`anywhere is never closed: ${style}`, () => {
      const text =
        style === 'JSON' ? whole : style === 'fence' ? `\`\`\`json\n${whole}` : "{'path': 'src/{a}.ts x', 'lines': 12}";
      for (let length = 1; length < text.length; length++) {
        const events = callOf(0, [text.slice(0, length)]);
        assert.throws(() => play(events), { kind: 'bad-response' }, text.slice(0, length));
        const cut = play(events, 'length');
        const json = cut.map((event) => (event.type === 'tool-call-delta' ? event.json : '')).join('');
        assert.throws(() => JSON.parse(json) as unknown, text.slice(0, length));
        const end = cut.at(-1);
        assert.ok(end?.type === 'block-end' && end.block.type === 'tool-call' && end.block.error !== undefined);
      }
    });
  }

  test('does not block later calls at the token limit', () => {
    const events = play([...callOf(0, ['{"path": "a']), ...callOf(1, ['{"path": "b"}'])], 'length');
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'tool-call-start' ? [event.index] : [])),
      [0, 1],
    );
  });
});
