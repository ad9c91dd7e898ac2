// The place of a member's value in the text of an object, and its replacement.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { findMember, replaceSpan } from './json-member.ts';

function valueIn(text: string, name: string): string | undefined {
  const span = findMember(text, name);
  return span && text.slice(span.start, span.end);
}

test('finds the value of a member of the object itself', () => {
  const text = ' { "a" : {"id":"inner","b":[1,{"id":2}]} , "x":"\\"id\\":1", "\\u0069d" :\n"own" , "n":-1.50e+1}';
  assert.equal(valueIn(text, 'id'), '"own"');
  assert.equal(valueIn(text, 'n'), '-1.50e+1');
  assert.equal(valueIn(text, 'a'), '{"id":"inner","b":[1,{"id":2}]}');
  assert.equal(valueIn(text, 'b'), undefined);
  assert.deepEqual(
    ['{}', '[]', '"id"', ''].map((other) => valueIn(other, 'id')),
    [undefined, undefined, undefined, undefined],
  );
});

test('changes nothing but the value, in any object', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), fc.nat(2), (object, value, indent) => {
      const text = JSON.stringify({ ...object, id: value }, undefined, indent);
      const span = findMember(text, 'id');
      assert.ok(span);
      assert.deepEqual(
        JSON.parse(replaceSpan(text, span, '"new"')),
        JSON.parse(JSON.stringify({ ...object, id: 'new' })),
      );
      assert.equal(replaceSpan(text, span, text.slice(span.start, span.end)), text);
    }),
    { numRuns: 300 },
  );
});
