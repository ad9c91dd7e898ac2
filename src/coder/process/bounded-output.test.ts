// Head and tail of endless output: exact and cut between characters, however the input is chunked.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { BoundedOutput } from './bounded-output.ts';

function kept(parts: readonly Buffer[], room: number): string {
  const output = new BoundedOutput(room);
  for (const part of parts) output.push(part);
  return output.toText((omitted) => `<${omitted}>`);
}

describe('what is kept of an output', () => {
  test('is all of it when there is room', () =>
    assert.equal(kept([Buffer.from('abc'), Buffer.from('def')], 6), 'abcdef'));
  test('is head and tail when there is not', () => assert.equal(kept([Buffer.from('abcdefghij')], 6), 'abc<4>hij'));
  test('has no halves of characters', () => {
    assert.equal(kept([Buffer.from('aé😀éb'.repeat(3))], 10), 'aé<20>éb');
    assert.equal(kept([Buffer.from('a😀b😀c')], 6), 'a<5>c');
  });
  test('is some of it when it is no text at all', () => assert.match(kept([Buffer.alloc(100, 0x80)], 20), /<80>.+/));

  test('does not depend on the pieces', () => {
    const pieces = fc.array(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes.map((byte) => byte % 128))),
    );
    fc.assert(
      fc.property(pieces, fc.integer({ min: 2, max: 40 }), (parts, room) => {
        const whole = Buffer.concat(parts).toString('latin1');
        const half = Math.floor(room / 2);
        const isCut = whole.length > half * 2;
        const expected = isCut ? `${whole.slice(0, half)}<${whole.length - 2 * half}>${whole.slice(-half)}` : whole;
        assert.equal(kept(parts, room), expected);
      }),
    );
  });
});
