// Text of a model never becomes an event of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkInjection } from '../support/sse-injection.ts';

test('line breaks in the text of a response end no line of the stream', (context) => {
  const seed = String(Date.now());
  context.diagnostic(`seed ${seed}`);
  assert.ok(checkInjection(seed, 500) > 5000);
});
