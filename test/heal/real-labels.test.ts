// The labels of real responses: what a digest ignores, how the ids are split, and that the committed files are well formed.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';

import { digestOf, halfOf, type Labels } from '../../bench/healing-real/label.ts';
import type { JsonSchema } from '../../src/core/json.ts';

const person: JsonSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};

describe('labels of real responses', () => {
  it('ignore the order of keys and keys that the schema does not have', () => {
    const digest = digestOf({ name: 'Ada', age: 36 }, person);
    assert.equal(digestOf({ age: 36, city: 'London', name: 'Ada' }, person), digest);
    assert.notEqual(digestOf({ name: 'Ada', age: 37 }, person), digest);
  });

  it('keep a text and its parts in one half', () => {
    const ids = Array.from({ length: 200 }, (_, index) => `model|task|style|n${index}|0`);
    assert.deepEqual(
      ids.map((id) => halfOf(`${id}#arguments`)),
      ids.map(halfOf),
    );
    const fitted = ids.filter((id) => halfOf(id) === 'fit').length;
    assert.ok(fitted > 70 && fitted < 130, `${fitted} of ${ids.length} are in the fit half`);
  });

  it('are digests by id, and no id is in two files', async () => {
    const files = await Promise.all(['labels.json', 'tool-call-labels.json'].map(loadLabels));
    const ids = files.flatMap((labels) => Object.keys(labels));
    assert.equal(new Set(ids).size, ids.length);
    const malformed = files
      .flatMap((labels) => Object.values(labels).flat())
      .filter((each) => !/^[0-9a-f]{16}$/.test(each));
    assert.deepEqual(malformed, []);
  });
});

async function loadLabels(file: string): Promise<Labels> {
  return JSON.parse(await readFile(new URL(`../../bench/healing-real/${file}`, import.meta.url), 'utf8')) as Labels;
}
