// The part that all stream decoders share: events until taken, a failure after them, and invalid input that is
// reported as the provider's error, never as an internal one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StreamEvent } from '../core/event.ts';
import { anthropicMessages } from './anthropic-messages/client.ts';
import { cutError, decoderOf, EventSink, type StreamMachine } from './decoder.ts';
import { openaiChat } from './openai-chat/client.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A wire whose events are words: `end` ends, `fail` fails, `throw` throws, anything else is text. */
class Words implements StreamMachine {
  readonly sink = new EventSink();

  onData(data: string): void {
    const word = JSON.parse(data) as string;
    if (word === 'throw') throw new TypeError('cannot read properties of nothing');
    if (word === 'fail') this.sink.failure = cutError();
    else if (word === 'end') this.#close();
    else this.sink.emit({ type: 'text-delta', index: 0, text: word });
  }

  onEnd(): void {
    this.sink.failure = cutError();
  }

  #close(): void {
    this.sink.finishBlock(0);
    this.sink.emit({ type: 'message-end', stopReason: 'end', usage: { input: 0, output: 0 } });
    this.sink.done = true;
  }
}

const frames = (...words: string[]) => bytes(words.map((word) => `data: ${JSON.stringify(word)}\n\n`).join(''));
const types = (events: StreamEvent[]) => events.map(({ type }) => type);

describe('a decoder', () => {
  test('returns the events of each chunk once', () => {
    const decoder = decoderOf(new Words());
    assert.deepEqual(types(decoder.push(frames('a', 'b'))), ['text-delta', 'text-delta']);
    assert.deepEqual(decoder.push(bytes('')), []);
    assert.deepEqual(types(decoder.push(frames('end'))), ['block-end', 'message-end']);
    assert.equal(decoder.done, true);
  });

  test('ignores input once it is done, and ending it changes nothing', () => {
    const decoder = decoderOf(new Words());
    assert.deepEqual(types(decoder.push(frames('end', 'a', 'fail'))), ['message-end']);
    assert.deepEqual([...decoder.push(frames('b')), ...decoder.end()], []);
    assert.equal(decoder.failure, undefined);
  });

  test('returns the events before a failure, and nothing after it', () => {
    const decoder = decoderOf(new Words());
    assert.deepEqual(types(decoder.push(frames('a', 'fail', 'b'))), ['text-delta']);
    assert.equal(decoder.failure?.kind, 'network');
    assert.deepEqual([...decoder.push(frames('c', 'end')), ...decoder.end()], []);
    assert.equal(decoder.done, false);
  });

  test('reports a cut at the end, also in the middle of an event', () => {
    for (const rest of ['', 'da', 'data: "ha', 'data: "b"\n']) {
      const decoder = decoderOf(new Words());
      decoder.push(bytes(`data: "a"\n\n${rest}`));
      decoder.end();
      assert.equal(decoder.failure?.kind, 'network', rest);
    }
  });

  test('reports an event that is not JSON as a cut, with an excerpt', () => {
    for (const before of ['', 'data: "a"\n\n']) {
      const decoder = decoderOf(new Words());
      decoder.push(bytes(`${before}data: <html>${'x'.repeat(1000)}\n\n`));
      assert.equal(decoder.failure?.kind, 'network');
      assert.match(decoder.failure.message, /^the stream was cut: an event is not JSON: <html>x{50,100}$/);
    }
  });

  test('reports a malformed line as a cut', () => {
    const decoder = decoderOf(new Words());
    assert.equal(decoder.push(bytes('data: "a"\n\n{"x": 1}\n\ndata: "b"\n\n')).length, 1);
    assert.equal(decoder.failure?.message, 'the stream was cut: a line is not a server-sent event: {"x": 1}');
    assert.equal(decoder.failure.retryable, true);
  });

  test('reports an event of another shape as a cut, and as a bad response if it is the first', () => {
    for (const [before, kind] of [
      ['a', 'network'],
      [undefined, 'bad-response'],
    ] as const) {
      const decoder = decoderOf(new Words());
      decoder.push(frames(...(before === undefined ? [] : [before]), 'throw'));
      assert.equal(decoder.failure?.kind, kind);
      assert.match(decoder.failure.message, /not have the .*shape.*"throw"/);
      assert.ok(decoder.failure.cause instanceof TypeError);
    }
  });
});

describe('the sink', () => {
  test('starts a tool call once, and warns of the second', () => {
    const sink = new EventSink();
    assert.equal(sink.startToolCall(0, 'a', 'look'), true);
    assert.equal(sink.startToolCall(1, 'a', 'look'), false);
    assert.equal(sink.toolCallCount, 1);
    assert.deepEqual(types(sink.take()), ['tool-call-start', 'notice']);
    assert.deepEqual(sink.openIndices, [0]);
  });

  test('does not end an empty block', () => {
    const sink = new EventSink();
    sink.finishBlock(3);
    assert.deepEqual(sink.take(), []);
  });
});

describe('whatever a provider sends', () => {
  const shapes = [
    'null',
    '7',
    '"words"',
    '[]',
    '[null]',
    '{}',
    '{"type":null}',
    '{"type":"message_start","message":null}',
    '{"type":"content_block_start","index":0,"content_block":null}',
    '{"type":"content_block_delta","index":0,"delta":null}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}',
    '{"type":"content_block_stop","index":99}',
    '{"type":"message_delta","delta":null,"usage":null}',
    '{"type":"error"}',
    '{"type":"error","error":null}',
    '{"type":"error","error":"words"}',
    '{"choices":null}',
    '{"choices":{}}',
    '{"choices":[null]}',
    '{"choices":[{"delta":null}]}',
    '{"choices":[{"delta":{"tool_calls":[null]}}]}',
    '{"choices":[{"delta":{"tool_calls":{}}}]}',
    '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":null}]}}]}',
    '{"choices":[{"delta":{"content":7}}]}',
    '{"choices":[{"delta":{"reasoning_details":[null]}}]}',
    '{"choices":[{"delta":{"annotations":{}}}]}',
    '{"error":7}',
    '{"error":[]}',
    '{"usage":7,"choices":[]}',
  ];

  for (const wire of [anthropicMessages, openaiChat]) {
    for (const shape of shapes) {
      test(`${wire.name} never reports an internal error: ${shape}`, () => {
        const decoder = wire.decodeStream();
        const scanner = wire.scanStream();
        decoder.push(bytes(`data: ${shape}\n\n`));
        decoder.end();
        scanner.push(bytes(`data: ${shape}\n\n`));
        scanner.end();
        for (const kind of [decoder.failure?.kind, scanner.failure?.kind]) {
          assert.ok(kind === 'network' || kind === 'upstream' || kind === 'bad-response', `it is ${kind}`);
        }
        assert.throws(
          () => wire.decodeBody(JSON.parse(shape)),
          (error: { kind?: string }) => error.kind === 'bad-response' || error.kind === 'upstream',
        );
        assert.equal(typeof wire.decodeError(JSON.parse(shape)).message, 'string');
      });
    }
  }
});
