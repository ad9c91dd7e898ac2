// The tests of the Rust crates, and their format.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cargo, nativeLibrary, skipNative } from '../support/native-library.ts';

describe('the Rust crates', { skip: skipNative }, () => {
  test('pass their tests', async () => {
    await nativeLibrary();
    const output = await cargo(['test', '--release', '--locked', '-p', 'simple-agents-engine']);
    assert.match(output, /test replies_when_it_ends_during_a_call \.\.\. ok/);
  });

  test('are formatted', async () => {
    assert.equal(await cargo(['fmt', '--check']), '');
  });
});
