// Exact replacement, whatever the line endings of the file are.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { unify, Unified } from './line-ending.ts';
import { replaceIn } from './replacement.ts';

const once = (original: string, oldText: string, newText: string) =>
  replaceIn(original, { oldText, newText, isEverywhere: false, longest: 1_000 });
const everywhere = (original: string, oldText: string, newText: string) =>
  replaceIn(original, { oldText, newText, isEverywhere: true, longest: 1_000 });

describe('a replacement', () => {
  const rows: readonly (readonly [name: string, original: string, old: string, fresh: string, result: string])[] = [
    ['in one line', 'a\nb\nc\n', 'b', 'B', 'a\nB\nc\n'],
    ['over lines of a file with CRLF', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny', 'x\r\ny\r\nc\r\n'],
    ['of one line by two in a file with CRLF', 'a\r\nb\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\n'],
    ['given with CRLF in a file with LF', 'a\nb\n', 'a\r\nb', 'x', 'x\n'],
    ['given with CRLF on both sides', 'a\r\nb\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\n'],
    ['in a mixed file, by the lines it replaces', 'a\r\nb\r\nc\nd\n', 'c\nd', 'x\ny', 'a\r\nb\r\nx\ny\n'],
    ['at the end without a line break', 'a\r\nb', 'b', 'x\ny', 'a\r\nx\r\ny'],
    ['that deletes', 'a\r\nb\r\nc', 'b\n', '', 'a\r\nc'],
    ['that keeps a lone carriage return', 'a\rb\nc', 'c', 'd', 'a\rb\nd'],
    ['with patterns of replace in it', 'a', 'a', '$& $1 $$', '$& $1 $$'],
  ];
  for (const [name, original, old, fresh, result] of rows) {
    test(name, () => assert.deepEqual(once(original, old, fresh), { kind: 'done', text: result, count: 1 }));
  }

  test('is ambiguous when there are several, also when they overlap', () => {
    assert.deepEqual(once('x\naa\naa\n', 'aa', 'b'), { kind: 'ambiguous', lines: [2, 3], count: 2 });
    assert.deepEqual(once('aaa', 'aa', 'b'), { kind: 'ambiguous', lines: [1], count: 2 });
    assert.deepEqual(everywhere('aaa', 'aa', 'b'), { kind: 'done', text: 'ba', count: 1 });
    assert.deepEqual(everywhere('a\r\na\r\n', 'a\n', 'b\n'), { kind: 'done', text: 'b\r\nb\r\n', count: 2 });
  });

  test('is not made when it would be too long', () => {
    assert.deepEqual(everywhere('a'.repeat(100), 'a', 'b'.repeat(20)), { kind: 'too-large', count: 100 });
    assert.equal(everywhere('a'.repeat(100), 'a', 'b'.repeat(10)).kind, 'done');
  });

  test('is missing when it is not there exactly', () => assert.deepEqual(once('a b', 'a  b', ''), { kind: 'missing' }));

  test('finds the way back from unified line breaks', () => {
    const text = fc.array(fc.constantFrom('a', '\n', '\r\n', '\r'), { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (original, first, second) => {
        const unified = new Unified(original);
        const [start = 0, end = 0] = [first, second]
          .map((place) => place % (unified.text.length + 1))
          .toSorted((left, right) => left - right);
        const span = unified.toOriginal({ start, end });
        assert.equal(unify(original.slice(span.start, span.end)), unified.text.slice(start, end));
      }),
    );
  });
});
