// Which headers hold credentials, and that these leave a text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact, secretsIn } from './secret.ts';

test('credentials are found without their scheme, the longest first', () => {
  const headers = {
    authorization: 'Bearer abc',
    'x-api-key': 'abcdef',
    'proxy-authorization': 'Basic xyz=',
    'content-type': 'application/json',
    'x-auth-token': ' ',
  };
  assert.deepEqual(secretsIn(headers), ['abcdef', 'xyz=', 'abc']);
});

test('every occurrence is replaced, also of one credential within another', () => {
  assert.equal(redact('abcdef, abc and abc', ['abcdef', 'abc']), '[key], [key] and [key]');
  assert.equal(redact('nothing here', []), 'nothing here');
});
