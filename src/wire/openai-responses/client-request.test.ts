// Requests of other wires for the Responses wire: what is translated, refused and reported.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Block } from '../../core/message.ts';
import type { ChatRequest } from '../../core/request.ts';
import { encodeRequest, findUnsupported } from './client-request.ts';
import { decodeRequest } from './server-request.ts';

function request(
  more: Partial<ChatRequest> = {},
  content: readonly Block[] = [{ type: 'text', text: 'Hi' }],
): ChatRequest {
  return { model: 'm', messages: [{ role: 'user', content }], stream: false, ...more };
}

function reasoning(origin: object, more: object = {}): ChatRequest {
  const block: Block = { type: 'reasoning', text: 'Hm', ...origin, ...more };
  return { model: 'm', messages: [{ role: 'assistant', content: [block] }] };
}

describe('a request of another wire', () => {
  test('asks the provider to store nothing, and for encrypted reasoning where the model reasons', () => {
    const plain = encodeRequest(request()).body;
    assert.deepEqual([plain['store'], plain['include']], [false, undefined]);
    const include = ['reasoning.encrypted_content'];
    assert.deepEqual(encodeRequest(request({ model: 'gpt-5.4-mini' })).body['include'], include);
    const { body } = encodeRequest(request({ reasoning: { effort: 'low' } }));
    assert.deepEqual([body['include'], body['reasoning']], [include, { effort: 'low', summary: 'auto' }]);
    const off = encodeRequest(request({ model: 'gpt-5', reasoning: { effort: 'none' } })).body;
    assert.deepEqual([off['include'], off['reasoning']], [undefined, { effort: 'none' }]);
  });

  test('has its first system message as instructions, and a schema that is strict only on request', () => {
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'system', content: [{ type: 'text', text: 'Now.' }] },
    ] as const;
    const tools = [{ name: 'f', inputSchema: { type: 'object' } }];
    const { body } = encodeRequest({ model: 'm', messages, tools });
    assert.equal(body['instructions'], 'Be brief.');
    assert.deepEqual(
      (body['input'] as { role: string }[]).map(({ role }) => role),
      ['user', 'system'],
    );
    assert.deepEqual(body['tools'], [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }]);
  });

  test('is refused with stop sequences, several choices and audio', () => {
    assert.equal(findUnsupported(request({ stop: ['x'] }))?.field, 'stop');
    assert.equal(findUnsupported(request({ choices: 2 }))?.field, 'n');
    assert.equal(findUnsupported(request({}, [{ type: 'audio', format: 'wav', data: 'AA' }]))?.field, 'messages');
    assert.equal(findUnsupported(request()), undefined);
  });

  test('reports a seed, an error flag and a token limit that is too small', () => {
    const result: Block = { type: 'tool-result', callId: 'c', content: [], isError: true };
    const { dropped, body } = encodeRequest(request({ seed: 1, maxTokens: 5 }, [result]));
    assert.deepEqual(dropped.toSorted(), ['isError', 'maxTokens', 'seed']);
    assert.equal(body['max_output_tokens'], 16);
  });

  test('leaves out reasoning that the provider does not know', () => {
    const ours = { origin: { wire: 'openai-responses', provider: 'a' } };
    const options = { provider: 'a' };
    assert.deepEqual(encodeRequest(reasoning(ours, { signature: 's' }), options).body['input'], [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 's' },
    ]);
    for (const unknown of [
      reasoning(ours),
      reasoning({ origin: { wire: 'anthropic-messages' } }, { signature: 's' }),
      reasoning({ origin: { wire: 'openai-responses', provider: 'b' } }, { signature: 's' }),
    ]) {
      assert.deepEqual(encodeRequest(unknown, options).body['input'], []);
    }
  });
});

describe('a request of the same wire', () => {
  test('passes unchanged, with members that are newer than the gateway', () => {
    const body = {
      model: 'm',
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Now.' }], id: 'msg_0' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi', mood: 'good' },
            { type: 'input_image', file_id: 'f', detail: 'low' },
            { type: 'input_file', file_url: 'https://x.test/a.pdf' },
            { type: 'input_video', url: 'x' },
          ],
          id: 'msg_1',
          status: 'completed',
        },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' },
        { type: 'reasoning', id: 'rs_04e5f82662ec74eb_0', summary: [{ type: 'summary_text', text: 't' }] },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'a' }],
          id: 'msg_2',
          phase: 'commentary',
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }], id: 'msg_3' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}', id: 'fc_1', namespace: 'n' },
        { type: 'custom_tool_call', call_id: 'd', name: 'g', input: 'x', id: 'ctc_1' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        { type: 'function_call_output', call_id: 'c', output: 'ok', id: 'fco_1' },
        { type: 'custom_tool_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'ok', extra: 1 }] },
      ],
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object' }, strict: false, defer_loading: true },
        { name: 'g', type: 'custom', description: 'G', format: { type: 'grammar', syntax: 'lark', definition: 's' } },
        { type: 'function', name: 'h', parameters: { type: 'object' } },
        { type: 'function', name: 'i', parameters: { type: 'object' }, strict: null },
        { type: 'function', name: 'j', parameters: { type: 'object' }, strict: true },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] },
      text: { verbosity: 'low', shape: 'round' },
      reasoning: { effort: 'low', context: 'auto' },
      store: true,
      metadata: { a: 'b' },
      brand_new: 1,
      stream: true,
    };
    const { body: encoded, losses } = encodeRequest(decodeRequest(body));
    assert.deepEqual(encoded, body);
    assert.deepEqual(losses, []);
  });
});
