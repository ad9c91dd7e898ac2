// A response that passes with other ids: nothing but the ids changes, wherever its bytes are cut.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { IdFrames, passBody } from './pass-ids.ts';

const identity = { of: (own = 'none') => `signed-${own}`, previous: 'signed-before' };

function pass(text: string, cut: number): string {
  const bytes = new TextEncoder().encode(text);
  const frames = new IdFrames(identity);
  const parts = [frames.push(bytes.subarray(0, cut)), frames.push(bytes.subarray(cut)), frames.end()];
  return parts.map((part) => new TextDecoder().decode(part)).join('');
}

const odd = '"metadata":{"id":"resp_1","n":1.0},"text" : "\\"id\\":\\"resp_1\\" \u2028 ü","output":[{"id":"resp_1"}]';
const streamed = [
  `event: response.created\ndata: {"type":"response.created","response":{${odd},"id" : "resp_1","previous_response_id":null}}\n\n`,
  ': a comment with "response"\n\n',
  'data: {"type":"response.output_text.delta","item_id":"resp_1","delta":"\\"response\\":{\\"id\\":\\"resp_1\\"}"}\n\n',
  'event: response.in_progress\r\ndata:{"response":{"id":"resp_1",\r\ndata:"previous_response_id":"resp_0"},\r\ndata: "id":"resp_1"}\r\n\r\n',
].join('');

const expected = `${streamed}data: [DONE]\n\n`
  .replace(
    '"id" : "resp_1","previous_response_id":null',
    '"id" : "signed-resp_1","previous_response_id":"signed-before"',
  )
  .replace('{"response":{"id":"resp_1"', '{"response":{"id":"signed-resp_1"')
  .replace('"previous_response_id":"resp_0"', '"previous_response_id":"signed-before"');

test('in a stream, only the ids of the response are replaced, wherever it is cut', () => {
  assert.equal(expected.split('signed-').length, 5);
  const { length } = new TextEncoder().encode(streamed);
  for (let cut = 0; cut <= length; cut++) assert.equal(pass(streamed, cut), expected, `cut at ${cut}`);
});

test('in a plain body, only the ids of the response are replaced', () => {
  const body = `{ ${odd}, "id": "resp_1", "previous_response_id": "resp_0" }\n`;
  const passed = new TextDecoder().decode(passBody(new TextEncoder().encode(body), identity));
  assert.equal(passed, `{ ${odd}, "id": "signed-resp_1", "previous_response_id": "signed-before" }\n`);
});
