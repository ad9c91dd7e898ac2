// Assembling messages from events: complete, interleaved and cut-off ones, and blocks that are dropped.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assemble, MessageAssembler, parseToolCall } from './assembler.ts';
import type { StreamEvent } from './event.ts';
import type { Block } from './message.ts';
import { noUsage } from './usage.ts';

const start: StreamEvent = { type: 'message-start', id: 'msg_1', model: 'm' };
const end = (stopReason: 'end' | 'length' | 'tool-calls' = 'end'): StreamEvent => ({
  type: 'message-end',
  stopReason,
  usage: { input: 1, output: 2 },
});
const say = (index: number, text: string): StreamEvent => ({ type: 'text-delta', index, text });
const think = (index: number, text: string): StreamEvent => ({ type: 'reasoning-delta', index, text });
const call = (index: number, id: string): StreamEvent => ({ type: 'tool-call-start', index, id, name: 'look' });
const write = (index: number, json: string): StreamEvent => ({ type: 'tool-call-delta', index, json });
const close = (index: number, block: Block): StreamEvent => ({ type: 'block-end', index, block });
const toolCall = (id: string, input: unknown): Block => ({ type: 'tool-call', id, name: 'look', input });

describe('a complete message', () => {
  test('has its id, model, blocks, stop reason and usage', () => {
    const message = assemble([
      start,
      say(0, 'Hel'),
      say(0, 'lo'),
      close(0, { type: 'text', text: 'Hello' }),
      {
        type: 'message-end',
        stopReason: 'stop-sequence',
        providerStopReason: 'stop',
        stopSequence: '!',
        usage: noUsage,
      },
    ]);
    assert.deepEqual(message, {
      role: 'assistant',
      id: 'msg_1',
      model: 'm',
      content: [{ type: 'text', text: 'Hello' }],
      stopReason: 'stop-sequence',
      providerStopReason: 'stop',
      stopSequence: '!',
      usage: noUsage,
      dropped: [],
    });
  });

  test('uses the block ends: deltas may be missing or differ', () => {
    const { content } = assemble([start, say(1, 'draft'), close(1, { type: 'text', text: 'final' }), end()]);
    assert.deepEqual(content, [{ type: 'text', text: 'final' }]);
    assert.deepEqual(assemble([close(0, toolCall('a', 1)), end()]).content, [toolCall('a', 1)]);
  });

  test('orders its blocks by index, whatever order they ended in, and closes gaps', () => {
    const { content } = assemble([
      start,
      call(4, 'b'),
      say(1, 'words'),
      close(4, toolCall('b', {})),
      close(1, { type: 'text', text: 'words' }),
      end(),
    ]);
    assert.deepEqual(
      content.map(({ type }) => type),
      ['text', 'tool-call'],
    );
  });

  test('ignores notices', () => {
    const notice: StreamEvent = { type: 'notice', kind: 'warning', detail: 'odd' };
    assert.deepEqual(assemble([notice, start, notice, end()]).content, []);
  });

  test('contains no empty text and no empty reasoning', () => {
    const { content } = assemble([
      start,
      close(0, { type: 'text', text: '' }),
      close(1, { type: 'reasoning', text: '' }),
      close(2, { type: 'reasoning', text: '', signature: 'signed' }),
      close(3, { type: 'reasoning', text: '', redacted: 'secret' }),
      end(),
    ]);
    assert.deepEqual(content, [
      { type: 'reasoning', text: '', signature: 'signed' },
      { type: 'reasoning', text: '', redacted: 'secret' },
    ]);
  });
});

describe('a message that was cut off', () => {
  test('keeps the text and reasoning so far, and has no stop reason', () => {
    const message = assemble([start, think(0, 'Hm'), close(0, { type: 'reasoning', text: 'Hm' }), say(1, 'I th')]);
    assert.deepEqual(message.content, [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'I th' },
    ]);
    assert.equal('stopReason' in message, false);
    assert.equal(message.usage, noUsage);
  });

  test('drops an incomplete call and reports it', () => {
    const message = assemble([
      start,
      call(0, 'a'),
      write(0, '{}'),
      close(0, toolCall('a', {})),
      call(1, 'b'),
      write(1, '{"c'),
    ]);
    assert.deepEqual(message.content, [toolCall('a', {})]);
    assert.deepEqual(message.dropped, [{ id: 'b', name: 'look', raw: '{"c' }]);
  });

  test('can be read more than once while it grows', () => {
    const assembler = new MessageAssembler();
    assert.deepEqual(assembler.message().content, []);
    for (const event of [start, say(0, 'a')]) assembler.push(event);
    assert.deepEqual(assembler.message().content, [{ type: 'text', text: 'a' }]);
    assembler.push(say(0, 'b'));
    assert.deepEqual(assembler.message().content, [{ type: 'text', text: 'ab' }]);
  });
});

describe('a message that reached its length limit', () => {
  const broken: Block = { type: 'tool-call', id: 'b', name: 'look', input: null, raw: '{"at', error: 'not JSON' };

  test('drops the call whose arguments were cut off', () => {
    const { content, dropped } = assemble([start, close(0, toolCall('a', { at: 1 })), close(1, broken), end('length')]);
    assert.deepEqual(content, [toolCall('a', { at: 1 })]);
    assert.deepEqual(dropped, [{ id: 'b', name: 'look', raw: '{"at' }]);
  });

  test('drops a last call without arguments, because they may have been cut off', () => {
    const events = [start, close(0, toolCall('a', {})), call(1, 'b'), close(1, toolCall('b', {}))];
    assert.deepEqual(assemble([...events, end('length')]).content, [toolCall('a', {})]);
    assert.deepEqual(assemble([...events, end('length')]).dropped, [{ id: 'b', name: 'look', raw: '' }]);
    assert.deepEqual(assemble([...events, end('tool-calls')]).content, [toolCall('a', {}), toolCall('b', {})]);
  });

  test('keeps a last call that is complete', () => {
    assert.deepEqual(assemble([start, close(0, toolCall('a', { at: 1 })), end('length')]).dropped, []);
  });

  test('is the only kind of message that drops a call because of its arguments', () => {
    assert.deepEqual(assemble([start, close(0, broken), end('tool-calls')]).content, [broken]);
  });
});

describe('a block that ends', () => {
  test('consists of its deltas and the details of the wire', () => {
    const assembler = new MessageAssembler();
    for (const event of [say(0, 'a'), say(0, 'b'), think(1, 'c'), call(2, 'd'), write(2, '{"e":'), write(2, '1}')]) {
      assembler.push(event);
    }
    const origin = { wire: 'w' };
    assert.deepEqual(assembler.openIndices, [0, 1, 2]);
    assert.deepEqual(assembler.finish(0, { citations: [{ page: 1 }], origin }), {
      type: 'text',
      text: 'ab',
      citations: [{ page: 1 }],
    });
    assert.deepEqual(assembler.finish(0, { citations: [] }), { type: 'text', text: 'ab' });
    assert.deepEqual(assembler.finish(1, { signature: 's', origin }), {
      type: 'reasoning',
      text: 'c',
      signature: 's',
      origin,
    });
    assert.deepEqual(assembler.finish(2), toolCall('d', { e: 1 }));
    assert.equal(assembler.isOpen(2), true);
    assembler.push(close(2, toolCall('d', { e: 1 })));
    assert.deepEqual(assembler.openIndices, [0, 1]);
  });

  test('is undefined if it is empty and not signed', () => {
    const assembler = new MessageAssembler();
    assert.equal(assembler.finish(0), undefined);
    assert.deepEqual(assembler.finish(0, { signature: 's' }), { type: 'reasoning', text: '', signature: 's' });
    assembler.push(say(1, ''));
    assert.equal(assembler.finish(1), undefined);
  });
});

describe('the arguments of a call', () => {
  const cases: readonly (readonly [raw: string, expected: object])[] = [
    ['{"a":1}', { input: { a: 1 } }],
    [' [1] ', { input: [1] }],
    ['null', { input: null }],
    ['', { input: {} }],
    [' \n', { input: {} }],
    ['{"a":', { input: null, raw: '{"a":', error: 'the arguments are not valid JSON' }],
    ['{a: 1}', { input: null, raw: '{a: 1}', error: 'the arguments are not valid JSON' }],
  ];
  for (const [raw, expected] of cases) {
    test(JSON.stringify(raw), () => {
      assert.deepEqual(parseToolCall('id', 'look', raw), { type: 'tool-call', id: 'id', name: 'look', ...expected });
    });
  }
});
