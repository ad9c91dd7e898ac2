// Parsing numbers as people write them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseBigInt, parseWrittenNumber } from './number.ts';

function read(text: string, kind: 'number' | 'integer' = 'number'): number | bigint | undefined {
  return parseWrittenNumber(text, kind === 'integer')?.value;
}

describe('parseWrittenNumber', () => {
  const readings: readonly [string, number][] = [
    ['5', 5],
    [' -5 ', -5],
    ['+7', 7],
    ['007', 7],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['-1.5E-2', -0.015],
    ['1,234', 1234],
    ['1,234,567.89', 1_234_567.89],
    ['$1,234.50', 1234.5],
    ['-$5', -5],
    ['€ 5', 5],
    ['5 €', 5],
    ['12.5 USD', 12.5],
    ['50%', 50],
    ['12.5 %', 12.5],
    ['3,14', 3.14],
    ['-3,1', -3.1],
    ['1/5', 0.2],
    ['-1 / 4', -0.25],
    ['1_000', 1000],
    [' 123, ', 123],
    ['123;', 123],
    ['5 %.', 5],
    ['US$ 5', 5],
    ['CHF 20.50', 20.5],
  ];
  for (const [text, value] of readings) {
    test(`reads ${JSON.stringify(text)} as ${value}`, () => assert.equal(read(text), value));
  }

  const refused = ['', ' ', '-', '.', '$', '%', 'abc', '12 apples', '1.5k', '0x10', '1 234', '1,23,456', '1.234.567'];
  const ambiguous = [
    '1.234,56',
    '3,1415',
    '1/0',
    '1/2/3',
    '1-2',
    '5 6',
    '10:30',
    '2024-01-01',
    '1e',
    'NaN',
    'Infinity',
    '1e400',
    // A rating, or a fraction.
    '4.8/5',
    '4.8 of 5',
    '4 out of 5',
    // The unit of the field may be another one.
    '45 minutes',
    '4.5 stars',
    '5,,',
  ];
  for (const text of [...refused, ...ambiguous]) {
    test(`rejects ${JSON.stringify(text)}`, () => assert.equal(read(text), undefined));
  }

  test('does not read a decimal comma or a fraction as an integer', () => {
    assert.equal(read('3,14', 'integer'), undefined);
    assert.equal(read('1/5', 'integer'), undefined);
    assert.equal(read('4/2', 'integer'), undefined);
  });

  test('rounds and says so if an integer is wanted', () => {
    assert.deepEqual(parseWrittenNumber('5.6', true), { value: 6, loose: true, rounded: true });
    assert.deepEqual(parseWrittenNumber('5.0', true), { value: 5, loose: false });
    assert.equal(parseWrittenNumber('5.6', false)?.rounded, undefined);
  });

  test('says whether JSON would write the number like this', () => {
    assert.equal(parseWrittenNumber('5', false)?.loose, false);
    for (const text of ['+5', '05', '5.', '$5', '5%', '1,234', ' 5'])
      assert.equal(parseWrittenNumber(text, false)?.loose, true);
  });
});

describe('parseBigInt', () => {
  test('reads integers of any size and grouping', () => {
    assert.equal(parseBigInt('9007199254740993'), 9_007_199_254_740_993n);
    assert.equal(parseBigInt('-12'), -12n);
    assert.equal(parseBigInt('+12'), 12n);
    assert.equal(parseBigInt('1,234,567'), 1_234_567n);
    assert.equal(parseBigInt('1_000n'), 1000n);
    assert.equal(parseBigInt('5.0'), 5n);
  });

  test('rejects what is not an integer, or is ambiguous', () => {
    for (const text of ['', '-', '5.5', '1e3', '12 apples', '3,14', '0x10', ',', '1,23,4']) {
      assert.equal(parseBigInt(text), undefined, text);
    }
  });
});
