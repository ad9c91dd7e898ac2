// The invariants of the conversation, and the repair of conversations that break them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linesOf } from '../../test/support/agent-model.ts';
import { text, type Block, type Message } from '../core/message.ts';
import { History, type HistoryChange } from './history.ts';
import { repairHistory } from './repair.ts';

const user = (...content: (Block | string)[]): Message => ({ role: 'user', content: content.map(toBlock) });
const assistant = (...content: (Block | string)[]): Message => ({ role: 'assistant', content: content.map(toBlock) });
const call = (id: string): Block => ({ type: 'tool-call', id, name: 'look', input: {} });
const result = (callId: string, words = 'seen'): Block => ({ type: 'tool-result', callId, content: [text(words)] });

function toBlock(block: Block | string): Block {
  return typeof block === 'string' ? text(block) : block;
}

const repaired = (...messages: Message[]) => repairHistory(messages).messages.flatMap(linesOf);

describe('a conversation that was loaded', () => {
  const valid = [
    user('Hi'),
    assistant('I look', call('a'), call('b')),
    user(result('a'), result('b')),
    assistant('So.'),
  ];

  test('is left as it is when it is valid', () => {
    assert.deepEqual(repairHistory(valid), { messages: valid, problems: [] });
    assert.deepEqual(repairHistory([]), { messages: [], problems: [] });
  });

  test('gets results for calls that have none', () => {
    const noResult = '[No result: the tool call was interrupted]';
    assert.deepEqual(repaired(user('Hi'), assistant(call('a'), call('b')), user(result('b'), 'Well?')), [
      'user: Hi',
      'assistant: a = look({})',
      'assistant: b = look({})',
      `user: a → ${noResult}`,
      'user: b → seen',
      'user: Well?',
    ]);
    assert.deepEqual(repaired(user('Hi'), assistant(call('a'))).at(-1), `user: a → ${noResult}`);
    assert.deepEqual(repairHistory([user('Hi'), assistant(call('a'))]).problems, ['a tool call had no result']);
  });

  test('loses results that have no call', () => {
    const messages = [user('Hi'), assistant('Hello.'), user(result('x'), 'More')];
    assert.deepEqual(repaired(...messages), ['user: Hi', 'assistant: Hello.', 'user: More']);
    assert.deepEqual(repairHistory(messages).problems, ['a tool result had no call']);
  });

  test('has results in call order, before anything else', () => {
    const lines = repaired(
      user('Hi'),
      assistant(call('a'), call('b')),
      user('Well?', result('b', '2'), result('a', '1')),
    );
    assert.deepEqual(lines.slice(3), ['user: a → 1', 'user: b → 2', 'user: Well?']);
  });

  test('takes turns', () => {
    const messages = [
      assistant('Welcome.'),
      user('Hi'),
      user('there'),
      assistant(' '),
      assistant('Hello.'),
      assistant('!'),
    ];
    const fixed = repairHistory(messages).messages;
    assert.deepEqual(
      fixed.map(({ role }) => role),
      ['user', 'assistant', 'user', 'assistant'],
    );
    assert.deepEqual(fixed.slice(2).flatMap(linesOf), ['user: Hi', 'user: there', 'assistant: Hello.', 'assistant: !']);
  });

  test('has nothing blank and no thought at the end of an answer', () => {
    const thought: Block = { type: 'reasoning', text: 'hm' };
    const { messages, problems } = repairHistory([
      user('Hi', ' '),
      assistant(thought),
      user('Well?'),
      assistant(thought, 'Yes', thought),
    ]);
    assert.deepEqual(messages.flatMap(linesOf), ['user: Hi', 'user: Well?', 'assistant: reasoning', 'assistant: Yes']);
    assert.equal(problems.length, 1);
  });

  test('has each id once', () => {
    const twice = [
      assistant(call('a')),
      user(result('a')),
      assistant(call('a'), call('a')),
      user(result('a', 'again')),
    ];
    assert.deepEqual(repaired(user('Hi'), ...twice).slice(1), [
      'assistant: a = look({})',
      'user: a → seen',
      'assistant: a_2 = look({})',
      'user: a_2 → again',
    ]);
  });

  test('has system messages in front', () => {
    const system: Message = { role: 'system', content: [text('Be brief.')] };
    assert.deepEqual(repaired(user('Hi'), system, assistant('Hello.')), [
      'system: Be brief.',
      'user: Hi',
      'assistant: Hello.',
    ]);
  });
});

describe('a conversation', () => {
  test('that was left open is closed before the next prompt', () => {
    const history = new History([user('Hi'), assistant(call('a')), user(result('a'))]);
    history.addPrompt([text('Well?')]);
    assert.deepEqual(history.messages.flatMap(linesOf).slice(3), ['assistant: [Interrupted]', 'user: Well?']);
  });

  test('tells of its changes, and an observer that fails does no harm', () => {
    const changes: HistoryChange['type'][] = [];
    const history = new History([], ({ type }) => {
      changes.push(type);
      throw new Error('the disk is full');
    });
    history.addPrompt([text('Hi')]);
    history.addResponse([text('Hello.')]);
    history.replace([]);
    assert.deepEqual(changes, ['append', 'append', 'replace']);
  });
});
