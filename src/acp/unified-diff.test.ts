// Diffs of the file tools, read back into the texts before and after.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diff } from '../coder/tools/diff.ts';
import { parseUnifiedDiff } from './unified-diff.ts';

test('reads what the file tools write', () => {
  const before = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');
  const after = before.replace('line 5\n', 'LINE 5\n').replace('line 30\n', '');
  const parsed = parseUnifiedDiff(diff({ path: 'a.txt', before, after, isWhole: true }));
  assert.deepEqual(
    parsed?.hunks.map(({ line }) => line),
    [3, 28],
  );
  let result = before;
  for (const { oldText, newText } of parsed?.hunks ?? []) result = result.replace(oldText, newText);
  assert.equal(result, after);
});

test('knows a new file, and a last line without a line break', () => {
  const created = parseUnifiedDiff(diff({ path: 'a.txt', before: undefined, after: 'one\ntwo' }));
  assert.deepEqual(created, { isNewFile: true, hunks: [{ line: 1, oldText: '', newText: 'one\ntwo' }] });
  const changed = parseUnifiedDiff(diff({ path: 'a.txt', before: 'one', after: 'one\n' }));
  assert.deepEqual(changed?.hunks, [{ line: 1, oldText: 'one', newText: 'one\n' }]);
});

test('rejects a diff that was shortened, and other texts', () => {
  const long = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`).join('');
  for (const text of ['', 'no diff', '--- a\n+++ a\nno hunk', diff({ path: 'a', before: undefined, after: long })]) {
    assert.equal(parseUnifiedDiff(text), undefined, text.slice(0, 40));
  }
});
