// Colours, and protection of the screen from control characters of a model.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { columnsOf, hasColors, painter, toPrintable, widthOf, type TerminalOutput } from './terminal.ts';

const screen: TerminalOutput = Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
const pipe: TerminalOutput = new PassThrough();

describe('colours', () => {
  test('are used on terminals', () => {
    assert.equal(hasColors(screen, {}), true);
    assert.equal(hasColors(pipe, {}), false);
  });

  test('are disabled by NO_COLOR and by a dumb terminal', () => {
    assert.equal(hasColors(screen, { NO_COLOR: '1' }), false);
    assert.equal(hasColors(screen, { NO_COLOR: '' }), true);
    assert.equal(hasColors(screen, { TERM: 'dumb' }), false);
  });

  test('are forced by FORCE_COLOR, which overrides NO_COLOR', () => {
    assert.equal(hasColors(pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }), true);
    assert.equal(hasColors(screen, { FORCE_COLOR: '0' }), false);
  });

  test('leave the text unchanged if disabled', () => {
    assert.equal(painter(pipe, {})('red', 'text'), 'text');
    assert.equal(painter(screen, {})('red', 'text'), '\u001b[31mtext\u001b[39m');
  });
});

test('control characters of a model are symbols on a screen and unchanged in a pipe', () => {
  const words = 'a\tb\nc \u001b]0;title\u0007 \u009b2J \u007f d\r\n';
  assert.equal(toPrintable(words, pipe), words);
  assert.equal(toPrintable(words, screen), 'a\tb\nc ␛]0;title␇ �2J ␡ d\n');
});

test('the width is that of the screen; a pipe has no limit', () => {
  assert.equal(widthOf(screen), 40);
  assert.equal(widthOf(pipe), Infinity);
  assert.equal(columnsOf(painter(screen, {})('dim', 'four')), 4);
});
