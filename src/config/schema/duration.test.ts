// Durations: valid texts, their values, and the messages for invalid ones.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SimpleAgentsError } from '../../core/error.ts';
import { parseDuration } from './duration.ts';

const lengths: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** Milliseconds in the largest units they fill. */
function write(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (const [unit, length] of lengths) {
    if (rest < length) continue;
    text += `${Math.floor(rest / length)}${unit}`;
    rest %= length;
  }
  return text === '' ? '0s' : text;
}

describe('a duration', () => {
  for (const [text, milliseconds] of [
    ['30s', 30_000],
    ['250ms', 250],
    ['1h', 3_600_000],
    ['1m30s', 90_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['1.5s', 1500],
    ['0.5h30m', 3_600_000],
    ['0s', 0],
  ] as const) {
    test(`${text} is ${milliseconds} ms`, () => assert.equal(parseDuration(text), milliseconds));
  }

  test('survives a round trip', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e12 }), (milliseconds) => {
        assert.equal(parseDuration(write(milliseconds)), milliseconds);
      }),
    );
  });

  for (const [text, message] of [
    ['30', '"30" has no unit; write "30s" for seconds or "30ms" for milliseconds'],
    ['2.5', '"2.5" has no unit; write "2.5s" for seconds or "2.5ms" for milliseconds'],
    ['', '"" is not a duration: write it like "30s", "250ms" or "1m30s" (units: d, h, m, s, ms)'],
    ['30 s', '"30 s" is not a duration: write it like "30s", "250ms" or "1m30s" (units: d, h, m, s, ms)'],
    ['-1s', '"-1s" is not a duration: write it like "30s", "250ms" or "1m30s" (units: d, h, m, s, ms)'],
    ['1s1m', '"1s1m" is not a duration: write each unit once, from the largest to the smallest'],
    ['1s1s', '"1s1s" is not a duration: write each unit once, from the largest to the smallest'],
    [`${'9'.repeat(400)}s`, `"${'9'.repeat(400)}s" is not a duration: it is too long`],
  ] as const) {
    test(`${text.slice(0, 10) || 'nothing'} is rejected with the fix`, () => {
      assert.throws(() => parseDuration(text), new SimpleAgentsError('configuration', message));
    });
  }

  test('any text gives a duration or a configuration error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d.dhms ]{0,12}$/)), (text) => {
        try {
          assert.ok(Number.isSafeInteger(parseDuration(text)));
        } catch (error) {
          assert.ok(error instanceof SimpleAgentsError && error.kind === 'configuration');
        }
      }),
    );
  });
});
