// Ids of responses: what they carry, who may use them, and that no other id is accepted.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { SignedIds } from './signed-id.ts';

const key = new Uint8Array(32).fill(7);

describe('the id of a response', () => {
  test('carries its target and the id at the provider, for every replica with the same key', () => {
    const origin = { target: 'openai/gpt-5', upstreamId: 'resp_up1' };
    const id = new SignedIds(key).create('ann', origin);
    assert.match(id, /^resp_[\w-]+$/);
    assert.deepEqual(new SignedIds(key).check('ann', id), origin);
    assert.deepEqual(new SignedIds(key).check('ann', new SignedIds(key).create('ann', { target: 'a/b' })), {
      target: 'a/b',
    });
  });

  test('is new for each response, from its first characters on', () => {
    const ids = new SignedIds(key);
    const starts = Array.from({ length: 100 }, () => ids.create('ann', { target: 'a/b' }).slice(0, 29));
    assert.equal(new Set(starts).size, 100);
  });

  test('belongs to one owner', () => {
    const ids = new SignedIds(key);
    assert.equal(ids.check('bob', ids.create('ann', { target: 'a/b' })), 'other-owner');
  });

  test('is refused after any change, with another key, and if it is made up', () => {
    const ids = new SignedIds(key);
    const id = ids.create('ann', { target: 'a/b', upstreamId: 'resp_up1' });
    for (let at = 0; at < id.length; at++) {
      const other = id[at] === 'A' ? 'B' : 'A';
      assert.equal(ids.check('ann', id.slice(0, at) + other + id.slice(at + 1)), 'forged', `at ${at}`);
      assert.equal(ids.check('ann', id.slice(0, at)), 'forged', `cut at ${at}`);
    }
    assert.equal(new SignedIds().check('ann', id), 'forged');
    for (const made of ['', 'resp_', 'resp_up1', `${id}=`, `${id}!`, ` ${id}`, `${id}A`]) {
      assert.equal(ids.check('ann', made), 'forged', made);
    }
  });
});
