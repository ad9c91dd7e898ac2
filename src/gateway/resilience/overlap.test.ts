// The overlap of a text that was cut off and its continuation.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { OverlapCutter } from './overlap.ts';

function join(delivered: string, pieces: readonly string[]): string {
  const cutter = new OverlapCutter(delivered);
  return delivered + pieces.map((piece) => cutter.push(piece)).join('') + cutter.end();
}

describe('a continuation', () => {
  const cases: readonly (readonly [delivered: string, continuation: string, expected: string])[] = [
    ['The quick brown', ' fox', 'The quick brown fox'],
    ['The quick bro', 'wn fox', 'The quick brown fox'],
    ['The quick bro', 'brown fox', 'The quick brown fox'],
    ['The quick brown', 'brown fox', 'The quick brown fox'],
    ['The quick brown', 'quick brown fox', 'The quick brown fox'],
    ['The quick brown', 'The quick brown fox', 'The quick brown fox'],
    ['The quick brown', 'The quick brown', 'The quick brown'],
    ['The ', 'The quick', 'The quick'],
    ['It is a ', 'is a fox', 'It is a fox'],
    ['1, 2', '1, 2, 3', '1, 2, 3'],
    ['The tre', 'e house', 'The tree house'],
    ['8, 9, 10, 1', '1, 12, 13', '8, 9, 10, 11, 12, 13'],
    ['1, 2, 3, ', '4, 5', '1, 2, 3, 4, 5'],
    ['9, 10, 11', '10, 11, 12', '9, 10, 11, 12'],
    ['| a | b |\n|---|', '---|\n', '| a | b |\n|---|---|\n'],
    ['if x:\n    ', '    y()', 'if x:\n        y()'],
    ['Line one.\n', '\nLine two.', 'Line one.\n\nLine two.'],
    ['', 'All of it', 'All of it'],
    ['Grüße aus Kö', 'Köln', 'Grüße aus Köln'],
  ];
  for (const [delivered, continuation, expected] of cases) {
    test(`${JSON.stringify(delivered)} + ${JSON.stringify(continuation)}`, () => {
      assert.equal(join(delivered, [continuation]), expected);
      assert.equal(join(delivered, continuation.split('')), expected);
    });
  }

  test('is held back only while it may be a repetition', () => {
    const cutter = new OverlapCutter('one two three');
    assert.equal(cutter.push('t'), '');
    assert.equal(cutter.push('wo t'), '');
    assert.equal(cutter.push('hree'), '');
    assert.equal(cutter.push(' four'), ' four');
    assert.equal(cutter.push('t'), 't');
  });

  test('of any length, in any pieces, yields the text once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 600 }),
        fc.oneof(fc.constant(0), fc.integer({ min: 4, max: 300 })),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (at, overlap, sizes) => {
          const continuation = unique.slice(Math.max(0, at - overlap));
          const pieces: string[] = [];
          for (let from = 0, turn = 0; from < continuation.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            pieces.push(continuation.slice(from, from + size));
            from += size;
          }
          assert.equal(join(unique.slice(0, at), pieces), unique);
        },
      ),
    );
  });
});

/** 2400 characters in which no sequence of four repeats: the numbers from 1000, in letters. */
const unique = Array.from({ length: 600 }, (_, number) =>
  String(1000 + number).replace(/./g, (digit, place: number) =>
    String.fromCodePoint(0x4e00 + 10 * place + Number(digit)),
  ),
).join('');
