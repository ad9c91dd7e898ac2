// The byte form of a text: one byte per code unit, and zeros after the last.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { isNonJsonSpace, isQuote } from './character.ts';
import {
  byteAt,
  closerOf,
  isLoaded,
  isQuoteByte,
  literalEnd,
  load,
  numberEnd,
  numberIn,
  plainEnd,
  wideSpaceEnd,
} from './plain-bytes.ts';

const unit = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0xffff }),
  fc.constantFrom(0x201c, 0x201d, 0x2018, 0x2019, 0xab, 0xbb, 0xb4, 0x300c, 0xff02, 0xa0, 0x3000, 0xd83d, 0xde00),
);
const text = fc.array(unit, { maxLength: 40 }).map((units) => String.fromCharCode(...units));

test('each code unit becomes one byte that says what it can mean', () => {
  fc.assert(
    fc.property(text, text, (before, now) => {
      load(before);
      load(now);
      for (let at = 0; at < now.length; at++) {
        const code = now.charCodeAt(at);
        const byte = byteAt(at);
        if (code < 128) assert.equal(byte, code);
        else assert.ok(byte >= 128);
        // A character that only ends a string is a quote as well.
        assert.equal(isQuoteByte(byte), isQuote(code) || code === 0xb4 || code === 0x300d, `U+${code.toString(16)}`);
        if (code > 127) assert.equal(wideSpaceEnd(at) > at, isNonJsonSpace(code), `U+${code.toString(16)}`);
      }
      for (let at = now.length; at < now.length + 4; at++) assert.equal(byteAt(at), 0);
    }),
    { seed: 20_261_116, numRuns: 2_000 },
  );
});

test('loading a text replaces the previous one', () => {
  const first = load('[1, 2]');
  assert.equal(isLoaded(first), true);
  const second = load('{}');
  assert.deepEqual([isLoaded(first), isLoaded(second)], [false, true]);
});

test('a string ends with the quote that matches its opening one', () => {
  for (const pair of ['""', "''", '``', '“”', '‘’', '«»', '„“', '＂＂', '「」']) {
    load(pair);
    assert.equal(closerOf(byteAt(0)), byteAt(1), pair);
  }
  load('a”»');
  assert.deepEqual([closerOf(byteAt(0)), closerOf(byteAt(1)), closerOf(byteAt(2))], [0, 0, 0]);
});

test('numbers have the same value as in JavaScript', () => {
  const numbers = fc.tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.nat(999), fc.nat(999_999_999)).map(String),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,9}$/)),
  );
  fc.assert(
    fc.property(numbers, (parts) => {
      const written = parts.join('');
      load(`${written},`);
      const end = numberEnd(0);
      if (end !== -1) assert.ok(Object.is(numberIn(0, end), Number(written)), written);
    }),
    { seed: 20_261_116, numRuns: 5_000, examples: [[['-', '0', '']], [['', '0', '.1']], [['-', '0', '.0']]] },
  );
});

test('tokens end where JSON says, and invalid ones are not accepted', () => {
  for (const [written, end] of [
    ['-12.50,', 6],
    ['0', 1],
    ['123456789012345', 15],
    ['1234567890123456', -1],
    ['01', -1],
    ['1.', -1],
    ['-', -1],
  ] as const) {
    load(written);
    assert.equal(numberEnd(0), end, written);
  }
  for (const [written, end] of [
    ['true', 4],
    ['false]', 5],
    ['null', 4],
    ['tru', -1],
    ['True', -1],
  ] as const) {
    load(written);
    assert.equal(literalEnd(0), end, written);
  }
  load('Köln, 東京 \u00a0and "more"');
  assert.equal(plainEnd(0), 'Köln, 東京 \u00a0and '.length);
});
