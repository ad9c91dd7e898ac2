// What clients get of an error.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SimpleAgentsError } from '../../core/error.ts';
import { toHttpError, withoutAddresses } from './http-error.ts';

test('addresses of an error and of its causes are replaced as whole words', () => {
  const cause = new SimpleAgentsError('network', 'at http://db:80', { addresses: ['http://db:80', 'db:80', 'db'] });
  const message = 'could not connect to http://db:80 (db:80 is not db, but a dbx and my-db and adb)';
  const error = new SimpleAgentsError('network', message, { cause, target: 'own' });
  const shown = 'could not connect to the provider (the provider is not the provider, but a dbx and my-db and adb)';
  assert.equal(withoutAddresses(error), shown);
  const { status, error: sent } = toHttpError(error);
  assert.deepEqual([status, sent.message, sent.target, sent.cause], [502, shown, 'own', undefined]);
  assert.equal(error.message, message);
});

test('an error without addresses is sent as it is', () => {
  const error = new SimpleAgentsError('upstream', 'see https://platform.example/docs', { status: 500 });
  assert.equal(toHttpError(error).error, error);
});
