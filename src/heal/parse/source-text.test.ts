// Joining and slicing a text that arrives in chunks.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SourceText } from './source-text.ts';

test('text pushed after a join is included', () => {
  const source = new SourceText();
  source.push('ab');
  assert.equal(source.join(), 'ab');
  source.push('cd');
  assert.equal(source.join(), 'abcd');
  assert.equal(source.slice(1, 4), 'bcd');
});

test('a slice across many chunks is correct everywhere', () => {
  const source = new SourceText();
  const whole = Array.from({ length: 2000 }, (_, index) => `${index} `);
  for (const [index, chunk] of whole.entries()) {
    source.push(chunk);
    if (index % 97 > 0) continue;
    const text = whole.slice(0, index + 1).join('');
    for (const start of [0, text.length >> 1, text.length - 1])
      assert.equal(source.slice(start, text.length), text.slice(start));
    assert.equal(source.slice(1, text.length >> 1), text.slice(1, text.length >> 1));
  }
  assert.equal(source.join(), whole.join(''));
});
