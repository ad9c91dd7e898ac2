// Base64 in any spelling becomes the standard one, with the same bytes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { fromBase64, isStandardBase64, toBase64, toStandardBase64 } from './base64.ts';

const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array));

describe('standard base64', () => {
  test('is made of every spelling of the same bytes', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), (data, at) => {
        const standard = data.toString('base64');
        const unpadded = standard.replace(/=+$/, '');
        const spellings = [
          standard,
          unpadded,
          data.toString('base64url'),
          standard.replaceAll('+', '-').replaceAll('/', '_'),
          `${standard.slice(0, at)}\r\n${standard.slice(at)}\n`,
        ];
        for (const spelling of spellings) assert.equal(toStandardBase64(spelling), standard);
        assert.ok(isStandardBase64(standard));
      }),
    );
  });

  test('is recognized', () => {
    for (const wrong of ['a', 'ab', 'abc', 'ab-_', 'a===', 'ab=c', '====', 'simple-agents:{}', 'ab c', 'äöüß'])
      assert.ok(!isStandardBase64(wrong), wrong);
    for (const wrong of ['a', '{"a":1}', 'simple-agents:{}'])
      assert.ok(!isStandardBase64(toStandardBase64(wrong)), wrong);
  });

  test('of a text is that of its UTF-8, and is read again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.equal(toBase64(text), Buffer.from(text).toString('base64'));
        assert.equal(fromBase64(toBase64(text)), text);
      }),
    );
  });
});
