// Brace expansion, case by case.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandBraces } from './brace.ts';

const cases: Readonly<Record<string, readonly string[]>> = {
  'a{b,c}d': ['abd', 'acd'],
  '{rm,-rf,/}': ['rm', '-rf', '/'],
  '/{u,v}{sr,ar}': ['/usr', '/uar', '/vsr', '/var'],
  '{a,{b,c}}': ['a', 'b', 'c'],
  '{1..3}': ['1', '2', '3'],
  '{3..1}': ['3', '2', '1'],
  '{a..e..2}': ['a', 'c', 'e'],
  '{-1..1}': ['-1', '0', '1'],
  '/{,}': ['/', '/'],
  '{a}': ['{a}'],
  '{}': ['{}'],
  "'{a,b}'": ["'{a,b}'"],
  '"{a,b}"': ['"{a,b}"'],
  '\\{a,b}': ['\\{a,b}'],
  '${x,y}': ['${x,y}'],
  '$(echo {a,b})': ['$(echo {a,b})'],
  'x{"a,b",c}': ['x"a,b"', 'xc'],
  '{a,b': ['{a,b'],
  '{1..x}': ['{1..x}'],
};

for (const [text, words] of Object.entries(cases)) {
  test(`${text} is ${words.join(' ')}`, () => assert.deepEqual(expandBraces(text), words));
}

test('too many words are not made', () => {
  assert.equal(expandBraces('{1..1000000}'), undefined);
  assert.equal(expandBraces('{a,b}'.repeat(20)), undefined);
});
