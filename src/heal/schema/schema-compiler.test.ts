// Compiling a JSON Schema to schema nodes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HealError } from '../report/error.ts';
import { compileSchema } from './schema-compiler.ts';
import type { ArraySchema, JsonSchema, ObjectSchema, SchemaNode, UnionSchema } from './schema.ts';

function compileNode(schema: JsonSchema | boolean): SchemaNode {
  return compileSchema(schema).node;
}

function object(schema: JsonSchema): ObjectSchema {
  const node = compileNode(schema);
  assert.equal(node.kind, 'object');
  return node;
}

/** An object literal must not have a member `then`. */
function parse(schema: string): JsonSchema {
  return JSON.parse(schema) as JsonSchema;
}

function field(schema: ObjectSchema, name: string): SchemaNode {
  const found = schema.fields.get(name);
  assert.ok(found !== undefined, name);
  return found.schema;
}

function kinds(schema: JsonSchema | boolean): string | string[] {
  const node = compileNode(schema);
  return node.kind === 'union' ? node.branches.map((branch) => branch.kind) : node.kind;
}

describe('types', () => {
  test('each type of JSON Schema', () => {
    for (const type of ['string', 'number', 'boolean', 'null', 'array', 'object']) assert.equal(kinds({ type }), type);
    assert.deepEqual(
      { ...compileNode({ type: 'integer' }), id: 0 },
      { ...compileNode({ type: 'number' }), id: 0, integer: true },
    );
  });

  test('booleans are schemas', () => {
    assert.equal(kinds(true), 'any');
    assert.equal(kinds(false), 'never');
    assert.equal(kinds({}), 'any');
  });

  test('an implied type', () => {
    assert.equal(kinds({ properties: {} }), 'object');
    assert.equal(kinds({ required: ['a'] }), 'object');
    assert.equal(kinds({ items: {} }), 'array');
    assert.equal(kinds({ prefixItems: [] }), 'array');
    assert.equal(kinds({ pattern: 'a' }), 'string');
    assert.equal(kinds({ minimum: 1 }), 'number');
  });

  test('several types become a union in the same order', () => {
    assert.deepEqual(kinds({ type: ['string', 'null'] }), ['string', 'null']);
    const list = compileNode({ type: ['array', 'null'], items: { type: 'string' } }) as UnionSchema;
    assert.equal((list.branches[0] as ArraySchema).items.kind, 'string');
  });

  test('nullable adds null', () => {
    assert.deepEqual(kinds({ type: 'string', nullable: true }), ['string', 'null']);
    assert.equal(kinds({ type: 'string', nullable: false }), 'string');
  });

  test('constants and enums', () => {
    const node = compileNode({ enum: ['a', 'b'], 'x-enum-aliases': { a: ['first'], b: 'second' } });
    assert.ok(node.kind === 'enum');
    assert.deepEqual([...node.values], ['a', 'b']);
    assert.deepEqual(node.aliases.get('b'), ['second']);
    assert.equal(kinds({ const: null }), 'enum');
  });

  test('a union of constants becomes one enum', () => {
    const node = compileNode({ anyOf: [{ const: 'a' }, { const: 'b' }, { enum: ['c'] }] });
    assert.ok(node.kind === 'enum');
    assert.deepEqual([...node.values], ['a', 'b', 'c']);
  });
});

describe('unions', () => {
  test('keep their order', () => {
    assert.deepEqual(kinds({ oneOf: [{ type: 'integer' }, { type: 'string' }] }), ['number', 'string']);
  });

  test('with one branch become that branch', () => {
    assert.equal(kinds({ anyOf: [{ type: 'string' }] }), 'string');
  });

  test('with one branch and a default keep the default', () => {
    const node = compileNode({ anyOf: [{ type: 'string' }], default: 'x' });
    assert.equal(node.hasDefault, true);
    assert.equal(node.default, 'x');
  });

  test('pass on the keywords beside them', () => {
    const node = compileNode({
      properties: { id: { type: 'string' } },
      anyOf: [{ required: ['id'] }, { properties: { name: { type: 'string' } } }],
    });
    assert.ok(node.kind === 'union');
    assert.ok(node.branches.every((branch) => branch.kind === 'object'));
    assert.equal((node.branches[0] as ObjectSchema).fields.get('id')?.required, true);
    assert.deepEqual([...(node.branches[1] as ObjectSchema).fields.keys()], ['id', 'name']);
  });

  test('are nullable as a whole', () => {
    assert.deepEqual(kinds({ anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true }), ['union', 'null']);
  });
});

describe('allOf', () => {
  test('merges all parts', () => {
    const node = object({
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { $ref: '#/$defs/second' },
        { allOf: [{ properties: { c: { type: 'null' } } }] },
      ],
      properties: { d: { type: 'boolean' } },
      required: ['d'],
      $defs: { second: { properties: { b: { type: 'number' } }, required: ['b'] } },
    });
    assert.deepEqual([...node.fields.keys()], ['a', 'b', 'c', 'd']);
    assert.deepEqual(
      [...node.fields.values()].filter((each) => each.required).map((each) => each.name),
      ['a', 'b', 'd'],
    );
  });

  test('combines what the parts say about the same property', () => {
    const node = object({
      allOf: [
        { properties: { a: { type: ['string', 'null'] } } },
        { properties: { a: { type: ['string', 'number'] } } },
      ],
    });
    assert.equal(field(node, 'a').kind, 'string');
  });

  test('declares the properties of conditions as optional ones', () => {
    const node = object({
      properties: { kind: { type: 'string' } },
      allOf: [
        parse('{"if": {"required": ["a"]}, "then": {"properties": {"x": {"type": "string"}}, "required": ["x"]}}'),
        parse('{"if": {"required": ["b"]}, "then": {"properties": {"x": {"type": "number"}}}}'),
      ],
      dependentSchemas: { kind: { properties: { y: { type: 'boolean' } } } },
      else: { oneOf: [{ properties: { z: { type: 'null' } } }] },
    });
    assert.deepEqual([...node.fields.keys()], ['kind', 'x', 'y', 'z']);
    assert.equal(node.fields.get('x')?.required, false);
    const x = field(node, 'x') as UnionSchema;
    assert.deepEqual(
      x.branches.map((branch) => branch.kind),
      ['string', 'number'],
    );
  });

  test('keeps the properties of a second union', () => {
    const node = compileNode({
      allOf: [{ anyOf: [{ properties: { a: {} } }, { type: 'null' }] }, { oneOf: [{ properties: { b: {} } }] }],
    }) as UnionSchema;
    assert.deepEqual([...(node.branches[0] as ObjectSchema).fields.keys()].toSorted(), ['a', 'b']);
  });

  test('with one reference becomes its target', () => {
    assert.equal(kinds({ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { type: 'string' } } }), 'string');
  });
});

describe('references', () => {
  test('into definitions, with escapes in the pointer', () => {
    const definitions = { 'a/b~c d': { type: 'string' } };
    assert.equal(kinds({ $ref: '#/$defs/a~1b~0c%20d', $defs: definitions }), 'string');
    assert.equal(kinds({ $ref: '#/definitions/x', definitions: { x: { type: 'null' } } }), 'null');
    assert.equal(kinds({ $ref: '#/$defs/x/anyOf/1', $defs: { x: { anyOf: [true, { type: 'boolean' }] } } }), 'boolean');
  });

  test('to the root form a cycle', () => {
    const node = object({ properties: { child: { $ref: '#' } } });
    assert.equal(field(node, 'child'), node);
  });

  test('between two schemas form a cycle', () => {
    const node = object({
      $ref: '#/$defs/person',
      $defs: {
        person: { properties: { pets: { type: 'array', items: { $ref: '#/$defs/pet' } } } },
        pet: { properties: { owner: { $ref: '#/$defs/person' } } },
      },
    });
    const pets = field(node, 'pets') as ArraySchema;
    assert.equal(field(pets.items as ObjectSchema, 'owner'), node);
  });

  test('through a union that refers to itself', () => {
    const node = compileNode({ anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#' } }] });
    assert.ok(node.kind === 'union');
    assert.equal((node.branches[1] as ArraySchema).items, node);
  });

  test('are merged with sibling keywords', () => {
    const schema = { $ref: '#/$defs/a', default: 'x', description: 'd', $defs: { a: { type: 'string' } } };
    assert.equal(compileNode(schema).default, 'x');
    const narrowed = object({
      $ref: '#/$defs/a',
      required: ['b'],
      $defs: { a: { properties: { b: { type: 'string' } } } },
    });
    assert.equal(narrowed.fields.get('b')?.required, true);
  });

  test('back to the same schema work with sibling keywords', () => {
    for (const next of [
      { allOf: [{ $ref: '#' }], description: 'd' },
      { $ref: '#', minProperties: 1 },
    ]) {
      const node = object({ properties: { value: { type: 'string' }, next }, required: ['value'] });
      const again = field(node, 'next') as ObjectSchema;
      assert.equal(again.fields.get('value')?.required, true);
      const below = field(again, 'next');
      assert.ok(below.kind === 'union' || below.kind === 'object');
    }
  });

  test('only to themselves are rejected', () => {
    assertRejected({ anyOf: [{ $ref: '#' }] }, '#');
    assertRejected({ $ref: '#' }, '#');
    assertRejected({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, '#');
    assertRejected({ allOf: [{ $ref: '#' }] }, '#');
  });
});

describe('objects', () => {
  test('index their fields by name, alias and similar name', () => {
    const node = object({ properties: { userName: { type: 'string', 'x-alias': ['nick', 'n'] }, user_name: {} } });
    assert.equal(node.aliases.get('nick')?.name, 'userName');
    assert.equal(node.similar.get('username')?.name, 'userName');
    assert.equal(node.similar.get('n')?.name, 'userName');
  });

  test('find an alias inside a branch of the field', () => {
    const a = { anyOf: [{ type: 'number', 'x-alias': ['n'] }, { type: 'null' }] };
    assert.equal(object({ properties: { a } }).aliases.get('n')?.name, 'a');
  });

  test('leave out undeclared members, unless they are open', () => {
    assert.equal(object({ properties: { a: {} } }).rest, undefined);
    assert.equal(object({ properties: { a: {} }, additionalProperties: false }).rest, undefined);
    assert.equal(object({ properties: { a: {} }, additionalProperties: true }).rest?.kind, 'any');
    assert.equal(object({ additionalProperties: { type: 'string' } }).rest?.kind, 'string');
    assert.equal(object({ type: 'object' }).rest?.kind, 'any');
  });

  test('use patternProperties for undeclared members', () => {
    const patterns = { '^x': { type: 'integer' }, '^y': { type: 'string' } };
    const node = object({ properties: { a: {} }, patternProperties: patterns });
    assert.ok(node.rest?.kind === 'union');
    assert.deepEqual(
      node.rest.branches.map((branch) => branch.kind),
      ['number', 'string'],
    );
  });

  test('use patternProperties also if other members are not allowed', () => {
    const node = object({ patternProperties: { '^x': { type: 'integer' } }, additionalProperties: false });
    assert.equal(node.rest?.kind, 'number');
  });

  test('restrict the names of undeclared members', () => {
    assert.equal(object({ additionalProperties: {}, propertyNames: { enum: ['a'] } }).names?.kind, 'enum');
  });

  test('have every required field, declared or not', () => {
    const node = object({ properties: {}, required: ['missing'] });
    assert.equal(node.fields.get('missing')?.required, true);
    assert.equal(field(node, 'missing').kind, 'any');
  });

  test('treat dangerous names as data', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "number"}}') as JsonSchema;
    const node = object({ properties, required: ['__proto__'] });
    assert.equal(field(node, '__proto__').kind, 'string');
    assert.equal(node.fields.get('constructor')?.required, false);
    assert.equal(node.fields.has('toString'), false);
  });
});

describe('arrays', () => {
  test('have items, and may have prefix items', () => {
    const node = compileNode({ prefixItems: [{ type: 'string' }], items: { type: 'number' } });
    assert.ok(node.kind === 'array');
    assert.deepEqual([node.prefix.map((item) => item.kind), node.items.kind], [['string'], 'number']);
    assert.equal((compileNode({ type: 'array' }) as ArraySchema).items.kind, 'any');
    assert.equal((compileNode({ prefixItems: [], items: false }) as ArraySchema).items.kind, 'never');
  });

  test('of draft 7 keep their meaning', () => {
    const node = compileNode({ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'null' } });
    assert.ok(node.kind === 'array');
    assert.deepEqual([node.prefix.map((item) => item.kind), node.items.kind], [['string'], 'null']);
  });
});

test('stream rules and types that JSON lacks are compiled', () => {
  const rules = compileNode({ type: 'string', 'x-stream': ['done', 'not-null', 'with-state'] }).stream;
  assert.deepEqual(rules, { done: true, notNull: true, state: true });
  const big = compileNode({ type: 'integer', 'x-type': 'bigint' });
  assert.ok(big.kind === 'number' && big.big);
  const date = compileNode({ type: 'string', 'x-type': 'date' });
  assert.ok(date.kind === 'string' && date.isDate);
});

describe('errors name the location in the schema', () => {
  const wrong: readonly [JsonSchema | boolean, string, RegExp][] = [
    [{ type: 'strng' }, '#', /unknown type "strng"/],
    [{ properties: { a: { type: 'nope' } } }, '#/properties/a', /unknown type/],
    [{ items: { anyOf: [{}, 5] } }, '#/items/anyOf/1', /object or a boolean/],
    [{ properties: { a: { $ref: '#/$defs/none' } } }, '#/properties/a', /#\/\$defs\/none.*does not exist/],
    [{ $ref: 'other.json' }, '#', /only references within/],
    [{ $ref: 123 }, '#', /\$ref/],
    [{ prefixItems: [{}, null] }, '#/prefixItems/1', /object or a boolean/],
    [{ additionalProperties: { type: 'x' } }, '#/additionalProperties', /unknown type/],
    [{ $ref: '#/%zz' }, '#', /%zz/],
    [{ $ref: '#/$defs/constructor', $defs: {} }, '#', /does not exist/],
  ];
  for (const [schema, location, problem] of wrong) {
    test(JSON.stringify(schema), () => assertRejected(schema, location, problem));
  }

  test('a schema that is nested too deeply', () => {
    let schema: JsonSchema = { type: 'string' };
    for (let depth = 0; depth < 10_000; depth++) schema = { type: 'array', items: schema };
    assertRejected(schema, '#/items', /nested more than 1000 levels deep/);
  });

  test('a value that is not a schema', () => {
    assertRejected(null as unknown as JsonSchema, '#');
    assertRejected('string' as unknown as JsonSchema, '#');
    assertRejected([] as unknown as JsonSchema, '#');
  });
});

function assertRejected(schema: JsonSchema | boolean, location: string, problem = /./): void {
  assert.throws(
    () => compileNode(schema),
    (error) => {
      assert.ok(error instanceof HealError, String(error));
      assert.equal(error.kind, 'invalid-schema');
      assert.match(error.message, problem);
      assert.ok(error.message.startsWith(`the schema at ${location}`), error.message);
      return true;
    },
  );
}
