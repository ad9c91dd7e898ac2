// Damage that looks like something else, read in one piece and in chunks.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { heal, healStream } from './index.ts';

/** The value, in one piece and in chunks of one character. */
function valueOf(text: string): unknown {
  const stream = healStream();
  for (const character of text) stream.push(character);
  const result = stream.end();
  assert.deepEqual(heal(text), result);
  return result.value;
}

test('a value that a program computes with is not chosen', () => {
  assert.throws(() => heal('[1, 2].map(x => x)'), { kind: 'low-confidence' });
  assert.throws(() => heal('const ids = {"a": 1}.toString();'), { kind: 'low-confidence' });
  assert.deepEqual(valueOf('Here: [1, 2]. Then (perhaps) more.'), [1, 2]);
  assert.deepEqual(valueOf('[1, 2].'), [1, 2]);
});

test('a quote of another kind ends a string only if the string cannot continue', () => {
  assert.deepEqual(valueOf(`{"a": ["it'], "b": 1}`), { a: ['it'], b: 1 });
  assert.deepEqual(valueOf(`["it', 'b', 'c']`), ['it', 'b', 'c']);
  assert.deepEqual(valueOf(`{"a": ["one of 'a', 'b', 'c' and so"],}`), { a: ["one of 'a', 'b', 'c' and so"] });
  assert.deepEqual(valueOf(`{"a": ["it'], 'b': 1"],}`), { a: ["it'], 'b': 1"] });
  assert.deepEqual(valueOf(`{'a': ['"b" ] # head'], 'c': 1}`), { a: ['"b" ] # head'], c: 1 });
});

test('one escaped string does not mean that the others are escaped', () => {
  assert.deepEqual(valueOf(String.raw`{"a": [\"b\", "c"], "d": "e\\f"}`), { a: ['b', 'c'], d: String.raw`e\f` });
});

test('a key without its closing quote ends before the array that follows', () => {
  assert.deepEqual(valueOf(`{"a": "x", "years: ["2020", "2021"], "b": 3}`), { a: 'x', years: ['2020', '2021'], b: 3 });
});

test('a bracket after a quotation and a comma is text', () => {
  assert.deepEqual(valueOf(`["say "yes", "no" and "so", (or not) at all", "b"]`), [
    'say "yes", "no" and "so", (or not) at all',
    'b',
  ]);
});

test('a word before a colon inside a text is not a member, and neither is a comparison', () => {
  assert.ok(heal(`{"a": "a "small": team waits"}`).confidence > 0.9);
  assert.ok(heal(`{"sql": "SELECT "a" FROM "t" WHERE "a" = 'b'", "n": 1}`).confidence > 0.9);
});
