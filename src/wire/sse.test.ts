// Server-sent events: every line end, every cut, and malformed input.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SimpleAgentsError } from '../core/error.ts';
import { encodeSse, SseReader } from './sse.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** Each event as `name:data`. */
function read(chunks: Iterable<Uint8Array>): string[] {
  const events: string[] = [];
  const reader = new SseReader({ onEvent: ({ event, data }) => void events.push(`${event ?? ''}:${data}`) });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return events;
}

describe('events are read', () => {
  const cases: readonly (readonly [what: string, text: string, expected: readonly string[]])[] = [
    ['with line feeds', 'event: a\ndata: 1\n\ndata: 2\n\n', ['a:1', ':2']],
    ['with carriage returns', 'event: a\rdata: 1\r\rdata: 2\r\r', ['a:1', ':2']],
    ['with both', 'event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n', ['a:1', ':2']],
    ['with a byte-order mark before them', '\uFEFFdata: 1\n\n', [':1']],
    ['but not with such a mark before a later one', 'data: 1\n\n\uFEFFdata: 2\n\ndata: 3\n\n', [':1', ':3']],
    ['plain and with names in turns', 'data: 1\n\nevent: a\ndata: 2\n\ndata: 3\n\n', [':1', 'a:2', ':3']],
    ['plain ones before one in several lines', 'data: 1\n\ndata: 2\ndata: 3\n\n', [':1', ':2\n3']],
    ['without the space after the colon', 'data:1\n\n', [':1']],
    ['in several lines', 'data: 1\ndata: 2\n\n', [':1\n2']],
    ['among comments, ids, times and unknown fields', ': hi\nid: 7\nretry: 1\nx: y\ndata: 1\n\n', [':1']],
    ['without their last empty line', 'data: 1\n', [':1']],
    ['without any line end', 'data: 1', [':1']],
    ['but not without data', 'event: a\n\n\n\n: hi\n\n', []],
    ['but not with empty data, which some servers send to keep alive', 'data:\n\ndata: \n\ndata: 1\n\n', [':1']],
    ['in any language', 'data: 你好 👋🏽\n\n', [':你好 👋🏽']],
  ];
  for (const [what, text, expected] of cases) {
    test(what, () => {
      const whole = bytes(text);
      assert.deepEqual(read([whole]), expected);
      assert.deepEqual(read(Array.from(whole, (byte) => Uint8Array.of(byte))), expected);
      for (let at = 0; at <= whole.length; at++) {
        assert.deepEqual(read([whole.subarray(0, at), whole.subarray(at)]), expected, `cut at byte ${at}`);
      }
    });
  }

  test('with replacement characters for invalid UTF-8, wherever it is cut', () => {
    const whole = bytes('\uFEFFdata: é東🦊\n\ndata: ?|?\ndata: 🦊\r\n\r\ndata: last');
    // An incomplete character, with an ASCII byte after it.
    whole[whole.indexOf(0x3f)] = 0xf0;
    whole[whole.lastIndexOf(0x3f)] = 0xe6;
    const expected = [':é東🦊', ':\uFFFD|\uFFFD\n🦊', ':last'];
    for (let first = 0; first <= whole.length; first++) {
      for (let second = first; second <= whole.length; second++) {
        const chunks = [whole.subarray(0, first), whole.subarray(first, second), whole.subarray(second)];
        assert.deepEqual(read(chunks), expected, `cut at ${first} and ${second}`);
      }
    }
  });

  test('as they were encoded, whatever the data', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 9 }), (values, size) => {
        const texts = values.map((value) => JSON.stringify(value));
        const stream = bytes(
          texts.map((text, index) => encodeSse(text, index % 2 === 0 ? 'even' : undefined)).join(''),
        );
        const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
          stream.subarray(index * size, (index + 1) * size),
        );
        assert.deepEqual(
          read(chunks),
          texts.map((text, index) => (index % 2 === 0 ? `even:${text}` : `:${text}`)),
        );
      }),
    );
  });
});

test('an event that is too large is an error, however it is cut', () => {
  const reader = new SseReader({ onEvent: () => assert.fail('no event is whole') });
  const piece = bytes('x'.repeat(1024 * 1024));
  reader.push(bytes('data: '));
  assert.throws(
    () => {
      for (let count = 0; count < 17; count++) reader.push(piece);
    },
    (error) => error instanceof SimpleAgentsError && error.kind === 'bad-response' && /larger than/.test(error.message),
  );
});

test('a malformed line is reported; unknown fields and comments are ignored', () => {
  const lines: string[] = [];
  const reader = new SseReader({ onEvent: () => undefined, onMalformedLine: (line) => void lines.push(line) });
  reader.push(bytes(': comment\nretry: 5\nid: 1\nother: x\nnothing\ndata: 1\n\n'));
  assert.deepEqual(lines, []);
  for (const line of ['{"type":"x"}', 'dat{"a":1}', 'not an event', '<html>', '\u0000\u0001', ' data: 1']) {
    reader.push(bytes(`${line}\n\n`));
    assert.equal(lines.pop(), line);
  }
});
