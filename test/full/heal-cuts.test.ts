// Every kind of damage, alone and in pairs, read in one piece and in single characters.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pairCases, singleCases } from '../support/damage/case.ts';
import { differingCuts } from '../support/damage/cut.ts';
import { makeDocuments } from '../support/damage/document.ts';

const seed = 'cuts';
const documents = makeDocuments(seed, 11);

test('every kind of damage', () => {
  assert.deepEqual(differingCuts(singleCases(seed, documents)), []);
});

test('pairs of damage', () => {
  assert.deepEqual(differingCuts(pairCases(seed, documents, 0.1)), []);
});
