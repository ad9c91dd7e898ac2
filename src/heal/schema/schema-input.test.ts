// A schema of a caller without types, such as one in JSON from another language.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heal } from '../heal.ts';
import type { JsonSchema } from './schema.ts';

test('a schema that is not an object is refused', () => {
  for (const schema of [1, 'string', true, false, null]) {
    assert.throws(() => heal('{', schema as unknown as JsonSchema), {
      kind: 'invalid-schema',
      message: 'the schema must be an object',
    });
  }
});
