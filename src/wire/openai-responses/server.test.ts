// What the server side of the Responses wire sends: the events of a stream, the plain body, and errors.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assemble } from '../../core/assembler.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Block } from '../../core/message.ts';
import { openaiResponsesServer as server } from './server.ts';

interface Frame extends JsonObject {
  readonly type: string;
}

/** The events of a stream, without the terminator. */
function framesOf(text: string): Frame[] {
  assert.ok(text.endsWith('\n\ndata: [DONE]\n\n'));
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Frame);
}

const start: StreamEvent = { type: 'message-start', id: 'm1', model: 'm' };
const end: StreamEvent = { type: 'message-end', stopReason: 'end', usage: { input: 1, output: 2 } };

const identity = { of: () => 'resp_1' };

function stream(body: object, ...events: readonly StreamEvent[]): Frame[] {
  const encoder = server.encodeStream({ ...server.encodeOptionsOf(body), identity, created: 5 });
  return framesOf([start, ...events, end].map((event) => encoder.push(event)).join(''));
}

function blockEnd(block: Block): StreamEvent {
  return { type: 'block-end', index: 0, block };
}

function responseOf(frame: Frame | undefined): JsonObject {
  return (frame?.['response'] ?? {}) as JsonObject;
}

function typesOf(frames: readonly Frame[]): string[] {
  return frames.map(({ type }) => type.replace('response.', ''));
}

describe('a stream', () => {
  test('repeats the settings of the request, with the defaults of the API', () => {
    const [created] = stream({ model: 'x', temperature: 0.5, instructions: 'Be brief.', reasoning: { effort: 'low' } });
    const response = created?.['response'] as JsonObject;
    assert.deepEqual(
      ['id', 'created_at', 'model', 'temperature', 'instructions', 'top_p', 'tool_choice', 'usage'].map(
        (name) => response[name],
      ),
      ['resp_1', 5, 'm', 0.5, 'Be brief.', 1, 'auto', null],
    );
    assert.deepEqual(response['reasoning'], { effort: 'low', summary: null });
  });

  test('ends with the same output as the plain body', () => {
    const blocks: Block[] = [
      { type: 'reasoning', text: 'Hm', signature: 's' },
      { type: 'text', text: 'Hi', citations: [{ type: 'url_citation', url_citation: { url: 'u', title: 't' } }] },
      { type: 'tool-call', id: 'c', name: 'f', input: { a: 1 } },
      { type: 'tool-call', id: 'd', name: 'g', input: { input: 'x' } },
      { type: 'opaque', origin: { wire: 'openai-responses' }, data: { type: 'web_search_call', id: 'ws_1' } },
      { type: 'opaque', origin: { wire: 'anthropic-messages' }, data: { type: 'other' } },
    ];
    const events = blocks.map((block, index): StreamEvent => ({ type: 'block-end', index, block }));
    const body = { tools: [{ type: 'custom', name: 'g' }] };
    const last = stream(body, ...events).at(-1)?.['response'];
    const options = { ...server.encodeOptionsOf(body), identity, created: 5 };
    assert.deepEqual(server.encodeBody(assemble([start, ...events, end]), options), last);
    const output = (last as JsonObject)['output'] as JsonObject[];
    assert.deepEqual(
      output.map(({ type, id }) => [type, id]),
      [
        ['reasoning', 'rs_1_0'],
        ['message', 'msg_1_1'],
        ['function_call', 'fc_1_2'],
        ['custom_tool_call', 'ctc_1_3'],
        ['web_search_call', 'ws_1'],
      ],
    );
  });

  test('sends the input of a custom tool as text, once its JSON is complete', () => {
    const frames = stream(
      { tools: [{ type: 'custom', name: 'g' }] },
      { type: 'tool-call-start', index: 0, id: 'c', name: 'g' },
      { type: 'tool-call-delta', index: 0, json: '{"input":"a' },
      { type: 'tool-call-delta', index: 0, json: '\\n"}' },
      blockEnd({ type: 'tool-call', id: 'c', name: 'g', input: { input: 'a\n' } }),
    );
    assert.deepEqual(typesOf(frames).slice(2, -1), [
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
    ]);
    assert.equal(frames[3]?.['delta'], 'a\n');
  });

  test('marks an item as incomplete that the token limit cut off', () => {
    const encoder = server.encodeStream();
    const events: StreamEvent[] = [
      start,
      { type: 'tool-call-start', index: 0, id: 'c', name: 'f' },
      { type: 'tool-call-delta', index: 0, json: '{"a' },
      { type: 'message-end', stopReason: 'length', usage: { input: 1, output: 2 } },
    ];
    const frames = framesOf(events.map((event) => encoder.push(event)).join(''));
    const { status, incomplete_details: details, output } = responseOf(frames.at(-1));
    assert.deepEqual(
      [frames.at(-1)?.type, status, details],
      ['response.incomplete', 'incomplete', { reason: 'max_output_tokens' }],
    );
    const [call] = output as JsonObject[];
    assert.deepEqual([call?.['status'], call?.['arguments']], ['incomplete', '{"a']);
  });

  test('fails with an error event and a failed response, numbered after the others', () => {
    const encoder = server.encodeStream({ identity });
    encoder.push(start);
    const [error, failed] = framesOf(encoder.fail(new SimpleAgentsError('rate-limit', 'Slow down.')));
    assert.deepEqual([error?.type, error?.['sequence_number'], error?.['code']], ['error', 2, 'rate_limit_exceeded']);
    const { id, status, error: reason } = responseOf(failed);
    assert.deepEqual([failed?.type, id, status], ['response.failed', 'resp_1', 'failed']);
    assert.deepEqual(reason, { code: 'rate_limit_exceeded', message: 'Slow down.' });
  });
});
