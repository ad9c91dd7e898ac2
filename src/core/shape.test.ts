// Shapes: what they accept, and the position and the words of the first mismatch.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  amountShape,
  checkShape,
  closedObjectOf,
  countShape,
  fractionShape,
  integerShape,
  isString,
  listOf,
  numberShape,
  objectOf,
  oneOf,
  optional,
  orElse,
  recordOf,
  signalShape,
  stringShape,
  variantOf,
  wholeShape,
  type Shape,
} from './shape.ts';
import { failsWith } from '../../test/support/fails-with.ts';

type Point = { readonly x: number; readonly label?: string };
type Mark = { readonly type: 'line'; readonly ends: readonly Point[] } | { readonly type: 'none' };

const point = objectOf<Point>({ x: numberShape, label: optional(stringShape) });
const mark = variantOf<Mark, 'type'>('type', { line: { ends: listOf(point) }, none: {} });

const cases: readonly (readonly [shape: Shape, value: unknown, mismatch: string | undefined])[] = [
  [numberShape, NaN, 'at: must be a number'],
  [integerShape, -2, undefined],
  [integerShape, 1.5, 'at: must be a whole number'],
  [countShape, 0, 'at: must be a whole number greater than 0'],
  [wholeShape, 0, undefined],
  [wholeShape, -1, 'at: must be a whole number, at least 0'],
  [amountShape, '1', 'at: must be a number, at least 0'],
  [fractionShape, 1.1, 'at: must be a number from 0 to 1'],
  [signalShape, new AbortController().signal, undefined],
  [signalShape, {}, 'at: must be an AbortSignal'],
  [oneOf('a', 'b'), 'c', 'at: must be one of a, b'],
  [listOf(stringShape), ['a', 1], 'at[1]: must be a string'],
  [listOf(stringShape, 'must be a list of names'), 'a', 'at: must be a list of names'],
  [recordOf(stringShape), { a: 'b', c: null }, 'at.c: must be a string'],
  [recordOf(stringShape), [], 'at: must be an object'],
  [point, { x: 1, label: undefined, more: true }, undefined],
  [point, { x: 1, label: null }, 'at.label: must be a string'],
  [point, null, 'at: must be an object'],
  [
    closedObjectOf<Point>({ x: numberShape, label: optional(stringShape) }),
    { x: 1, lable: 'a' },
    'at.lable: unknown name; did you mean "label"?',
  ],
  [mark, { type: 'line', ends: [{ x: 1 }, {}] }, 'at.ends[1].x: must be a number'],
  [mark, { type: 'none' }, undefined],
  [mark, { type: 'toString' }, 'at.type: must be one of line, none'],
  [mark, 'line', 'at.type: must be one of line, none'],
  [orElse(isString, point), 'a', undefined],
  [orElse(isString, point), 1, 'at: must be an object'],
];

describe('a shape', () => {
  for (const [index, [shape, value, expected]] of cases.entries()) {
    test(`${index}: ${expected ?? 'accepts the value'}`, () => {
      const mismatch = shape(value, 'at');
      assert.equal(mismatch && `${mismatch.path}: ${mismatch.problem}`, expected);
    });
  }

  test('of a whole argument begins its paths with the member', () => {
    assert.throws(
      () => checkShape(objectOf({ ends: listOf(point) }), { ends: [3] }, { kind: 'bad-request' }),
      failsWith('bad-request', /^ends\[0\]: must be an object$/),
    );
    const named = { kind: 'configuration', name: 'points' } as const;
    assert.throws(() => checkShape(listOf(point), [3], named), failsWith('configuration', /^points\[0\]: must be/));
    assert.throws(
      () => checkShape(point, 3, { kind: 'configuration' }),
      failsWith('configuration', /^options: must be an object$/),
    );
  });
});
