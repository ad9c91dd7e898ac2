// Roles alternate, whatever happens to a turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assemble, type AssembledMessage } from '../../../core/assembler.ts';
import { text, type Block } from '../../../core/message.ts';
import { Conversation } from './conversation.ts';

const answer = (...content: Block[]): AssembledMessage => ({ ...assemble([]), content });
const rolesOf = ({ messages }: Conversation) => messages.map(({ role }) => role);

test('a turn is added with its response', () => {
  const conversation = new Conversation();
  assert.deepEqual(conversation.asking('One?'), [{ role: 'user', content: [text('One?')] }]);
  assert.deepEqual(conversation.messages, []);
  conversation.record('One?', answer(text('One.')));
  assert.deepEqual(rolesOf(conversation), ['user', 'assistant']);
  assert.equal(conversation.asking('Two?').length, 3);
});

test('a turn without a response leaves no trace', () => {
  const conversation = new Conversation();
  conversation.record('One?', answer());
  conversation.record('Two?', answer({ type: 'tool-call', id: '1', name: 'x', input: {} }));
  conversation.recordPartial('Three?', answer({ type: 'reasoning', text: 'Hm' }));
  assert.deepEqual(conversation.messages, []);
});

test('the text of a stopped response is kept', () => {
  const conversation = new Conversation();
  conversation.recordPartial('One?', answer({ type: 'reasoning', text: 'Hm' }, text('On')));
  assert.deepEqual(conversation.messages[1], { role: 'assistant', content: [text('On')] });
});

test('clear removes the messages and keeps the system prompt', () => {
  const conversation = new Conversation('Be brief.');
  conversation.record('One?', answer(text('One.')));
  conversation.clear();
  assert.deepEqual([conversation.messages, conversation.system], [[], 'Be brief.']);
});
