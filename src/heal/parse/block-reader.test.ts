// Text in triple quotes or in a code fence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dedent } from './block-reader.ts';

test('a block on one line is unchanged', () => {
  assert.equal(dedent('  a '), '  a ');
  assert.equal(dedent(''), '');
});

test('the first and last line break are removed', () => {
  assert.equal(dedent('\na\nb\n'), 'a\nb');
  assert.equal(dedent('\n\na\n\n'), '\na\n');
});

test('common indentation is removed, the rest is kept', () => {
  assert.equal(dedent('\n    if (x) {\n      y();\n    }\n  '), 'if (x) {\n  y();\n}');
  assert.equal(dedent('\n\ta\n\t\tb\n'), 'a\n\tb');
});

test('blank lines do not count for the indentation', () => {
  assert.equal(dedent('\n    a\n\n    b\n'), 'a\n\nb');
});

test('a text of blank lines is not split', () => {
  assert.equal(dedent('\n\n'), '');
});
