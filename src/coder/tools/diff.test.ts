// Unified diffs: correct (they transform the old text into the new one), readable and bounded.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { diff } from './diff.ts';

/** Applies a difference as `patch` does, strictly. */
function apply(before: string, patch: string): string {
  const source = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const rows = patch.split('\n').slice(2, -1);
  const result: string[] = [];
  let at = 0;
  for (const [index, row] of rows.entries()) {
    const head = /^@@ -(\d+)(?:,(\d+))? /.exec(row);
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      result.push(...source.slice(at, start));
      at = start;
    } else if (!row.startsWith('\\')) {
      const line = `${row.slice(1)}${rows[index + 1]?.startsWith('\\') ? '' : '\n'}`;
      if (row[0] !== '+') assert.equal(source[at], line);
      if (row[0] !== '+') at += 1;
      if (row[0] !== '-') result.push(line);
    }
  }
  return [...result, ...source.slice(at)].join('');
}

function manyLines(of: string): string {
  return Array.from({ length: 50_000 }, (_, at) => `${of}${at}\n`).join('');
}

describe('a difference', () => {
  test('shows the change with three lines around it', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
    const after = 'a\nb\nc\nd\nE\nf\ng\nh\n';
    const expected = '--- x\n+++ x\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n';
    assert.equal(diff({ path: 'x', before, after }), expected);
  });

  test('keeps changes that are far apart apart', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}\n`);
    const after = lines.with(2, 'two\n').with(30, 'thirty\n').join('');
    assert.equal(diff({ path: 'x', before: lines.join(''), after }).match(/^@@/gm)?.length, 2);
  });

  test('tells of a new file, an emptied one and a missing line break', () => {
    assert.equal(diff({ path: 'x', before: undefined, after: 'a\n' }), '--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n+a\n');
    assert.equal(diff({ path: 'x', before: undefined, after: '' }), '--- /dev/null\n+++ x\n');
    assert.equal(diff({ path: 'x', before: 'a\n', after: '' }), '--- x\n+++ x\n@@ -1 +0,0 @@\n-a\n');
    assert.match(diff({ path: 'x', before: 'a', after: 'a\n' }), /^-a\n\\ No newline at end of file\n\+a\n$/m);
    assert.equal(diff({ path: 'x', before: 'a\n', after: 'a\n' }), '');
  });

  test('leads from any text to any other, by the fewest lines', () => {
    const text = fc
      .tuple(fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 30 }), fc.constantFrom('', 'end'))
      .map(([lines, end]) => lines.join('') + end);
    fc.assert(
      fc.property(text, text, (before, after) => {
        const patch = diff({ path: 'x', before, after });
        assert.equal(apply(before, patch === '' ? '\n\n' : patch), after);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is bounded for texts that have nothing in common, and cut when it is long', () => {
    const patch = diff({ path: 'x', before: manyLines('a'), after: manyLines('b') });
    assert.match(patch, /… \d+ more lines\n$/);
    assert.ok(patch.length < 20_000);
    const long = diff({ path: 'x', before: '', after: 'x'.repeat(1_000_000) });
    assert.ok(long.length < 1_000);
  });
});
