// One valid and one invalid value for each keyword, and for the ways in which keywords interact.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { heal } from '../heal.ts';
import { HealError } from '../report/error.ts';
import { toTarget } from '../schema/schema-input.ts';
import type { JsonSchema } from '../schema/schema.ts';
import { validate } from './validation.ts';

interface KeywordCase {
  readonly schema: JsonSchema;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

/** An object literal must not have a member `then`. */
function parse(schema: string): JsonSchema {
  return JSON.parse(schema) as JsonSchema;
}

const text = { type: 'string' };
const count = { type: 'integer' };

const cases: Readonly<Record<string, KeywordCase>> = {
  'a type': { schema: { type: ['integer', 'null'] }, valid: [1, 1.0, null], invalid: [1.5, '1', [], {}, true] },
  'a constant object': { schema: { const: { a: [1] } }, valid: [{ a: [1] }], invalid: [{ a: [2] }, { a: [1], b: 1 }] },
  'an enum beside a type': { schema: { ...text, enum: ['a', 1] }, valid: ['a'], invalid: [1, 'b'] },
  'an enum of lists': { schema: { enum: [[1], 'x'] }, valid: [[1], 'x'], invalid: [[2], [1, 1]] },
  'zero is not false': { schema: { enum: [0, 'true'] }, valid: [0, -0], invalid: [false, true] },
  'a bound without a type': { schema: { minimum: 3 }, valid: [3, 'text', null, []], invalid: [2] },
  'properties without a type': {
    schema: { properties: { a: text } },
    valid: [{ a: 'x' }, 12, [1]],
    invalid: [{ a: 1 }],
  },
  'items without a type': { schema: { items: count }, valid: [[1], 'x', {}], invalid: [['x']] },
  'exclusive bounds of draft 4': {
    schema: { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true },
    valid: [2],
    invalid: [1, 3],
  },
  'one of several, exactly': { schema: { oneOf: [count, { minimum: 2 }] }, valid: [1, 2.5], invalid: [3, 1.5] },
  'a negation': { schema: { not: { required: ['a'] } }, valid: [{ b: 1 }], invalid: [{ a: 1 }] },
  'a condition': {
    schema: parse('{"if": {"required": ["a"]}, "then": {"required": ["x"]}, "else": {"required": ["y"]}}'),
    valid: [{ a: 1, x: 1 }, { y: 1 }],
    invalid: [{ a: 1 }, { b: 1 }],
  },
  'two unions': {
    schema: { anyOf: [{ required: ['a'] }, { required: ['b'] }], oneOf: [{ required: ['c'] }, { required: ['d'] }] },
    valid: [
      { a: 1, c: 1 },
      { b: 1, d: 1 },
    ],
    invalid: [{ a: 1 }, { a: 1, c: 1, d: 1 }],
  },
  'parts that bound the same property': {
    schema: { allOf: [{ properties: { a: { minimum: 2 } } }, { properties: { a: { maximum: 3 } } }] },
    valid: [{ a: 2 }],
    invalid: [{ a: 1 }, { a: 4 }],
  },
  'contained items': {
    schema: { contains: count, minContains: 2, maxContains: 3 },
    valid: [[1, 'x', 2]],
    invalid: [[1], [1, 2, 3, 4]],
  },
  'a prefix and no more': {
    schema: { prefixItems: [text], items: false },
    valid: [['a'], []],
    invalid: [['a', 1], [1]],
  },
  'a prefix of draft 7': {
    schema: { items: [text], additionalItems: count },
    valid: [['a', 1]],
    invalid: [['a', 'b']],
  },
  'names and patterns': {
    schema: { patternProperties: { '^x-': count }, properties: { a: text }, additionalProperties: false },
    valid: [{ 'x-b': 1, a: 'c' }],
    invalid: [{ 'x-b': 'c' }, { b: 1 }],
  },
  'property names': { schema: { propertyNames: { maxLength: 2 } }, valid: [{ ab: 1 }], invalid: [{ abc: 1 }] },
  'dependent properties': {
    schema: { dependentRequired: { card: ['address'] }, dependentSchemas: { age: { properties: { age: count } } } },
    valid: [{ card: 1, address: 2 }, { age: 3 }],
    invalid: [{ card: 1 }, { age: 'x' }],
  },
  'dependencies of draft 7': {
    schema: { dependencies: { a: ['b'], c: { required: ['d'] } } },
    valid: [
      { a: 1, b: 2 },
      { c: 1, d: 1 },
    ],
    invalid: [{ a: 1 }, { c: 1 }],
  },
  'properties that no schema judged': {
    schema: {
      allOf: [{ properties: { a: text } }],
      anyOf: [{ properties: { b: count } }, true],
      unevaluatedProperties: false,
    },
    valid: [{ a: 'x', b: 1 }],
    invalid: [{ a: 'x', c: 1 }, { b: 'x' }],
  },
  'items that no schema judged': {
    schema: { allOf: [{ prefixItems: [text] }], contains: { const: 1 }, unevaluatedItems: false },
    valid: [['a', 1]],
    invalid: [['a', 1, 2]],
  },
  'a schema that leads back to itself': {
    schema: { $ref: '#/$defs/a', $defs: { a: { ...text, anyOf: [{ $ref: '#/$defs/a' }, { minLength: 2 }] } } },
    valid: ['ab'],
    invalid: [1],
  },
};

describe('a value', () => {
  for (const [name, { schema, valid, invalid }] of Object.entries(cases)) {
    test(name, () => {
      const { validation } = toTarget(schema);
      assert.ok(validation !== undefined);
      for (const value of valid) {
        assert.equal(validate(validation, value).violation, undefined, JSON.stringify(value));
        assert.doesNotThrow(() => heal(JSON.stringify(value), schema), JSON.stringify(value));
      }
      for (const value of invalid) assert.ok(validate(validation, value).violation, JSON.stringify(value));
    });
  }
});

test('valid JSON that is valid by the schema is not coerced', () => {
  for (const [schema, value] of [
    [{ properties: { a: text }, required: ['a'] }, [{ a: 'x' }]],
    [{ minimum: 3 }, '5'],
    [{ items: text }, 'a'],
    [
      { properties: { a: {} }, minProperties: 2 },
      { a: 1, b: 2 },
    ],
    [{ properties: { a: { ...count, maximum: 3, default: 5 } } }, {}],
    [{ enum: [{ a: 1 }] }, { a: 1 }],
    [{ anyOf: [{ properties: { a: text }, required: ['b'] }] }, { a: 'x', b: 2 }],
  ] as const) {
    assert.deepEqual(heal(JSON.stringify(value), schema), { value, flags: [], confidence: 1 });
  }
});

test('a value that coercion makes invalid is rejected', () => {
  const schema = {
    type: 'object',
    properties: { a: count },
    required: ['a'],
    not: { properties: { a: { const: 5 } } },
  };
  assert.deepEqual(heal("{'a': '4'}", schema).value, { a: 4 });
  assert.throws(() => heal("{'a': '5'}", schema), isInvalidValue);
});

function shape(kind: string, width: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { kind: { const: kind }, size: { type: 'object', properties: { width } } },
  };
}

test('the violation is that of the branch that fits best', () => {
  const schema = { anyOf: [text, shape('a', count), shape('b', { ...count, minimum: 3 })] };
  assert.throws(
    () => heal('{"kind": "b", "size": {"width": 2}}', schema),
    (error) => isInvalidValue(error) && error.message.startsWith('size.width: must be at least 3'),
  );
});

function isInvalidValue(error: unknown): error is HealError {
  return error instanceof HealError && error.kind === 'invalid-value';
}
