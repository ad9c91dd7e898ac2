// Which parameters pass to a provider.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toPassedQuery } from './passed-query.ts';

test('keys do not pass to a provider, and all else does', () => {
  const keys = ['key', 'KEY', '%6bey', 'api_key', 'api-key', 'apikey', 'apiKey', 'x-api-key', 'x-goog-api-key'];
  for (const name of [...keys, 'access_token', 'auth_token', 'authorization', 'client_secret'])
    assert.equal(toPassedQuery(`limit=2&${name}=secret&after=a`), 'limit=2&after=a', name);
  const usual =
    'limit=2&after=file-1&purpose=batch&order=asc&include[]=a&page_token=b&next_token=c&beta=true&$alt=json';
  assert.equal(toPassedQuery(usual), usual);
});
