// Sampled values fit their schema, checked by a small validator.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { createRandom } from '../model/random.ts';
import { noHints, sampleValue } from './sample.ts';
import type { Keywords } from './schema-keywords.ts';

type Schema = Keywords | boolean;

/** Validates the schemas below. Returns the first problem, or undefined. */
function complaint(value: unknown, schema: Schema, root: Schema, path = '$'): string | undefined {
  if (typeof schema === 'boolean') return schema ? undefined : `${path}: nothing fits`;
  const inner = (child: unknown, part: unknown, place: string): string | undefined =>
    complaint(child, part as Schema, root, place);
  if (typeof schema['$ref'] === 'string') {
    const target = schema['$ref'] === '#' ? root : definition(root, schema['$ref']);
    const found = inner(value, target, path);
    if (found !== undefined) return found;
  }
  for (const part of list(schema['allOf'])) {
    const found = inner(value, part, path);
    if (found !== undefined) return found;
  }
  for (const branches of [list(schema['anyOf']), list(schema['oneOf'])]) {
    if (branches.length > 0 && branches.every((branch) => inner(value, branch, path) !== undefined))
      return `${path}: no branch fits`;
  }
  if ('const' in schema && JSON.stringify(value) !== JSON.stringify(schema['const']))
    return `${path}: not the constant`;
  if (Array.isArray(schema['enum']) && !schema['enum'].some((item) => JSON.stringify(item) === JSON.stringify(value))) {
    return `${path}: not in the enum`;
  }
  const types = [schema['type'] ?? []].flat() as string[];
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return `${path}: not ${types.join(' or ')}`;
  if (typeof value === 'string') return stringComplaint(value, schema, path);
  if (typeof value === 'number') return numberComplaint(value, schema, path);
  if (Array.isArray(value)) {
    if (value.length < num(schema['minItems'], 0) || value.length > num(schema['maxItems'], Infinity))
      return `${path}: length`;
    if (schema['uniqueItems'] === true && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
      return `${path}: repeats`;
    }
    return first(value.map((item, index) => inner(item, schema['items'] ?? true, `${path}[${index}]`)));
  }
  if (typeof value === 'object' && value !== null) {
    const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
    const absent = list(schema['required']).find((name) => !Object.hasOwn(value, name as string));
    if (absent !== undefined) return `${path}: lacks ${JSON.stringify(absent)}`;
    const size = Object.keys(value).length;
    if (size < num(schema['minProperties'], 0) || size > num(schema['maxProperties'], Infinity)) return `${path}: size`;
    return first(
      Object.entries(value).map(([name, item]) =>
        inner(
          item,
          Object.hasOwn(properties, name) ? properties[name] : (schema['additionalProperties'] ?? true),
          `${path}.${name}`,
        ),
      ),
    );
  }
  return undefined;
}

function stringComplaint(value: string, schema: Keywords, path: string): string | undefined {
  const length = Array.from(value).length;
  if (length < num(schema['minLength'], 0) || length > num(schema['maxLength'], Infinity))
    return `${path}: length of ${value}`;
  if (typeof schema['pattern'] === 'string' && !new RegExp(schema['pattern'], 'u').test(value))
    return `${path}: pattern`;
  const format = formats[schema['format'] as string];
  return format === undefined || format.test(value) ? undefined : `${path}: format`;
}

function numberComplaint(value: number, schema: Keywords, path: string): string | undefined {
  const step = num(schema['multipleOf'], 0);
  const fits =
    value >= num(schema['minimum'], -Infinity) &&
    value <= num(schema['maximum'], Infinity) &&
    value > num(schema['exclusiveMinimum'], -Infinity) &&
    value < num(schema['exclusiveMaximum'], Infinity) &&
    (step === 0 || Math.abs(value / step - Math.round(value / step)) < 1e-9);
  return fits ? undefined : `${path}: ${value} is out of bounds`;
}

const formats: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u,
  email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/u,
  uri: /^https?:\/\/\S+$/u,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u,
};

function hasType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function definition(root: Schema, reference: string): Schema {
  return ((root as Keywords)['$defs'] as Record<string, Schema>)[reference.replace('#/$defs/', '')]!;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const num = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);
const first = (found: (string | undefined)[]): string | undefined => found.find((item) => item !== undefined);

const range = (low: fc.Arbitrary<number>): fc.Arbitrary<[number, number]> =>
  fc.tuple(low, fc.integer({ min: 1, max: 50 })).map(([from, width]) => [from, from + width]);

const patterns = [
  '^[A-Z]{3}-\\d{4}$',
  '^(?:red|green)[0-9]?$',
  '^\\w+@\\w+\\.(com|org)$',
  '[a-f]+',
  '^v\\d+\\.\\d+(\\.\\d+)?$',
];

const { schema: schemas } = fc.letrec<{ schema: Keywords; leaf: Keywords }>((tie) => ({
  leaf: fc.oneof(
    fc.constant({ type: 'string' }),
    range(fc.nat(20)).map(([minLength, maxLength]) => ({ type: 'string', minLength, maxLength })),
    fc.constantFrom(...Object.keys(formats)).map((format) => ({ type: 'string', format })),
    fc.constantFrom(...patterns).map((pattern) => ({ type: 'string', pattern })),
    range(fc.integer({ min: -50, max: 50 })).map(([minimum, maximum]) => ({ type: 'number', minimum, maximum })),
    range(fc.integer({ min: -50, max: 50 })).map(([low, high]) => ({
      type: 'number',
      exclusiveMinimum: low,
      exclusiveMaximum: high,
    })),
    fc.integer({ min: -50, max: 50 }).map((minimum) => ({ type: 'integer', exclusiveMinimum: minimum })),
    fc.integer({ min: -500, max: 50 }).map((maximum) => ({ type: 'integer', maximum })),
    fc.constantFrom(0.01, 0.25, 3, 7).map((multipleOf) => ({ type: 'number', multipleOf, minimum: -20 })),
    fc.constantFrom(3, 7).map((multipleOf) => ({ type: 'integer', multipleOf, exclusiveMinimum: 21, maximum: 90 })),
    fc
      .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1 })
      .map((values) => ({ enum: values })),
    fc.jsonValue().map((value) => ({ const: value })),
    fc.constantFrom(
      { type: 'boolean' },
      { type: 'null' },
      { type: ['string', 'null'] },
      { type: ['integer', 'boolean'] },
      {},
    ),
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc
      .tuple(tie('schema'), range(fc.nat(3)))
      .map(([items, [minItems, maxItems]]) => ({ type: 'array', items, minItems, maxItems })),
    fc
      .tuple(fc.dictionary(fc.string({ maxLength: 6 }), tie('schema'), { maxKeys: 4 }), fc.boolean())
      .map(([properties, closed]) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).filter((_, index) => index % 2 === 0),
        ...(closed ? { additionalProperties: false } : {}),
      })),
    tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties, minProperties: 2 })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.tuple(tie('leaf'), tie('leaf')).map(([left, right]) => ({
      allOf: [
        { type: 'object', properties: { left }, required: ['left'] },
        { type: 'object', properties: { right }, required: ['right'] },
      ],
    })),
  ),
}));

describe('a sampled value', () => {
  test('fits its schema', () => {
    fc.assert(
      fc.property(schemas, fc.nat(), (schema, seed) => {
        const value = sampleValue(schema, createRandom(String(seed)));
        assert.equal(complaint(value, schema, schema), undefined, JSON.stringify({ schema, value }));
      }),
      { numRuns: 2000 },
    );
  });

  test('is the same for the same seed, and differs for another', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a', 'b'],
    };
    const sample = (seed: string): string => JSON.stringify(sampleValue(schema, createRandom(seed)));
    assert.equal(sample('one'), sample('one'));
    assert.notEqual(sample('one'), sample('two'));
  });

  const recursive: Readonly<Record<string, Keywords>> = {
    'a linked list': {
      type: 'object',
      properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      required: ['value', 'next'],
      additionalProperties: false,
    },
    'a tree': {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['name', 'children'],
        },
      },
    },
    'an expression': {
      $ref: '#/$defs/expression',
      $defs: {
        expression: { oneOf: [{ $ref: '#/$defs/sum' }, { $ref: '#/$defs/literal' }] },
        sum: {
          type: 'object',
          properties: { left: { $ref: '#/$defs/expression' }, right: { $ref: '#/$defs/expression' } },
          required: ['left', 'right'],
          additionalProperties: false,
        },
        literal: {
          type: 'object',
          properties: { value: { type: 'number' } },
          required: ['value'],
          additionalProperties: false,
        },
      },
    },
  };
  for (const [name, schema] of Object.entries(recursive)) {
    test(`fits and ends for ${name}`, () => {
      for (let seed = 0; seed < 100; seed += 1) {
        const value = sampleValue(schema, createRandom(String(seed)));
        assert.equal(complaint(value, schema, schema), undefined, JSON.stringify(value));
      }
    });
  }

  test('ends for a schema that no value fits', () => {
    const schema = { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] };
    assert.doesNotThrow(() => sampleValue(schema, createRandom('x')));
    assert.equal(sampleValue(false, createRandom('x')), null);
  });

  test('uses words and numbers from the conversation where they fit', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer', maximum: 10 },
        unit: { enum: ['celsius', 'kelvin'] },
      },
      required: ['city', 'days', 'unit'],
    };
    const hints = { ...noHints(), text: 'paris for 3 days in kelvin', strings: ['Paris'], numbers: [3] };
    assert.deepEqual(sampleValue(schema, createRandom('x'), { hints }), { city: 'Paris', days: 3, unit: 'kelvin' });
  });

  test('keeps a property named __proto__ as data', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}',
    ) as Keywords;
    const value = sampleValue(schema, createRandom('x'));
    assert.equal(JSON.stringify(value), '{"__proto__":1}');
  });
});
