// Writing values as JSON, compared with JSON.stringify.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';

import { toJsonText } from './json-text.ts';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('toJsonText', () => {
  test('writes what JSON.stringify writes, with and without indentation', () => {
    const values = fc.anything({ withDate: true, withNullPrototype: true });
    fc.assert(
      fc.property(values, fc.constantFrom(0, 2), (value, indent) => {
        assert.equal(toJsonText(value, indent), JSON.stringify(value, null, indent) ?? 'null');
      }),
    );
  });

  test('writes all digits of a bigint', () => {
    assert.equal(toJsonText({ id: 9_007_199_254_740_993n }), '{"id":9007199254740993}');
  });

  test('leaves out members without a value, and writes them as null in a list', () => {
    assert.equal(toJsonText({ a: undefined, b: [undefined, () => 1], toJSON: 1 }), '{"b":[null,null],"toJSON":1}');
  });

  test('writes values of any depth', () => {
    for (const indent of [0, 2]) {
      const value = nested(200_000);
      assert.deepEqual(JSON.stringify(JSON.parse(toJsonText(value, indent))), JSON.stringify(value));
    }
    assert.ok(toJsonText(nested(200_000), 2).length < 2_000_000);
  });
});
