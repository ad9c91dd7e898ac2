// The forms of a request, their conversion, and the errors for invalid ones.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assemble } from '../core/assembler.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { failsWith } from '../../test/support/fails-with.ts';
import { signalOf, toChatRequest, type PromptInput } from './request.ts';

const hi = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const;

const earlier = assemble([{ type: 'message-start', id: 'msg_1', model: 'm' }]);

describe('a request may be', () => {
  const cases: readonly (readonly [what: string, ask: PromptInput, expected: object])[] = [
    ['a prompt', 'Hi', { model: 'm', messages: [hi] }],
    ['messages', [{ role: 'user', content: 'Hi' }], { model: 'm', messages: [hi] }],
    ['messages of blocks', [hi], { model: 'm', messages: [hi] }],
    ['an object with a prompt', { messages: 'Hi' }, { model: 'm', messages: [hi] }],
    [
      'an object with all there is',
      { messages: 'Hi', system: 'Be brief.', model: 'own', maxTokens: 5, seed: 1 },
      {
        model: 'own',
        maxTokens: 5,
        seed: 1,
        messages: [{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] }, hi],
      },
    ],
    [
      'a conversation with an earlier answer in it',
      [{ role: 'user', content: '' }, earlier],
      {
        model: 'm',
        messages: [
          { role: 'user', content: [] },
          { role: 'assistant', content: [] },
        ],
      },
    ],
  ];
  for (const [what, ask, expected] of cases) {
    test(what, () => assert.deepEqual(toChatRequest(ask, 'm', true), { ...expected, stream: true }));
  }

  test('without a model, which means the default', () => {
    assert.equal(toChatRequest('Hi', undefined, false).model, '');
  });
});

describe('a request may not be', () => {
  const cases: readonly (readonly [ask: unknown, message: string])[] = [
    [undefined, 'messages: must be a string or an array'],
    [null, 'messages: must be a string or an array'],
    [7, 'messages: must be a string or an array'],
    [{}, 'messages: must be a string or an array'],
    [[], 'messages: must not be empty'],
    [{ messages: [] }, 'messages: must not be empty'],
    [['Hi'], 'messages[0].role: must be one of system, user, assistant'],
    [[hi, { role: 'tool', content: 'a' }], 'messages[1].role: must be one of system, user, assistant'],
    [[{ role: 'user' }], 'messages[0].content: must be a string or an array of blocks'],
    [
      [{ role: 'user', content: [hi.content[0], { type: 'image_url', image_url: {} }] }],
      'messages[0].content[1].type: must be one of text, image, audio, document, reasoning, tool-call, tool-result, opaque',
    ],
  ];
  for (const [ask, message] of cases) {
    test(JSON.stringify(ask) ?? 'undefined', () => {
      assert.throws(
        () => toChatRequest(ask as PromptInput, 'm', true),
        (error) => {
          assert.ok(error instanceof SimpleAgentsError);
          assert.deepEqual(
            [error.kind, error.message, error.field],
            ['bad-request', message, message.split(': ', 1)[0]],
          );
          return true;
        },
      );
    });
  }
});

test('the signal is not part of the converted request', () => {
  const { signal } = new AbortController();
  assert.equal(signalOf({ messages: 'Hi', signal }), signal);
  assert.equal(signalOf('Hi'), undefined);
  assert.equal('signal' in toChatRequest({ messages: 'Hi', signal }, 'm', true), false);
});

test('an unknown field is an error that names the known one', () => {
  const fields = { messages: 'Hi', max_tokens: 5 };
  assert.throws(
    () => toChatRequest(fields, 'm', true),
    failsWith('bad-request', /^max_tokens: unknown name; did you mean "maxTokens"\?$/),
  );
  const typed = { ...fields, schema: { type: 'object' } };
  assert.throws(() => toChatRequest(typed, 'm', true), failsWith('bad-request', /^max_tokens: unknown name/));
});
