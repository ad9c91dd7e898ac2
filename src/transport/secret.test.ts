// Finding credentials in headers, and redacting them in text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact, redactExcerpt, secretsIn } from './secret.ts';

test('credentials are found without their scheme, the longest first', () => {
  const headers = {
    authorization: 'Bearer abcdefgh',
    'x-api-key': 'abcdefghijkl',
    'proxy-authorization': 'Basic dXNlcjpw=',
    'content-type': 'application/json',
    'x-auth-token': ' ',
  };
  assert.deepEqual(secretsIn(headers), ['abcdefghijkl', 'dXNlcjpw=', 'abcdefgh']);
});

test('a placeholder is not a credential, because redacting it would change ordinary words', () => {
  for (const placeholder of ['k', 'any', 'ollama']) {
    assert.deepEqual(secretsIn({ authorization: `Bearer ${placeholder}`, 'x-api-key': placeholder }), []);
  }
});

test('every occurrence is replaced, also of one credential within another', () => {
  assert.equal(redact('abcdef, abc and abc', ['abcdef', 'abc']), '[key], [key] and [key]');
  assert.equal(redact('nothing here', []), 'nothing here');
});

test('a truncated credential at the end of an excerpt is replaced', () => {
  const secrets = ['sk-0123456789'];
  assert.equal(redactExcerpt('your key sk-01234…', secrets), 'your key [key]…');
  assert.equal(redactExcerpt('your key sk-0123456789 and sk-0', secrets), 'your key [key] and [key]');
  assert.equal(redactExcerpt('take the task', secrets), 'take the task');
});
