// Decoding of texts that are escaped one time too many, and the change count.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cursor } from './cursor.ts';
import { backslashes, html } from './decoding.ts';

test('a long text is decoded like a short one, however it is split', () => {
  for (const [decoding, part] of [
    [html, '&quot;&amp;amp;'],
    [backslashes, '\\\\\\"'],
  ] as const) {
    for (let shift = 0; shift < part.length; shift++) {
      const text = 'x'.repeat(65_536 - shift) + part + part;
      const cursor = new Cursor();
      cursor.push(text);
      cursor.end();
      cursor.decode(decoding);
      assert.equal(cursor.text, decoding.decode(text));
    }
  }
});

test('counts changes of its text, and nothing else', () => {
  const cursor = new Cursor();
  const counts = [cursor.changes];
  for (const step of [() => cursor.push('ab'), () => cursor.at++, () => cursor.push('c'), () => cursor.end()]) {
    step();
    counts.push(cursor.changes);
  }
  assert.deepEqual(counts, [0, 1, 1, 2, 2]);
});
