// Which credentials are accepted, and which are rejected.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { SimpleAgentsError } from '../../core/error.ts';
import { keyScopes } from '../../core/gateway-key.ts';
import { KeyRing } from './key-ring.ts';

const digests = ['first', 'second'].map((key) => createHash('sha256').update(key).digest('hex'));
const ring = new KeyRing(digests);
const shown = { authorization: 'Bearer first' };

test('a known key is accepted in either header or in both', () => {
  const known = { name: `key-${digests[0]?.slice(0, 12)}`, hash: digests[0], scopes: ['call', 'metrics'] };
  for (const headers of [shown, { 'x-api-key': 'first' }, { ...shown, 'x-api-key': 'first' }]) {
    assert.deepEqual(ring.check(headers), known);
  }
});

test('anything else is rejected, also together with a known key', () => {
  ring.check(shown);
  assert.equal(ring.check({}), 'missing');
  for (const authorization of ['Bearer third', 'Bearer firsT', 'Bearer firs', 'Bearer first1', 'Bearer', '', 'first']) {
    assert.equal(ring.check({ authorization }), 'wrong', authorization);
  }
  for (const key of ['Bearer first', 'third']) assert.equal(ring.check({ 'x-api-key': key }), 'wrong', key);
  for (const key of ['third', 'second']) assert.equal(ring.check({ ...shown, 'x-api-key': key }), 'wrong', key);
  assert.equal(new KeyRing(digests.slice(1)).check(shown), 'wrong');
});

test('without keys the server is open', () => {
  assert.equal(new KeyRing().check(shown), 'open');
});

const emptyHash = createHash('sha256').digest('hex');

test('the hash of an empty text is refused, alone and next to others, with a name and without', () => {
  const named = { name: 'web', hash: emptyHash.toUpperCase(), scopes: keyScopes };
  for (const keys of [[emptyHash], [...digests, emptyHash], [named]]) {
    assert.throws(
      () => new KeyRing(keys),
      (error) =>
        error instanceof SimpleAgentsError && error.kind === 'configuration' && /empty text/.test(error.message),
    );
  }
});

test('an empty or malformed credential never matches, in any header, alone or next to a known key', () => {
  const malformed = [
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Bearer  ',
    'Bearer\tfirst',
    'Basic first',
    'Bearer first extra',
    'bearerfirst',
  ];
  for (const authorization of malformed) {
    for (const others of [{}, { 'x-api-key': 'first' }, { 'x-goog-api-key': 'first' }])
      assert.equal(ring.check({ authorization, ...others }), 'wrong', authorization);
  }
  for (const name of ['x-api-key', 'x-goog-api-key']) {
    assert.equal(ring.check({ [name]: '' }), 'wrong');
    assert.equal(ring.check({ ...shown, [name]: '' }), 'wrong');
    assert.equal(typeof ring.check({ [name]: 'first' }), 'object');
  }
  assert.equal(ring.check({}, ['']), 'wrong');
  assert.equal(ring.check({}, ['first', 'third']), 'wrong');
  assert.equal(typeof ring.check(shown, ['first']), 'object');
});
