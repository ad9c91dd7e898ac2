// Hostile texts of up to 16 MB: healing terminates and throws only HealError. bench/heal-hostile.ts measures how long
// it takes.

import { describe, test } from 'node:test';

import type { JsonSchema } from '../../src/heal/index.ts';
import { cutEvery } from '../support/chunks.ts';
import { healChunks, healWhole, sendChunks } from '../support/heal-outcome.ts';
import { hostileTexts, typedHostileTexts } from '../support/hostile-texts.ts';

const megabyte = 1_000_000;
const sizes = [1, 16];
const options = { minConfidence: 0 };

const schema: JsonSchema = {
  type: 'object',
  properties: {
    a: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#' } }, { $ref: '#' }] },
    tags: { type: 'array', items: { enum: ['x', 'y'] } },
    count: { type: ['integer', 'null'] },
  },
  required: ['a'],
};

describe('hostile texts in one piece, without a schema', () => {
  for (const [name, text] of Object.entries(hostileTexts)) {
    test(name, () => {
      for (const size of sizes) healWhole(text(size * megabyte), undefined, options);
    });
  }
});

describe('hostile texts in one piece, with a recursive schema', () => {
  for (const [name, text] of Object.entries(hostileTexts)) {
    test(name, () => {
      healWhole(text(megabyte), schema, options);
    });
  }
});

describe('hostile texts with a schema of their own', () => {
  for (const [name, { schema: own, text }] of Object.entries(typedHostileTexts)) {
    test(name, () => {
      healWhole(text(megabyte), own, options);
      const chunks = cutEvery(text(megabyte / 20), 64);
      healChunks(chunks, own, options);
      sendChunks(chunks, own, options);
    });
  }
});

describe('hostile texts in chunks, with a partial value after each', () => {
  for (const [name, text] of Object.entries(hostileTexts)) {
    test(name, () => {
      const chunks = cutEvery(text(megabyte / 20), 64);
      healChunks(chunks, undefined, options);
      healChunks(chunks, schema, options);
      sendChunks(chunks, schema, options);
    });
  }
});
