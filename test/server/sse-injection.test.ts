// A model's words never become events of their own.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkInjection } from '../support/sse-injection.ts';

test('line ends in any text of an answer end no line of the stream', (context) => {
  const seed = String(Date.now());
  context.diagnostic(`seed ${seed}`);
  assert.ok(checkInjection(seed, 500) > 5000);
});
