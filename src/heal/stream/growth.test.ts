// Which changes of a value are growth, and which take something back.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { contradictionOf } from './growth.ts';

describe('a value has only grown', () => {
  const grown: [unknown, unknown][] = [
    [undefined, 1],
    [undefined, undefined],
    ['', 'a'],
    ['a', 'ab'],
    [{}, { a: 1 }],
    [{ a: 'x' }, { b: 1, a: 'xy' }],
    [
      [1, { a: '' }],
      [1, { a: 'b' }, 2],
    ],
    [new Date(0), new Date(0)],
    [{ a: { value: null, state: 'pending' } }, { a: { value: 'x', state: 'incomplete' } }],
    [{ a: { value: 'x', state: 'incomplete' } }, { a: { value: 'xy', state: 'complete' } }],
    [{ a: { value: ['x'], state: 'complete' } }, { a: ['x', 'y'] }],
    [{ a: { value: null, state: 'pending' } }, {}],
  ];
  for (const [before, after] of grown) {
    test(`${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
      assert.equal(contradictionOf(before, after, hasState(before)), undefined);
    });
  }
});

describe('a value was changed or removed', () => {
  const changed: [unknown, unknown, (string | number)[]][] = [
    [1, undefined, []],
    [1, 2, []],
    [null, 1, []],
    ['ab', 'a', []],
    ['1', 1, []],
    [{ a: 1 }, [1], []],
    [[{ a: 'x' }], [{ a: 'y' }], [0, 'a']],
    [[1, 2], [1], [1]],
    [{ a: { b: true } }, { a: {} }, ['a', 'b']],
    [{ a: 1 }, null, []],
    [new Date(0), new Date(1), []],
    [new Date(0), '1970-01-01', []],
    [{ a: { value: 'x', state: 'complete' } }, { a: 'y' }, ['a']],
    [{ state: 'Ohio', value: 1 }, { state: 'Iowa', value: 1 }, ['state']],
    [{ state: 'pending', value: 1 }, { state: 'complete', value: 1 }, ['state']],
  ];
  for (const [before, after, path] of changed) {
    test(`${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
      assert.deepEqual(contradictionOf(before, after, hasState(before)), path);
    });
  }

  test('however deep it is', () => {
    assert.equal(contradictionOf(deep('a'), deep('ab')), undefined);
    assert.equal(contradictionOf(deep('a'), deep('b'))?.length, 20_000);
  });
});

function deep(inside: unknown): unknown {
  let value = inside;
  for (let depth = 0; depth < 20_000; depth++) value = [value];
  return value;
}

/** In these examples the rule is on `a`. */
function hasState(value: unknown): boolean {
  return JSON.stringify([value]).startsWith('[{"a":{"value"');
}
