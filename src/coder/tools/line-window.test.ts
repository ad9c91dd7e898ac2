// Extracting lines from a stream: independent of chunking, and never more than the limit.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LineWindow } from './line-window.ts';

function windowOf(parts: readonly string[], first: number, count: number, room = 1_000): LineWindow {
  const window = new LineWindow({ first, count }, room);
  for (const part of parts) if (!window.isFull) window.push(Buffer.from(part));
  return window;
}

describe('a window of lines', () => {
  const text = 'one\ntwo\n\nfour\nfive';
  const rows: readonly (readonly [first: number, count: number, kept: string])[] = [
    [1, 1, 'one\n'],
    [2, 2, 'two\n\n'],
    [3, 1, '\n'],
    [4, 10, 'four\nfive'],
    [5, 1, 'five'],
    [6, 1, ''],
    [1, Infinity, text],
  ];
  for (const [first, count, kept] of rows) {
    test(`${count} from ${first}, cut anywhere`, () => {
      for (let at = 0; at <= text.length; at += 1) {
        assert.equal(windowOf([text.slice(0, at), text.slice(at)], first, count).text, kept);
      }
      assert.equal(windowOf(Array.from(text), first, count).text, kept);
    });
  }

  test('counts the lines of the complete text', () => {
    assert.equal(windowOf([text], 99, 1).total, 5);
    assert.equal(windowOf(['a\nb\n'], 99, 1).total, 2);
    assert.equal(windowOf([], 1, 1).total, 0);
  });

  test('stops when there is no room', () => {
    const window = windowOf(['aaaa\n', 'bbbb\n'], 1, 10, 7);
    assert.deepEqual([window.text, window.isCut, window.isFull], ['aaaa\nbb', true, true]);
  });
});
