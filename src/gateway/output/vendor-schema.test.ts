// Schemas for vendors that compile them: what is closed, what moves to the description, what cannot be expressed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonSchema } from '../../core/json.ts';
import { schemaRules, toVendorSchema } from './vendor-schema.ts';

const closed = (schema: JsonSchema) => toVendorSchema(schema, schemaRules.closed);
const strict = (schema: JsonSchema) => toVendorSchema(schema, schemaRules.strict);
const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});

function ageIn(said: JsonSchema = {}): unknown {
  return (said['properties'] as JsonSchema)['age'];
}

describe('a schema for a vendor', () => {
  test('has every object closed', () => {
    const schema = object({ home: object({ city: { type: 'string' } }) });
    const expected = object(
      { home: object({ city: { type: 'string' } }, { additionalProperties: false }) },
      { additionalProperties: false },
    );
    assert.deepEqual(closed(schema), expected);
    assert.deepEqual(strict(schema), expected);
  });

  test('moves unsupported keywords to the description', () => {
    const schema = object({ age: { type: 'integer', description: 'In years.', minimum: 0, default: 3 } });
    assert.deepEqual(ageIn(closed(schema)), { type: 'integer', description: 'In years. (minimum: 0, default: 3)' });
    assert.deepEqual(ageIn(strict(schema)), { type: 'integer', description: 'In years. (default: 3)', minimum: 0 });
    const format = object({ age: { type: 'string', format: 'uri' } });
    assert.deepEqual(ageIn(closed(format)), { type: 'string', format: 'uri' });
    assert.deepEqual(ageIn(strict(format)), { type: 'string', description: '(format: "uri")' });
  });

  test('drops keywords about the document or about healing', () => {
    const schema = object({ a: { type: 'string', 'x-alias': ['b'] } }, { $schema: 'https://json-schema.org' });
    assert.deepEqual(closed(schema), object({ a: { type: 'string' } }, { additionalProperties: false }));
  });

  test('expresses all alternatives as anyOf', () => {
    const either = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    const sayings: JsonSchema[] = [either, { oneOf: either.anyOf }, { type: ['string', 'null'] }];
    for (const saying of sayings) {
      assert.deepEqual(closed(object({ a: saying })), object({ a: either }, { additionalProperties: false }));
    }
  });

  test('keeps references, and nothing next to them', () => {
    const $defs = { point: object({ x: { type: 'number' } }, { additionalProperties: false }) };
    const schema = object(
      { a: { $ref: '#/$defs/point', description: 'one' }, b: { $ref: '#/$defs/point' } },
      { $defs },
    );
    const reference = { $ref: '#/$defs/point' };
    assert.deepEqual(closed(schema), object({ a: reference, b: reference }, { $defs, additionalProperties: false }));
  });
});

describe('a schema cannot be expressed with', () => {
  const inexpressible: Readonly<Record<string, JsonSchema>> = {
    'a list at the root': { type: 'array', items: { type: 'string' } },
    'a map': object({ counts: { type: 'object', additionalProperties: { type: 'number' } } }),
    'any object': object({ extra: { type: 'object' } }),
    'anything': object({ extra: {} }),
    'a tuple': object({ pair: { type: 'array', prefixItems: [{ type: 'string' }] } }),
    'a conjunction': object({ both: { allOf: [{ type: 'string' }] } }),
  };
  for (const [what, schema] of Object.entries(inexpressible)) {
    test(what, () => {
      assert.equal(closed(schema), undefined);
      assert.equal(strict(schema), undefined);
    });
  }

  test('recursion, if the vendor does not support it', () => {
    const schema = object(
      { root: { $ref: '#/$defs/node' } },
      { $defs: { node: object({ next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }) } },
    );
    assert.equal(closed(schema), undefined);
    assert.equal(closed(object({ self: { $ref: '#' } })), undefined);
    assert.notEqual(strict(schema), undefined);
  });

  test('an optional member, if all must be required', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    assert.equal(strict(schema), undefined);
    assert.deepEqual(closed(schema), { ...schema, additionalProperties: false });
  });
});
