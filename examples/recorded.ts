// A test against a recorded response, without a key and without a network. A run with RECORD=1 calls the provider and
// stores its response without the key. Other runs replay it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createRecordedTransport } from '../src/exports/testing.ts';
import { createClient } from '../src/index.ts';

const { RECORD, OPENAI_API_KEY = 'replayed' } = process.env;
const transport = createRecordedTransport({
  directory: join(import.meta.dirname, 'recordings'),
  mode: RECORD ? 'record' : 'replay',
});
const client = createClient({ provider: 'openai', apiKey: OPENAI_API_KEY, model: 'gpt-5.4-mini', transport });

test('the assistant counts', async () => {
  const { text, usage } = await client.stream('Count to 5').final();
  assert.equal(text, '1, 2, 3, 4, 5');
  assert.ok(usage.output > 0);
  console.log(text);
});
