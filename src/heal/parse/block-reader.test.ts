// Text set off by three quotes or a fence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dedent } from './block-reader.ts';

test('a block on one line is kept as it is', () => {
  assert.equal(dedent('  a '), '  a ');
  assert.equal(dedent(''), '');
});

test('the line breaks that set a block off go', () => {
  assert.equal(dedent('\na\nb\n'), 'a\nb');
  assert.equal(dedent('\n\na\n\n'), '\na\n');
});

test('the indentation all lines share goes, the rest stays', () => {
  assert.equal(dedent('\n    if (x) {\n      y();\n    }\n  '), 'if (x) {\n  y();\n}');
  assert.equal(dedent('\n\ta\n\t\tb\n'), 'a\n\tb');
});

test('blank lines do not count for the indentation', () => {
  assert.equal(dedent('\n    a\n\n    b\n'), 'a\n\nb');
});

test('a text of blank lines is not taken apart', () => {
  assert.equal(dedent('\n\n'), '');
});
