// When a conversation is trimmed, where it is cut, and what remains of long blocks.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { text, textOf, type Block, type Message } from '../core/message.ts';
import { continuationPrompt, exchangeStarts, goalOf, sizeOf, trim, type ContextState } from './context.ts';

const user = (...content: Block[]): Message => ({ role: 'user', content });
const assistant = (...content: Block[]): Message => ({ role: 'assistant', content });
const call = (id: string, input: unknown = {}): Block => ({ type: 'tool-call', id, name: 'look', input });
const result = (callId: string, words: string): Block => ({ type: 'tool-result', callId, content: [text(words)] });

/** One exchange with a tool, of about this many bytes. */
function exchange(name: string, bytes: number): Message[] {
  const half = 'x'.repeat(bytes / 2);
  return [user(text(`${name} ${half}`)), assistant(call(name)), user(result(name, half)), assistant(text('Done.'))];
}

const to = (bytes: number) => ({ wanted: bytes, most: 1_000_000 });

const state = (more: Partial<ContextState>): ContextState => ({
  window: 200_000,
  overhead: 0,
  reported: 0,
  reportedSize: 0,
  ...more,
});

describe('the gate', () => {
  const small = exchange('a', 1_000);

  test('is 60 % of the window by the provider’s count', () => {
    const size = sizeOf(small);
    assert.equal(goalOf(small, state({ reported: 119_999, reportedSize: size })), undefined);
    assert.notEqual(goalOf(small, state({ reported: 120_000, reportedSize: size })), undefined);
  });

  test('does not look at the size while the count is low', () => {
    const large = exchange('a', 900_000);
    assert.equal(goalOf(large, state({ reported: 50_000, reportedSize: sizeOf(large) })), undefined);
  });

  test('is 720 KB for a window of 200,000 while there is no count', () => {
    assert.equal(goalOf(exchange('a', 719_000), state({})), undefined);
    assert.notEqual(goalOf(exchange('a', 720_000), state({})), undefined);
  });

  test('sees a large result that came since the count', () => {
    const before = exchange('a', 100_000);
    const after = [...before, ...exchange('b', 800_000)];
    const counted = { reported: 25_000, reportedSize: sizeOf(before) };
    assert.equal(goalOf(before, state(counted)), undefined);
    assert.notEqual(goalOf(after, state(counted)), undefined);
  });

  test('counts what goes with every request', () => {
    assert.notEqual(goalOf(small, state({ overhead: 720_000 })), undefined);
  });

  test('does not weigh a picture by its file', () => {
    const picture: Block = {
      type: 'image',
      source: { kind: 'base64', mediaType: 'image/png', data: 'A'.repeat(4_000_000) },
    };
    assert.ok(sizeOf([user(picture)]) < 10_000);
    assert.ok(sizeOf([user({ type: 'tool-result', callId: 'a', content: [picture] })]) < 10_000);
  });
});

describe('trimming', () => {
  const conversation = [...exchange('a', 1_000), ...exchange('b', 1_000), ...exchange('c', 1_000)];

  test('removes complete exchanges, oldest first, and no more than necessary', () => {
    const one = sizeOf(exchange('a', 1_000));
    const { messages, exchanges, removed, blocks } = trim(conversation, to(2 * one + 10));
    assert.deepEqual([exchanges, removed, blocks], [1, 4, 0]);
    assert.deepEqual(messages, conversation.slice(4));
  });

  test('leaves the last exchange, however large', () => {
    assert.deepEqual(trim(conversation, to(10)).messages, conversation.slice(8));
  });

  test('leaves a conversation that is small enough as it is', () => {
    const { messages, removed, blocks } = trim(conversation, to(100_000));
    assert.deepEqual([messages, removed, blocks], [conversation, 0, 0]);
  });

  test('keeps system messages in front', () => {
    const system: Message = { role: 'system', content: [text('Be brief.')] };
    assert.deepEqual(trim([system, ...conversation], to(10)).messages, [system, ...conversation.slice(8)]);
  });

  test('starts no exchange at results or at a continuation prompt', () => {
    const messages = [
      user(text('Go')),
      assistant(call('a')),
      user(result('a', 'done'), text('and this')),
      assistant(text('One')),
      user(text(continuationPrompt)),
      assistant(text('two')),
      user(text('Next')),
    ];
    assert.deepEqual(exchangeStarts(messages), [0, 6]);
  });
});

describe('a block that is too long in the only exchange', () => {
  test('keeps its head and tail, with a marker', () => {
    const long = `head${'x'.repeat(50_000)}tail`;
    const messages = [user(text('Go')), assistant(call('a')), user(result('a', long)), assistant(text('Done.'))];
    const trimmed = trim(messages, to(20_000));
    assert.equal(trimmed.blocks, 1);
    const [block] = trimmed.messages[2]?.content ?? [];
    assert.ok(block?.type === 'tool-result');
    const words = textOf(block.content);
    assert.ok(Buffer.byteLength(words) <= 10_240);
    assert.match(words, /^headx+\n\.\.\. \(cut from 50008 bytes\) \.\.\.\nx+tail$/);
    assert.deepEqual(trim(trimmed.messages, to(100)).messages, trimmed.messages, 'it is not cut again');
  });

  test('is cut between characters', () => {
    for (const character of ['é', '漢', '😀', 'a😀']) {
      const { messages } = trim([user(text(character.repeat(20_000)))], to(100));
      const words = textOf(messages[0]?.content ?? []);
      assert.ok(!words.includes('\uFFFD'), character);
      assert.ok(words.isWellFormed(), character);
      assert.ok(words.startsWith(character) && words.endsWith(character));
    }
  });

  test('of 10 KB is left alone', () => {
    const messages = [user(text('x'.repeat(10_240)))];
    assert.deepEqual(trim(messages, to(100)).messages, messages);
  });

  test('is cut only as far as needed, the oldest first', () => {
    const long = 'x'.repeat(30_000);
    const calls = [call('a'), call('b')];
    const messages = [
      user(text('Go')),
      assistant(...calls),
      user(result('a', long)),
      assistant(call('c')),
      user(result('c', long)),
    ];
    const trimmed = trim(messages, to(45_000));
    assert.equal(trimmed.blocks, 1);
    assert.equal(trimmed.messages[4], messages[4]);
  });

  test('may be the input of a call', () => {
    const input = { path: 'a.txt', lines: ['x'.repeat(30_000), 'short'], count: 3 };
    const { messages, blocks } = trim(
      [user(text('Go')), assistant(call('a', input)), user(result('a', 'ok'))],
      to(100),
    );
    assert.equal(blocks, 1);
    const [cut] = messages[1]?.content ?? [];
    assert.ok(cut?.type === 'tool-call');
    assert.ok(JSON.stringify(cut.input).length < 11_000);
    assert.deepEqual({ ...(cut.input as object), lines: [] }, { ...input, lines: [] });
  });

  test('is cut shorter where all else would not fit the window', () => {
    const messages = [user(text('Go')), assistant(call('a')), user(result('a', 'x'.repeat(9_000)))];
    assert.equal(trim(messages, { wanted: 100, most: 20_000 }).blocks, 0);
    const { messages: cut } = trim(messages, { wanted: 100, most: 3_000 });
    assert.ok(sizeOf(cut) < 3_000);
  });
});
