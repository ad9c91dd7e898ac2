// Defaults that make a value invalid are not filled in.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { heal } from '../heal.ts';
import { HealError } from '../report/error.ts';
import type { JsonSchema } from '../schema/schema.ts';

function object(properties: JsonSchema, others: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties: { id: { type: 'integer' }, ...properties }, ...others };
}

const invalidDefaults: Readonly<Record<string, JsonSchema>> = {
  'of another type': object({ a: { type: 'boolean', default: 'false' } }),
  'null where a string is wanted': object({ a: { type: 'string', default: null } }),
  'out of bounds': object({ a: { type: 'integer', maximum: 3, default: 5 } }),
  'against a pattern': object({ a: { type: 'string', pattern: '^x', default: 'a' } }),
  'that exclude each other': object({ a: { default: 1 }, b: { default: 2 } }, { not: { required: ['a', 'b'] } }),
};

for (const [name, schema] of Object.entries(invalidDefaults)) {
  test(`a default ${name}`, () => {
    for (const text of ['{"id": 1}', "{'id': '1',}", '```json\n{"id": 1}\n```']) {
      const { value, flags } = heal(text, schema);
      assert.deepEqual(value, { id: 1 }, text);
      assert.ok(!flags.some(({ kind }) => kind === 'used-default-value'));
    }
  });
}

test('inside an array', () => {
  const item = object({ a: { type: 'string', default: 7 } });
  const { value } = heal("[{'id': 1}, {'id': 2, 'a': 'x'}]", { type: 'array', items: item });
  assert.deepEqual(value, [{ id: 1 }, { id: 2, a: 'x' }]);
});

test('an invalid default of a required field is an error', () => {
  const schema = object({ a: { type: 'integer', maximum: 3, default: 5 } }, { required: ['a'] });
  assert.throws(
    () => heal("{'id': 1}", schema),
    (error) =>
      error instanceof HealError && error.kind === 'invalid-value' && /a: must be at most 3/.test(error.message),
  );
});

test('valid defaults are filled in, however many there are', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`p${index}`, { type: 'integer', default: index }]),
  );
  const { value, confidence } = heal("```json\n{'id': 1}\n```", object(properties));
  assert.equal(Object.keys(value as object).length, 61);
  assert.ok(confidence > 0.9, String(confidence));
});

test('a branch that adds defaults is better than one that leaves out a member', () => {
  const base = { image: { type: 'string' }, context: { type: 'string', default: '.' } };
  const artifact = {
    type: 'object',
    properties: { cache: { type: 'boolean', default: true }, file: { type: 'string', default: 'f' } },
  };
  const anyOf = [{}, { docker: artifact }, { kaniko: artifact }].map((own) => ({
    type: 'object',
    properties: { ...base, ...own },
  }));
  const { value } = heal("{'image': 'a', 'kaniko': {}}", { anyOf });
  assert.deepEqual(value, { image: 'a', context: '.', kaniko: { cache: true, file: 'f' } });
});

test('a branch that converts a member is better than one that leaves it out', () => {
  const cluster = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const anyOf = [{}, { cluster }].map((own) => ({ type: 'object', properties: { id: { type: 'integer' }, ...own } }));
  assert.deepEqual(heal('{"id": 1, "cluster": [{"name": "a"}],}', { anyOf }).value, { id: 1, cluster: { name: 'a' } });
});

test('defaults at every level of a deep value are taken back', () => {
  const depth = 500;
  const schema = object({ next: { $ref: '#' }, a: { type: 'integer', maximum: 3, default: 5 } });
  const { value } = heal(`${'{"next": '.repeat(depth)}{"id": 1}${'}'.repeat(depth)}`, schema);
  let [at, levels] = [value as { readonly next?: object; readonly id?: number }, 0];
  for (; at.next !== undefined; at = at.next) {
    assert.deepEqual(Object.keys(at), ['next']);
    levels++;
  }
  assert.deepEqual([levels, at], [depth, { id: 1 }]);
});
