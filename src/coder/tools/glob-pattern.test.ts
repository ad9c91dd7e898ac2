// Glob patterns: what matches and what does not, and that no pattern is slow.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsePattern, parseWithoutBraces } from './glob-pattern.ts';

describe('a pattern', () => {
  const rows: readonly (readonly [pattern: string, fits: string, misses: string])[] = [
    ['*.ts', 'a.ts .ts é.ts', 'a.js b/a.ts a.tsx'],
    ['**/*.ts', 'a.ts b/a.ts b/c/a.ts', 'a.js b/a.js'],
    ['src/**', 'src/a src/a/b', 'src lib/a'],
    ['src/**/x', 'src/x src/a/x src/a/b/x', 'x src/a'],
    ['a?c', 'abc a😀c', 'ac abbc a/c'],
    ['[a-c]x', 'ax bx cx', 'dx x'],
    ['[!a-c]x', 'dx', 'ax'],
    ['[]x]y', ']y xy', 'ay'],
    ['{a,b}/*.{ts,js}', 'a/x.ts b/x.js', 'c/x.ts a/x.py'],
    ['{a,{b,c}}', 'a b c', 'd {a,b}'],
    ['a\\*b', 'a*b', 'axb'],
    ['a[b', 'a[b', 'ab'],
    ['**', 'a a/b', ''],
    ['**/a/**', 'a/b x/a/b x/a/b/c', 'a b'],
    ['*a*b*', 'ab xaxbx', 'ba'],
  ];
  for (const [pattern, fits, misses] of rows) {
    test(pattern, () => {
      const { matches } = parsePattern(pattern);
      for (const path of fits.split(' ').filter(Boolean)) assert.equal(matches(path), true, path);
      for (const path of misses.split(' ').filter(Boolean)) assert.equal(matches(path), false, path);
    });
  }

  test('takes braces as they are where they mean nothing', () => {
    assert.equal(parseWithoutBraces('{a,b}').matches('{a,b}'), true);
    assert.equal(parseWithoutBraces('{a,b}').matches('a'), false);
  });

  test('is matched quickly, however hostile it is', () => {
    const path = `${'a/'.repeat(100)}${'a'.repeat(250)}`;
    assert.equal(parsePattern(`${'*a'.repeat(120)}b`).matches('a'.repeat(250)), false);
    assert.equal(parsePattern(`${'**/*/'.repeat(50)}b`).matches(path), false);
    assert.equal(parsePattern('{a,b}'.repeat(40)).matches('x'), false);
    assert.equal(parsePattern('{'.repeat(10_000)).matches('x'), false);
  });
});
