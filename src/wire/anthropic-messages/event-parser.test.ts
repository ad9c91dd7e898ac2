// The fast parsing of plain deltas gives the same results and errors as `JSON.parse`.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { parseEvent } from './event-parser.ts';

describe('parseEvent', () => {
  const members = [
    ['text_delta', 'text'],
    ['input_json_delta', 'partial_json'],
    ['thinking_delta', 'thinking'],
    ['signature_delta', 'signature'],
    ['text_delta', 'thinking'],
  ] as const;

  test('parses any delta as JSON.parse does', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.json());
    const padding = fc.nat(12);
    fc.assert(
      fc.property(fc.constantFrom(...members), texts, fc.nat(200), padding, ([type, member], text, index, blanks) => {
        const delta = { type, [member]: text };
        const data = JSON.stringify({ type: 'content_block_delta', index, delta });
        assertSame(`${data.slice(0, -1)}${' '.repeat(blanks)}}`);
      }),
    );
  });

  test('parses what is nearly a plain delta as JSON.parse does', () => {
    assertSame('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","text":"b"}}');
    assertSame('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","more":1}}');
    assertSame('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"},"index":1}');
    assertSame('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}');
    assertSame('{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}');
    assertSame('{"type":"content_block_delta","index":null,"delta":{"type":"text_delta","text":"a"}}');
    assertSame('{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}');
    assertSame('{"type":"content_block_stop","index":0   }');
  });

  test('throws for text that is not JSON', () => {
    const valid = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}';
    const invalid = [
      ...Array.from({ length: valid.length }, (_, end) => valid.slice(0, end)),
      `${valid}}`,
      valid.replace(':0', ':00'),
      valid.replace('"a"', '"\t"'),
      valid.replace('"a"', String.raw`"\"`),
      valid.replace('"a"', String.raw`"\x"`),
    ];
    for (const data of invalid) assert.throws(() => parseEvent(data), SyntaxError, data);
  });
});

function assertSame(data: string): void {
  assert.deepEqual(parseEvent(data), JSON.parse(data));
}
