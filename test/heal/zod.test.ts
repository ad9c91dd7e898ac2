// Healing with zod schemas: every kind of schema, and zod's own validation at the end.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import { HealError, heal, healStream, healText, type FlagKind, type SchemaInput } from '../../src/heal/index.ts';

function kindsOf(text: string, schema: SchemaInput): FlagKind[] {
  return [...new Set(heal(text, schema).flags.map((flag) => flag.kind))];
}

function rejection(text: string, schema: SchemaInput): HealError {
  try {
    heal(text, schema);
  } catch (error) {
    if (error instanceof HealError) return error;
    throw error;
  }
  return assert.fail(`${text} was healed`);
}

describe('zod', () => {
  test('a value that is too deep for its recursion', () => {
    const tree = z.object({
      get child() {
        return tree.optional();
      },
    });
    const text = `${'{"child":'.repeat(8000)}{}${'}'.repeat(8000)}`;
    const { kind, message } = rejection(text, tree);
    assert.equal(kind, 'too-deep');
    assert.match(message, /nested too deep/);
    assert.equal(heal(`${'{"child":'.repeat(100)}{}${'}'.repeat(100)}`, tree).confidence, 1);
  });

  test('objects with optional, nullable and default fields', () => {
    const schema = z.object({
      name: z.string(),
      age: z.number().int().optional(),
      email: z.string().nullable(),
      role: z.string().default('user'),
      tags: z.array(z.string()).prefault(['new']),
    });
    const { value, flags } = heal('{"name": "Ann", "AGE": "31"}', schema);
    assert.deepEqual(value, { name: 'Ann', age: 31, email: null, role: 'user', tags: ['new'] });
    const kinds = flags.map((flag) => flag.kind).toSorted();
    const used: FlagKind[] = ['used-default-value', 'used-default-value', 'used-null-value'];
    assert.deepEqual(kinds, ['fuzzy-field-match', 'type-coercion', ...used]);
    assert.deepEqual(heal('{"name": "Ann", "email": "a@b", "role": "x", "tags": []}', schema).flags, []);
  });

  test('a date as a default', () => {
    const { value, flags } = heal('{}', z.object({ at: z.date().default(new Date(0)) }));
    assert.deepEqual(value, { at: new Date(0) });
    assert.deepEqual(
      flags.map((flag) => flag.kind),
      ['used-default-value'],
    );
  });

  test('strip, strict, loose and catchall objects', () => {
    const text = '{"a": "1", "z": "2"}';
    assert.deepEqual(heal(text, z.object({ a: z.number() })).value, { a: 1 });
    assert.deepEqual(heal(text, z.strictObject({ a: z.number() })).value, { a: 1 });
    assert.deepEqual(heal(text, z.looseObject({ a: z.number() })).value, { a: 1, z: '2' });
    assert.deepEqual(heal(text, z.object({ a: z.number() }).catchall(z.number())).value, { a: 1, z: 2 });
  });

  test('arrays, tuples and records', () => {
    assert.deepEqual(heal('["1", 2]', z.array(z.number())).value, [1, 2]);
    assert.deepEqual(heal('["1", "x", "2"]', z.tuple([z.number(), z.string()], z.number())).value, [1, 'x', 2]);
    assert.deepEqual(heal('{"a": "1", "b": 2}', z.record(z.string(), z.number())).value, { a: 1, b: 2 });
    assert.deepEqual(heal('{"A": 1, "b": 2}', z.record(z.enum(['a', 'b']), z.number())).value, { a: 1, b: 2 });
    assert.equal(rejection('[1]', z.tuple([z.number(), z.string()])).kind, 'invalid-value');
  });

  test('unions, discriminated or not', () => {
    const shape = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('circle'), radius: z.number() }),
      z.object({ kind: z.literal('square'), side: z.number() }),
    ]);
    assert.deepEqual(heal('{"side": "2", "kind": "Square"}', shape).value, { kind: 'square', side: 2 });
    const either = z.union([z.object({ a: z.string(), c: z.string() }), z.object({ a: z.string(), b: z.number() })]);
    assert.deepEqual(heal('{"a": "x", "b": "1"}', either).value, { a: 'x', b: 1 });
    assert.equal(heal('"5"', z.union([z.number(), z.boolean()])).value, 5);
  });

  test('enums and literals', () => {
    assert.equal(heal('"RED"', z.enum(['red', 'green'])).value, 'red');
    assert.equal(heal('"B"', z.literal(['a', 'b'])).value, 'b');
    assert.equal(heal('"1"', z.literal(1)).value, 1);
    rejection('"blue"', z.enum(['red', 'green']));
  });

  test('bigints and dates, which JSON does not have', () => {
    const schema = z.object({ id: z.bigint(), at: z.date() });
    const { value, flags } = heal('{"id": 9007199254740993, "at": "2024-01-02T03:04:05Z"}', schema);
    assert.deepEqual(value, { id: 9_007_199_254_740_993n, at: new Date('2024-01-02T03:04:05Z') });
    assert.deepEqual(
      flags.map(({ kind, path }) => [kind, path]),
      [['type-coercion', ['at']]],
    );
    rejection('{"id": 1, "at": "soon"}', schema);
    rejection('{"id": 1.5, "at": "2024-01-02"}', schema);
  });

  test('a default that JSON does not have is flagged like any other', () => {
    const schema = z.object({
      id: z.bigint().default(5n),
      next: z.bigint().nullable().default(9_007_199_254_740_993n),
      first: z.bigint().prefault(7n),
      at: z.date().default(new Date(0)),
    });
    const { value, flags } = heal('{', schema, { minConfidence: 0 });
    assert.deepEqual(value, { id: 5n, next: 9_007_199_254_740_993n, first: 7n, at: new Date(0) });
    assert.deepEqual(
      flags.flatMap(({ kind, field }) => (kind === 'used-default-value' ? [field] : [])),
      ['id', 'next', 'first', 'at'],
    );
  });

  test('integers are not limited to the bounds that zod adds to the JSON Schema', () => {
    assert.equal(heal('"12"', z.int()).value, 12);
    assert.equal(heal('{"a": 9007199254740991}', z.object({ a: z.int() })).confidence, 1);
  });

  test('recursive schemas, by getter and by lazy', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const { value } = heal('{"name": "a", "children": [{"name": 1, "children": []}', tree);
    assert.deepEqual(value, { name: 'a', children: [{ name: '1', children: [] }] });
    type Nested = number | Nested[];
    const nested: z.ZodType<Nested> = z.lazy(() => z.union([z.number(), z.array(nested)]));
    assert.deepEqual(heal('[1, ["2", [3,]]]', nested).value, [1, [2, [3]]]);
  });

  test('metadata: an alias survives optional, default and nullable', () => {
    const alias = z.number().meta({ 'x-alias': ['n'] });
    for (const schema of [alias, alias.optional(), alias.default(1), alias.nullable()]) {
      assert.deepEqual(heal('{"n": 5}', z.object({ a: schema })).value, { a: 5 });
    }
    assert.deepEqual(kindsOf('{"n": 5}', z.object({ a: alias })), ['fuzzy-field-match']);
  });

  test('descriptions, brands, readonly and intersections change nothing', () => {
    const schema = z.object({ a: z.number().describe('x').brand('A').readonly() }).readonly();
    assert.deepEqual(heal('{"a": "1"}', schema).value, { a: 1 });
    const both = z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() }));
    assert.deepEqual(heal('{"a": "1", "b": 2}', both).value, { a: 1, b: 2 });
  });
});

describe("zod's own validation runs last", () => {
  test('a refinement rejects with its message and path', () => {
    const schema = z.object({
      list: z.array(z.object({ n: z.number().refine((n) => n < 5, 'must be less than five') })),
    });
    const error = rejection('{"list": [{"n": 1}, {"n": "9"}]}', schema);
    assert.equal(error.kind, 'invalid-value');
    assert.deepEqual(error.path, ['list', 1, 'n']);
    assert.equal(error.message, 'list[1].n: must be less than five');
    assert.deepEqual(error.value, { list: [{ n: 1 }, { n: 9 }] });
  });

  test('a refinement of the entire value, with its own path', () => {
    const range = z
      .object({ from: z.number(), to: z.number() })
      .refine(({ from, to }) => from <= to, { message: 'must not be before from', path: ['to'] });
    const error = rejection('{"from": 2, "to": 1}', range);
    assert.deepEqual([error.path, error.message], [['to'], 'to: must not be before from']);
  });

  test('formats and bounds apply', () => {
    assert.deepEqual(rejection('{"a": "x"}', z.object({ a: z.email() })).path, ['a']);
    assert.deepEqual(rejection('{"a": ["x"]}', z.object({ a: z.array(z.string()).min(2) })).path, ['a']);
    assert.deepEqual(rejection('{"a": 11}', z.object({ a: z.number().max(10) })).path, ['a']);
  });

  test('transforms, pipes and coercions produce the value', () => {
    const schema = z.object({
      size: z.string().transform((text) => text.length),
      year: z.string().transform(Number).pipe(z.number().min(1900)),
      flag: z.stringbool(),
      loose: z.coerce.number(),
    });
    const { value } = heal('{"size": "abc", "year": "2024", "flag": "yes", "loose": "5"}', schema);
    assert.deepEqual(value, { size: 3, year: 2024, flag: true, loose: 5 });
  });

  test('an asynchronous refinement throws HealError and does not end the process', async () => {
    const asynchronous = [
      z.object({ a: z.number() }).refine(async () => Promise.resolve(true)),
      z.object({
        a: z.number().refine(() => {
          throw new Error('unhandled');
        }),
      }),
    ];
    for (const schema of asynchronous) {
      assert.equal(rejection('{"a": 1}', schema).kind, 'invalid-schema');
    }
    // An unhandled rejection would be reported in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('streams of zod schemas', () => {
  const schema = z.object({ title: z.string(), tags: z.array(z.string()), count: z.bigint() });

  test('grow, and end with the validated value', () => {
    const stream = healStream(schema);
    stream.push('{"title": "He');
    assert.equal(stream.partial?.title, 'He');
    stream.push('llo", "tags": ["a", "b');
    assert.deepEqual(stream.snapshot(), { title: 'Hello', tags: ['a', 'b'] });
    stream.push('"], "count": 12345678901234567890}');
    assert.deepEqual(stream.end().value, { title: 'Hello', tags: ['a', 'b'], count: 12_345_678_901_234_567_890n });
  });

  test('reject at the end what validation rejects', () => {
    const stream = healStream(z.object({ a: z.number().max(5) }));
    stream.push('{"a": 9}');
    assert.deepEqual(stream.partial, { a: 9 });
    assert.throws(() => stream.end(), HealError);
    const writer = healText(z.object({ a: z.number().max(5) }));
    writer.push('{"a": 9}');
    assert.throws(() => writer.end(), HealError);
  });
});

test('a library without JSON Schema gets an error that says what to do', () => {
  const bare = { '~standard': { version: 1, vendor: 'acme', validate: (value: unknown) => ({ value }) } } as const;
  const error = rejection('{}', bare);
  assert.equal(error.kind, 'invalid-schema');
  assert.match(error.message, /acme .*JSON Schema/);
});
