// Pasted lines are one message and typed lines are not, however the bytes are split.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KeyFilter } from './keys.ts';

const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

describe('typed keys', () => {
  test('pass unchanged', () => {
    const filter = new KeyFilter();
    for (const keys of ['a', '\r', '\u001b', '\u001b[A', '\u0003', '\u0004', '\u001b[20~', 'word\r', '\r\r']) {
      assert.equal(filter.push(keys), keys);
    }
  });

  test('Enter followed by a control key is still Enter', () => {
    assert.equal(new KeyFilter().push('hello\r\u0004'), 'hello\r\u0004');
    assert.equal(new KeyFilter().push('hello\r\u001b[A'), 'hello\r\u001b[A');
  });

  test('Alt-Enter is a line break inside the message', () => {
    const filter = new KeyFilter();
    assert.equal(filter.push('\u001b\r'), '⏎');
    assert.equal(filter.expand('one⏎two'), 'one\ntwo');
  });
});

describe('pasted text', () => {
  test('becomes part of the line; its last line break does not send it', () => {
    assert.equal(new KeyFilter().push(paste('one\r\ntwo\n\nthree\n')), 'one⏎two⏎⏎three');
  });

  test('keeps the text typed around it', () => {
    assert.equal(new KeyFilter().push(`see: ${paste('a\rb')} ok?\r`), 'see: a⏎b ok?\r');
  });

  test('loses control characters but not tabs', () => {
    assert.equal(new KeyFilter().push(paste('a\tb\u001b[31mc\u0003')), 'a\tb[31mc');
  });

  test('is recognised if the terminal does not mark it', () => {
    assert.equal(new KeyFilter().push('one\rtwo\rthree\r'), 'one⏎two⏎three\r');
    assert.equal(new KeyFilter().push('one\ntwo'), 'one⏎two');
  });

  test('is shown as a placeholder if it is long, and is restored in full', () => {
    const filter = new KeyFilter();
    const text = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n');
    const shown = filter.push(`A ${paste(text)} B ${paste('x'.repeat(500))}`);
    assert.equal(shown, 'A [paste 1: 200 lines] B [paste 2: 1 line]');
    assert.equal(filter.expand(shown), `A ${text} B ${'x'.repeat(500)}`);
    assert.equal(filter.expand('[paste 9: 2 lines]'), '[paste 9: 2 lines]');
  });

  test('may be split anywhere after its first bytes', () => {
    const keys = `ab${paste('one\ntwo\n')}c\r`;
    for (let cut = 0; cut <= keys.length; cut++) {
      // A lone Escape is a key of its own and cannot wait for what may follow.
      if (cut === 3 || cut === 4) continue;
      const filter = new KeyFilter();
      assert.equal(filter.push(keys.slice(0, cut)) + filter.push(keys.slice(cut)), 'abone⏎twoc\r', String(cut));
    }
  });
});
