// The replay of a stored response: a client that reads its events gets the response that was stored.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { StreamEvent } from '../../core/event.ts';
import type { JsonObject } from '../../core/json.ts';
import { openaiResponses as client } from './client.ts';
import { replayFrames } from './replay.ts';

const output: JsonObject[] = [
  { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'secret' },
  {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'Yes', annotations: [{ type: 'url_citation', url: 'https://a' }], logprobs: [] },
      { type: 'refusal', refusal: 'No' },
    ],
  },
  { id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
  { id: 'ctc_1', type: 'custom_tool_call', status: 'completed', call_id: 'c2', name: 'g', input: 'text' },
  { id: 'ws_1', type: 'web_search_call', status: 'completed' },
  { id: 'rs_2', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Open' }] },
];
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output, usage };

function decode(frames: Iterable<string>): StreamEvent[] {
  const decoder = client.decodeStream();
  const events = [...frames].flatMap((frame) => decoder.push(new TextEncoder().encode(frame)));
  return [...events, ...decoder.end()];
}

function blocksOf(events: readonly StreamEvent[]): StreamEvent[] {
  return events.filter(({ type }) => type === 'block-end');
}

function dataOf(frame: string): JsonObject {
  return JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '') as JsonObject;
}

test('the events of a replay have the content of the response', () => {
  const streamed = decode(replayFrames(response));
  const plain = client.decodeBody(response);
  assert.deepEqual(blocksOf(streamed), blocksOf(plain));
  assert.deepEqual(streamed.at(-1), plain.at(-1));
  assert.equal(blocksOf(streamed).length, 7);
});

test('events are numbered from 0, items begin empty, and the last event has the stored response', () => {
  const frames = [...replayFrames(response)];
  assert.equal(frames.pop(), 'data: [DONE]\n\n');
  const events = frames.map(dataOf);
  assert.deepEqual(
    events.map((event) => event['sequence_number']),
    events.map((_event, index) => index),
  );
  const begun = events
    .filter(({ type }) => type === 'response.output_item.added')
    .map(({ item }) => item as JsonObject);
  assert.deepEqual(
    [begun[0]?.['summary'], begun[0]?.['encrypted_content'], begun[1]?.['content'], begun[2]?.['arguments']],
    [[], undefined, [], ''],
  );
  const [created] = events;
  assert.equal(created?.['type'], 'response.created');
  assert.deepEqual(created['response'], { ...(created['response'] as JsonObject), status: 'in_progress', output: [] });
  assert.deepEqual([events.at(-1)?.['type'], events.at(-1)?.['response']], ['response.completed', response]);
});

test('an incomplete response ends as such', () => {
  const frames = [...replayFrames({ ...response, status: 'incomplete' })];
  assert.equal(dataOf(frames.at(-2) ?? '')['type'], 'response.incomplete');
});
