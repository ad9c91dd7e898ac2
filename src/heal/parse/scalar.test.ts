// Parsing unquoted words.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isLiteral, isNumeric, parseScalar } from './scalar.ts';

describe('parseScalar', () => {
  test('reads JSON without a flag', () => {
    assert.deepEqual(parseScalar('true'), { kind: 'boolean', value: true });
    assert.deepEqual(parseScalar('null'), { kind: 'null', value: null });
    assert.deepEqual(parseScalar('-1.5e3'), { kind: 'number', value: -1500 });
    assert.deepEqual(parseScalar('-0'), { kind: 'number', value: -0 });
    assert.deepEqual(parseScalar('9007199254740992'), { kind: 'number', value: 2 ** 53 });
  });

  test('reads the literals of Python and JavaScript', () => {
    assert.deepEqual(parseScalar('True'), { kind: 'boolean', value: true, fixed: 'fixed-literal' });
    assert.deepEqual(parseScalar('FALSE'), { kind: 'boolean', value: false, fixed: 'fixed-literal' });
    for (const word of ['None', 'undefined', 'NaN', 'Infinity', '-Infinity', 'nil', 'NULL']) {
      assert.deepEqual(parseScalar(word), { kind: 'null', value: null, fixed: 'fixed-literal' }, word);
    }
  });

  const loose: readonly [string, number][] = [
    ['+1', 1],
    ['007', 7],
    ['-05', -5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e', 1],
    ['1e-', 1],
    ['1_000', 1000],
    ['0x1F', 31],
    ['-0x10', -16],
    ['12n', 12],
    ['1.5f', 1.5],
    ['1,234', 1234],
    ['1,234,567.5', 1_234_567.5],
  ];
  for (const [text, value] of loose) {
    test(`reads ${text} as ${value}`, () =>
      assert.deepEqual(parseScalar(text), { kind: 'number', value, fixed: 'fixed-number' }));
  }

  test('flags an integer that a double cannot represent', () => {
    assert.deepEqual(parseScalar('9007199254740993'), { kind: 'number', value: 2 ** 53, fixed: 'precision-lost' });
    assert.equal(parseScalar('123456789012345678901234567890').fixed, 'precision-lost');
    assert.equal(parseScalar('0.1000000000000000055').fixed, undefined);
    assert.deepEqual(parseScalar('9'.repeat(400)), { kind: 'number', value: Infinity, fixed: 'precision-lost' });
  });

  test('treats anything else as a string', () => {
    for (const word of ['abc', '1.2.3', '12abc', '-', '+', '1,23', '2024-01-01', '10:30', '0x', '1e5.5', 'TRUEish']) {
      assert.deepEqual(parseScalar(word), { kind: 'string', value: word, fixed: 'unquoted-string' }, word);
    }
  });
});

test('isLiteral accepts only literals', () => {
  assert.equal(isLiteral('None'), true);
  assert.equal(isLiteral('Nothing'), false);
  assert.equal(isLiteral('1'), false);
});

test('isNumeric accepts the beginning of a number', () => {
  for (const word of ['1', '-', '-1', '1.', '1e', '1e+', '1,234', '.5', '+2'])
    assert.equal(isNumeric(word), true, word);
  for (const word of ['a', '1a', '', '1,2,3', '1.2.3']) assert.equal(isNumeric(word), false, word);
});
