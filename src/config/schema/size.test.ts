// Parsing of sizes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../../test/support/fails-with.ts';
import { parseSize } from './size.ts';

describe('a size', () => {
  test('is a number and a unit', () => {
    const cases = { '0B': 0, '5B': 5, '1KB': 1024, '64MB': 67_108_864, '1.5 GB': 1_610_612_736, '2mb': 2_097_152 };
    for (const [text, bytes] of Object.entries(cases)) assert.equal(parseSize(text), bytes, text);
  });

  test('in a wrong form gets a message with the right form', () => {
    assert.throws(() => parseSize('64'), failsWith('configuration', /"64" has no unit; write "64MB" for megabytes/));
    for (const text of ['', 'MB', '-1MB', '1TB', '1 MB!', '99999999999GB']) {
      assert.throws(() => parseSize(text), failsWith('configuration', /is not a size: write it like "64MB"/));
    }
  });
});
