// Suggestions: recognised typing errors, and names that are too different.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { didYouMean, suggest } from './suggest.ts';

const keys = ['default_model', 'default_timeout', 'idle', 'connect', 'base_url', 'api_key_env'];

for (const [slip, meant] of [
  ['idel', 'idle'],
  ['conect', 'connect'],
  ['conncet', 'connect'],
  ['defaultTimeout', 'default_timeout'],
  ['default-modle', 'default_model'],
  ['timeout', 'default_timeout'],
  ['url', 'base_url'],
  ['apikey', 'api_key_env'],
  ['xyz', undefined],
  ['e', undefined],
  ['', undefined],
  ['headers', undefined],
] as const) {
  test(`"${slip}" suggests ${meant ?? 'nothing'}`, () => assert.equal(suggest(slip, keys), meant));
}

test('the nearest of several wins, not the first', () => {
  assert.equal(suggest('models', ['model', 'models2', 'models']), 'models');
  assert.equal(suggest('defaultmodel', ['default_mode', 'default_model']), 'default_model');
});

test('a suggestion is formatted as the end of a message', () => {
  assert.equal(didYouMean('idel', keys), '; did you mean "idle"?');
  assert.equal(didYouMean('xyz', keys), '');
});

test('only candidates are suggested, and a correct name suggests itself', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (name, candidates) => {
      const meant = suggest(name, candidates);
      assert.ok(meant === undefined || candidates.includes(meant));
      assert.ok(!keys.includes(name) || suggest(name, keys) === name);
    }),
  );
});
