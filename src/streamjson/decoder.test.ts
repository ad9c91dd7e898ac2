// Tests the decoder on damaged input: mutated lines, unknown types, lines out of order, and a process that dies.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../core/error.ts';
import { generator, mutate } from '../../test/support/mutated-line.ts';
import { StreamJsonDecoder, type DecodedLine } from './decoder.ts';

const mutations = process.env['SIMPLE_AGENTS_SUITE'] === 'full' ? 100_000 : 10_000;

const stream = (event: object) => ({ type: 'stream_event', event });
const init = { type: 'system', subtype: 'init', model: 'm', session_id: 's' };
const assistant = (...content: object[]) => ({ type: 'assistant', message: { id: 'msg_1', model: 'm', content } });
const toolUse = { type: 'tool_use', id: 'call_1', name: 'Bash', input: { command: 'ls' } };
const toolResult = { type: 'tool_result', tool_use_id: 'call_1', content: 'a.txt' };
const result = { type: 'result', subtype: 'success', is_error: false, result: 'Done.', total_cost_usd: 0.5, usage: {} };

const samples: readonly object[] = [
  init,
  assistant({ type: 'text', text: 'Hello' }, { type: 'thinking', thinking: 'hm', signature: 's' }),
  assistant(toolUse),
  { type: 'user', message: { role: 'user', content: [toolResult] }, parent_tool_use_id: null },
  { type: 'stream_event', event: { type: 'message_start', message: { id: 'msg_2', model: 'm', usage: {} } } },
  { type: 'stream_event', event: { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } },
  { type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } } },
  { type: 'stream_event', event: { type: 'content_block_stop', index: 0 } },
  { type: 'stream_event', event: { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} } },
  { type: 'stream_event', event: { type: 'message_stop' } },
  { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 2, retry_delay_ms: 5, error_status: 529 },
  { type: 'system', subtype: 'task_started', tool_use_id: 'call_9', prompt: 'go' },
  {
    type: 'tool_progress',
    tool_use_id: 'call_1',
    simple_agents: { event: { type: 'tool-output', id: 'call_1', chunk: 'x' } },
  },
  {
    type: 'control_request',
    request_id: 'r',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 'call_1' },
  },
  { type: 'control_response', response: { subtype: 'success', request_id: 'r', response: {} } },
  { type: 'control_cancel_request', request_id: 'r' },
  result,
];

function push(lines: readonly object[]): DecodedLine[] {
  const decoder = new StreamJsonDecoder();
  return lines.map((line) => decoder.push(JSON.stringify(line)));
}

function eventTypes(lines: readonly object[]): string[] {
  return push(lines).flatMap((decoded) =>
    decoded.kind === 'line' ? decoded.events.map(({ type }) => type) : ['ERROR'],
  );
}

describe('damaged lines', () => {
  test('mutated lines never throw; each gives events or one clear error', () => {
    const random = generator(7);
    let decoder = new StreamJsonDecoder();
    let errors = 0;
    for (let count = 0; count < mutations; count += 1) {
      if (count % 50 === 0) decoder = new StreamJsonDecoder();
      const line = mutate(samples[random(samples.length)] as object, random);
      const decoded = decoder.push(line);
      if (decoded.kind === 'line') continue;
      errors += 1;
      assert.match(
        decoded.message,
        /^(Malformed JSON: .+\. Line: |A line must be|[a-z_]*:? ?\S+ (is missing|has the wrong type|must be))/,
      );
    }
    assert.ok(errors > mutations / 10 && errors < mutations, String(errors));
  });

  const cases: readonly (readonly [line: string, message: RegExp])[] = [
    ['{"type":', /^Malformed JSON: .*\. Line: \{"type":\.\.\.$/],
    [`x${'y'.repeat(300)}`, /^Malformed JSON: .* Line: xy{99}\.\.\.$/],
    ['[]', /^A line must be a JSON object\.$/],
    ['{}', /^type: is missing$/],
    ['{"type":1}', /^type: has the wrong type$/],
    ['{"type":"assistant"}', /^assistant: message is missing$/],
    ['{"type":"assistant","message":{}}', /^assistant: message\.content is missing$/],
    ['{"type":"assistant","message":{"content":"x"}}', /^assistant: message\.content has the wrong type$/],
    [
      '{"type":"assistant","message":{"content":[{"type":"text"}]}}',
      /^assistant: message\.content\[0\]\.text is missing$/,
    ],
    [
      '{"type":"user","message":{"content":[{"type":"tool_result"}]}}',
      /message\.content\[0\]\.tool_use_id is missing$/,
    ],
    ['{"type":"system"}', /^system: subtype is missing$/],
    ['{"type":"stream_event","event":{"type":"content_block_delta","delta":{}}}', /event\.index is missing$/],
    [
      '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool"}}',
      /request\.tool_name is missing$/,
    ],
  ];
  for (const [line, message] of cases) {
    test(`${line.slice(0, 70)}: an error that names the problem`, () => {
      const decoded = new StreamJsonDecoder().push(line);
      assert.match(decoded.kind === 'error' ? decoded.message : '', message);
    });
  }

  test('a line of an unknown type is kept', () => {
    const line = { type: 'rate_limit_event', info: { status: 'allowed' } };
    assert.deepEqual(push([line]), [{ kind: 'line', line, events: [], isKnown: false }]);
  });

  test('names of the prototype are not types', () => {
    for (const type of ['constructor', '__proto__', 'toString']) {
      assert.deepEqual(push([{ type }]), [{ kind: 'line', line: { type }, events: [], isKnown: false }]);
    }
    const event = { type: 'constructor' };
    assert.equal(push([{ type: 'stream_event', event }])[0]?.kind, 'line');
    assert.equal(push([assistant({ type: 'toString' })])[0]?.kind, 'line');
  });
});

describe('lines in an unusual order', () => {
  test('a tool result without its call', () => {
    const line = { type: 'user', message: { role: 'user', content: [toolResult] } };
    assert.deepEqual(eventTypes([line, result]), ['turn-start', 'tool-start', 'tool-end', 'turn-end']);
  });

  test('a call without a result ends with the turn', () => {
    const types = eventTypes([init, assistant(toolUse), result]);
    assert.deepEqual(types.slice(-3), ['tool-start', 'tool-end', 'turn-end']);
  });

  test('a tool result before the end of the stream does not end the message', () => {
    const types = eventTypes([
      init,
      stream({ type: 'message_start', message: { id: 'msg_1', model: 'm' } }),
      stream({ type: 'content_block_start', index: 0, content_block: toolUse }),
      assistant(toolUse),
      { type: 'user', message: { role: 'user', content: [toolResult] } },
      stream({ type: 'content_block_stop', index: 0 }),
      stream({ type: 'message_stop' }),
      result,
    ]);
    assert.equal(types.filter((type) => type === 'tool-start').length, 1);
    assert.equal(types.filter((type) => type === 'tool-end').length, 1);
  });

  test('an assistant line after the end of its stream is not repeated', () => {
    const lines = [
      init,
      stream({ type: 'message_start', message: { id: 'msg_1', model: 'm' } }),
      stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'a' } }),
      stream({ type: 'content_block_stop', index: 0 }),
      stream({ type: 'message_stop' }),
    ];
    const late = [...lines, assistant({ type: 'text', text: 'a' })];
    assert.deepEqual(eventTypes(late), eventTypes(lines));
  });
});

describe('a process that dies', () => {
  const error = new SimpleAgentsError('upstream', 'The agent process exited with code 1.');

  test('in a subagent ends the turn of the subagent first', () => {
    const decoder = new StreamJsonDecoder();
    const inner = { ...assistant({ ...toolUse, id: 'call_2' }), parent_tool_use_id: 'call_1' };
    const progress = { type: 'tool_progress', tool_use_id: 'call_2', parent_tool_use_id: 'call_1' };
    const start = { type: 'system', subtype: 'task_started', tool_use_id: 'call_1', prompt: 'go' };
    for (const line of [init, assistant({ ...toolUse, name: 'Task' }), start, inner, progress]) {
      assert.equal(decoder.push(JSON.stringify(line)).kind, 'line');
    }
    const types = decoder
      .fail(error)
      .map((event) => (event.type === 'subagent-event' ? `> ${event.event.type}` : event.type));
    const own = types.filter((type) => type !== 'model-event');
    assert.deepEqual(own, ['> tool-end', '> turn-end', 'tool-start', 'tool-end', 'turn-end']);
    assert.deepEqual(decoder.fail(error), []);
  });

  test('after any line leaves a turn that has ended', () => {
    for (let count = 0; count <= samples.length; count += 1) {
      const decoder = new StreamJsonDecoder();
      const events = samples.slice(0, count).flatMap((line) => {
        const decoded = decoder.push(JSON.stringify(line));
        return decoded.kind === 'line' ? decoded.events : [];
      });
      const all = [...events, ...decoder.fail(error)].filter(({ type }) => type !== 'subagent-event');
      const numberOf = (wanted: string) => all.filter(({ type }) => type === wanted).length;
      assert.equal(numberOf('turn-start'), numberOf('turn-end'), `after ${count} lines`);
      assert.equal(numberOf('tool-start'), numberOf('tool-end'), `after ${count} lines`);
      assert.deepEqual(decoder.fail(error), []);
    }
  });
});
