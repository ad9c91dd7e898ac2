// Patterns checked in linear time: the same result as RegExp, or none.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { loadLinearPatterns } from './linear-pattern.ts';

const patterns =
  String.raw`^(a+)+$ \d+ ^\s*$ ^\S+$ . ^.$ a$ ^[^]$ [] [^\s] \u{1F600} \ud83d\ude00 \p{L}+ ^\p{Lu} \/ \bfoo\b
  (?<year>\d{4})-\d\d [\w.-]+@[\w-]+\.\w+ [\b] \cA \x41 \0 [a\-z] [-a] [a-] ^$ (?:) a{2,3}b a{0} x*?y (|a)b [^a-z] \P{L}
  [\P{L}a] [\u0041-\u0043] [^\n] \. [.] [\]] ^\$\^\\ \p{Script=Greek} \p{sc=Han} \p{gc=Nd} [\S] [^\S] \B`.split(/\s+/);

const texts = [
  '',
  'a',
  'aaa',
  'aaab',
  'b',
  'ab',
  'aab',
  '0',
  '12',
  '2024-05',
  '😀',
  '\ud800',
  '\n',
  '\r',
  '\u2028',
  '\u00a0',
  '\ufeff',
  ' ',
  '\t',
  '\v',
  'A',
  'B',
  'é',
  'É',
  '/',
  'foo',
  'a foo b',
  'food',
  'x@y.z',
  '\b',
  '\x01',
  '\0',
  '-',
  'z',
  'x',
  'y',
  'xxy',
  '.',
  'a\n',
  ']',
  '[',
  '$^\\',
  'α',
  'Ω',
  'ⅷ',
  '٣',
  '漢',
];

const make = await loadLinearPatterns();

describe('linear patterns', () => {
  for (const pattern of patterns) {
    test(`${pattern} matches like RegExp`, () => {
      const check = make()(pattern);
      assert.ok(check !== undefined);
      for (const text of texts) assert.equal(check(text), new RegExp(pattern, 'u').test(text), JSON.stringify(text));
    });
  }

  for (const pattern of [
    '(?=a)',
    '(?!a)',
    '(?<=a)b',
    String.raw`(a)\1`,
    String.raw`\p{Emoji}`,
    String.raw`\ud800`,
    '(',
  ]) {
    test(`${pattern} is not checked`, () => assert.equal(make()(pattern), undefined));
  }

  test('a pattern that is too large is not checked', () => {
    assert.equal(make()('a'.repeat(5000)), undefined);
    assert.equal(make()('(a{1,1000}){1,1000}'), undefined);
    assert.equal(make()(`${'('.repeat(200)}a${')'.repeat(200)}`), undefined);
  });

  test('a text over 64 KB is not checked', () => {
    const check = make()('b');
    assert.equal(check?.('a'.repeat(65_536)), false);
    assert.equal(check?.('a'.repeat(65_537)), undefined);
  });

  test('the patterns of one call share a step budget; the next call has its own', () => {
    const one = make();
    const check = (compile: typeof one) => compile('(a|b)*a(a|b){90}c')?.('abc'.repeat(5000));
    const checked = Array.from({ length: 50 }, () => check(one));
    assert.equal(checked[0], false);
    assert.equal(checked.at(-1), undefined);
    assert.equal(check(make()), false);
  });
});
