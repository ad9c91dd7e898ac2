// One behaviour: all cases of the conformance suite give the results of the library in the Go package too, as far as its
// types show them.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { clientCases, healCases } from '../embed/cases.ts';
import { healInLibrary, runInLibrary, withServer } from '../support/conformance.ts';
import { startGoProgram, toGoOutcome, type GoProgram } from '../support/go-conformance.ts';
import { skipGo } from '../support/go-package.ts';

describe('the Go package gives the results of the library', { skip: skipGo }, () => {
  let program: GoProgram;
  before(async () => {
    program = await startGoProgram();
  });
  after(() => program.close());

  test('when it heals', async (context) => {
    for (const one of healCases) {
      assert.deepEqual(await program.run(one), toGoOutcome(healInLibrary(one)), one.name);
    }
    context.diagnostic(`${healCases.length} of ${healCases.length} healing cases are equal`);
  });

  test('when it calls providers', async (context) => {
    const different: unknown[] = [];
    for (const one of clientCases) {
      const expected = toGoOutcome(await withServer(one, runInLibrary));
      const found = await withServer(one, (given) => program.run(given));
      if (!isDeepStrictEqual(found, expected)) different.push({ name: one.name, found, expected });
    }
    context.diagnostic(`${clientCases.length - different.length} of ${clientCases.length} client cases are equal`);
    assert.deepEqual(different, []);
  });
});
