// One behaviour: all cases of the conformance suite give the results of the library in the native engine too.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { clientCases, healCases } from '../embed/cases.ts';
import { healInEngine, healInLibrary, runInEngine, runInLibrary, withServer } from '../support/conformance.ts';
import { startNativeEngine, type NativeEngine } from '../support/native-engine.ts';
import { skipNative } from '../support/native-library.ts';

describe('the native engine gives the results of the library', { skip: skipNative }, () => {
  let engine: NativeEngine;
  before(async () => {
    engine = await startNativeEngine();
  });
  after(() => engine.close());

  test('when it heals', async (context) => {
    for (const one of healCases) {
      assert.deepEqual(await healInEngine(one, engine.call), healInLibrary(one), one.name);
    }
    context.diagnostic(`${healCases.length} of ${healCases.length} healing cases are equal`);
  });

  test('when it calls providers', async (context) => {
    const different: unknown[] = [];
    for (const one of clientCases) {
      const expected = await withServer(one, runInLibrary);
      const found = await withServer(one, (given) => runInEngine(given, engine.call));
      if (!isDeepStrictEqual(found, expected)) different.push({ name: one.name, found, expected });
    }
    const equal = clientCases.length - different.length;
    context.diagnostic(`${equal} of ${clientCases.length} client cases are equal`);
    assert.deepEqual(different, []);
  });
});
