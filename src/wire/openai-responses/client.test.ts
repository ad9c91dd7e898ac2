// Plain bodies, errors and the details of streams that no cassette has.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { SimpleAgentsError } from '../../core/error.ts';
import { openaiResponses as client } from './client.ts';

function kindOf(body: unknown): string {
  try {
    client.decodeBody(body);
    return 'none';
  } catch (error) {
    return error instanceof SimpleAgentsError ? error.kind : 'other';
  }
}

function parts(type: string): object[] {
  return ['a', 'b'].map((text) => ({ type, text }));
}

describe('a plain body', () => {
  test('with an error or without output is an error', () => {
    assert.equal(kindOf({ output: [], status: 'failed', error: { code: 'server_error', message: 'x' } }), 'upstream');
    assert.equal(
      kindOf({ output: [], status: 'failed', error: { code: 'invalid_image', message: 'x' } }),
      'bad-request',
    );
    assert.equal(kindOf({ error: { code: 'rate_limit_exceeded', message: 'x' } }), 'rate-limit');
    assert.equal(kindOf({ output: [], status: 'cancelled' }), 'upstream');
    for (const body of [{}, { output: 'x' }, [], 'x', null]) assert.equal(kindOf(body), 'bad-response');
  });

  test('of a background response pauses', () => {
    const events = client.decodeBody({ id: 'resp_1', model: 'm', status: 'queued', output: [] });
    const end = events.at(-1);
    assert.deepEqual([end?.type, end?.type === 'message-end' && end.stopReason], ['message-end', 'pause']);
  });

  test('has several parts of a message and of reasoning', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: parts('summary_text'), content: parts('reasoning_text') },
      { type: 'message', content: parts('output_text') },
    ];
    const ends = client.decodeBody({ output }).flatMap((event) => (event.type === 'block-end' ? [event.block] : []));
    assert.deepEqual(
      ends.map((block) => (block.type === 'text' || block.type === 'reasoning' ? block.text : '')),
      ['a\n\nb\n\na\n\nb', 'a', 'b'],
    );
  });
});

describe('an error response', () => {
  test('is read with and without its envelope', () => {
    const error = { message: 'No.', type: 'invalid_request_error', param: 'input', code: 'invalid_value' };
    for (const body of [{ error }, error]) {
      const { message, field, code } = client.decodeError(body);
      assert.deepEqual([message, field, code], ['No.', 'input', 'invalid_value']);
    }
    assert.match(client.decodeError('x').message, /without a message/);
  });
});
