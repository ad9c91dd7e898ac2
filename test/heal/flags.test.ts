// Every kind of flag has an example that produces it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { flagWeights, heal, healText, type FlagKind } from '../../src/heal/index.ts';
import { cutEvery } from '../support/chunks.ts';
import { flagExamples, type FlagExample } from '../support/heal-examples.ts';
import { healChunks, type Healed } from '../support/heal-outcome.ts';

const options = { minConfidence: 0 };

test('every flag has an example, and no other', () => {
  const kinds = Object.keys(flagWeights) as FlagKind[];
  assert.deepEqual(flagExamples.map((example) => example.flag).toSorted(), kinds.toSorted());
});

describe('the example of', () => {
  for (const example of flagExamples) {
    test(example.flag, () => {
      const { value, flags, confidence } = run(example);
      assert.deepEqual(value, example.value);
      const kinds = flags.map((flag) => flag.kind);
      assert.ok(kinds.includes(example.flag), kinds.join(', '));
      assert.equal(confidence < 0.7, example.refused === true, `confidence ${confidence}`);
      assert.equal(confidence === 1, example.flag === 'dropped-field', 'a change costs confidence');
      if (example.early === undefined) {
        const { text, schema } = example;
        assert.deepEqual(healChunks(cutEvery(text, 1), schema, options), { value, flags, confidence });
      }
    });
  }
});

function run({ text, schema, early }: FlagExample): Healed {
  if (schema === undefined) return heal(text, undefined, options);
  if (early === undefined) return heal(text, schema, options);
  const writer = healText(schema);
  for (const chunk of cutEvery(text, 1)) writer.push(chunk);
  const { text: _text, ...healed } = writer.end();
  return healed;
}
