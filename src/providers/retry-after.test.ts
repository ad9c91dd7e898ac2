// Every format of the retry-after headers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterOf } from './retry-after.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

const rows: readonly (readonly [headers: Record<string, string>, expected: number | undefined])[] = [
  [{}, undefined],
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': ' 7 ' }, 7000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '-3' }, 0],
  [{ 'retry-after': '31536000' }, 31_536_000_000],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
  [{ 'retry-after-ms': '0' }, 0],
  [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sunday, 01-Mar-26 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sun Mar  1 12:00:30 2026' }, 30_000],
  [{ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after': 'Sun, 99 Foo 2026 12:00:30 GMT' }, undefined],
  [{ 'retry-after': 'in 5 minutes' }, undefined],
  [{ 'retry-after': 'NaN' }, undefined],
  [{ 'retry-after': 'Infinity' }, undefined],
  [{ 'retry-after': '1e3' }, undefined],
  [{ 'retry-after': '' }, undefined],
];

for (const [headers, expected] of rows) {
  test(`${JSON.stringify(headers)} means ${expected}`, () => assert.equal(retryAfterOf(headers, now), expected));
}
