// Compile-time tests of the types of healing. At run time they only show that the file was compiled.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';

import {
  heal,
  healStream,
  healText,
  type DeepPartial,
  type HealResult,
  type InferOutput,
  type JsonSchema,
} from '../../src/heal/index.ts';

// Two types are identical if a conditional type cannot distinguish them.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

const person = z.object({
  name: z.string(),
  age: z.number().optional(),
  email: z.string().nullable(),
  role: z.enum(['admin', 'user']).default('user'),
  born: z.date(),
  id: z.bigint(),
  tags: z.array(z.string()),
  pair: z.tuple([z.number(), z.string()]),
  notes: z.record(z.string(), z.number()),
  length: z.string().transform((text) => text.length),
});

interface Person {
  name: string;
  age?: number | undefined;
  email: string | null;
  role: 'admin' | 'user';
  born: Date;
  id: bigint;
  tags: string[];
  pair: [number, string];
  notes: Record<string, number>;
  length: number;
}

const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number() }),
  z.object({ kind: z.literal('label'), text: z.string() }),
]);
type Shape = { kind: 'circle'; radius: number } | { kind: 'label'; text: string };

const circle = '{"kind": "circle", "radius": 1}';

test('a zod schema gives its output type', () => {
  true satisfies Equal<InferOutput<typeof person>, Person>;
  true satisfies Equal<InferOutput<typeof person>, z.output<typeof person>>;
  const { value } = heal(circle, shape);
  true satisfies Equal<typeof value, Shape>;
  const { value: numbers } = heal('[1]', z.array(z.number()));
  true satisfies Equal<typeof numbers, number[]>;
});

test('a stream has the partial type while it runs and the full type at the end', () => {
  const stream = healStream(shape);
  stream.push(circle);
  true satisfies Equal<(typeof stream)['partial'], DeepPartial<Shape> | undefined>;
  const snapshot = stream.snapshot();
  true satisfies Equal<typeof snapshot, DeepPartial<Shape> | undefined>;
  const end = stream.end();
  true satisfies Equal<typeof end, HealResult<Shape>>;
  const writer = healText(shape);
  writer.push(circle);
  const { value } = writer.end();
  true satisfies Equal<typeof value, Shape>;
});

test('without a schema, and with a plain JSON Schema, the value is unknown', () => {
  const { value: untyped } = heal(circle);
  true satisfies Equal<typeof untyped, unknown>;
  const { value: plain } = heal(circle, { type: 'object', properties: { kind: { type: 'string' } } });
  true satisfies Equal<typeof plain, unknown>;
  const { partial } = healStream();
  true satisfies Equal<typeof partial, unknown>;
});

test('a partial value has every member optional, at all depths', () => {
  interface Nested {
    readonly a: { b: { c: string }[] };
    readonly d: readonly number[];
    readonly e: Date;
    readonly f: bigint;
    readonly g: 'x' | 'y';
    readonly h: { i: string } | null;
    readonly j: unknown;
  }
  interface Expected {
    readonly a?: { b?: { c?: string }[] };
    readonly d?: number[];
    readonly e?: Date;
    readonly f?: bigint;
    readonly g?: 'x' | 'y';
    readonly h?: { i?: string } | null;
    readonly j?: unknown;
  }
  true satisfies Equal<DeepPartial<Nested>, Expected>;
  true satisfies Equal<DeepPartial<string>, string>;
  true satisfies Equal<DeepPartial<Shape>, { kind?: 'circle'; radius?: number } | { kind?: 'label'; text?: string }>;
  interface Tree {
    name: string;
    children: Tree[];
  }
  true satisfies Equal<NonNullable<NonNullable<DeepPartial<Tree>['children']>[number]['name']>, string>;
});

test('options in place of the schema are a type error and a run-time error', () => {
  const schema = { type: 'object', properties: { strict: { type: 'boolean' }, schema: { type: 'string' } } };
  // @ts-expect-error -- the schema itself is the second argument
  assert.throws(() => heal(circle, { schema: shape }), /"schema" is not a JSON Schema keyword; pass the schema itself/);
  // @ts-expect-error -- options come after the schema
  assert.throws(() => heal(circle, { strict: true }), /"strict" is not a JSON Schema keyword/);
  // @ts-expect-error -- the same for a stream
  assert.throws(() => healStream({ schema, minConfidence: 0 }), /pass the schema itself/);
  // @ts-expect-error -- and for healText
  assert.throws(() => healText({ schema }), /pass the schema itself/);
  const wrapped: JsonSchema = { name: 'shape', strict: true, schema };
  assert.throws(() => heal(circle, wrapped), /pass the schema itself/);
});

test('property names that look like options are accepted', () => {
  const schema = { type: 'object', properties: { strict: { type: 'boolean' } } } as const;
  assert.deepEqual(heal('{"strict": true}', schema).value, { strict: true });
  const loose: Readonly<Record<string, unknown>> = { type: 'object', schema: 'an annotation' };
  assert.deepEqual(heal('{}', loose).value, {});
  assert.deepEqual(heal('7', {}).value, 7);
  assert.deepEqual(heal('7', { description: 'anything' }).value, 7);
});
