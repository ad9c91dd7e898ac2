// One behaviour: the same cases through the library and through the engine that other languages run give the same results.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { healInEngine, healInLibrary, runInEngine, runInLibrary, withServer } from '../support/conformance.ts';
import { startEngine } from '../support/engine-host.ts';
import { sample } from '../support/enumeration.ts';
import { clientCases, healCases } from './cases.ts';

describe('the engine gives the results of the library', () => {
  for (const healing of healCases) {
    test(`healing: ${healing.name}`, async () => {
      const { call } = startEngine();
      assert.deepEqual(await healInEngine(healing, call), healInLibrary(healing));
    });
  }

  for (const one of sample(clientCases, 4)) {
    test(one.name, async () => {
      const { call } = startEngine();
      const expected = await withServer(one, runInLibrary);
      const found = await withServer(one, (given) => runInEngine(given, call));
      assert.deepEqual(found, expected);
    });
  }
});
