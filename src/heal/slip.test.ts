// Slips that look like something else, whole and cut: what they are read as, and how sure that is.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { heal, healStream } from './index.ts';

/** The value, in one piece and in pieces of one character. */
function valueOf(text: string): unknown {
  const stream = healStream();
  for (const character of text) stream.push(character);
  const result = stream.end();
  assert.deepEqual(heal(text), result);
  return result.value;
}

test('a value that a program goes on from is not the answer', () => {
  assert.throws(() => heal('[1, 2].map(x => x)'), { kind: 'low-confidence' });
  assert.throws(() => heal('const ids = {"a": 1}.toString();'), { kind: 'low-confidence' });
  assert.deepEqual(valueOf('Here: [1, 2]. Then (perhaps) more.'), [1, 2]);
  assert.deepEqual(valueOf('[1, 2].'), [1, 2]);
});
