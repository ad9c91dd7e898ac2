// What the type system makes of healing: compile-time assertions; the run only shows that the file was compiled.

import { test } from 'node:test';
import { z } from 'zod';

import { heal, healStream, healText, type DeepPartial, type HealResult, type InferOutput } from '../src/heal/index.ts';

type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

/** Does not compile unless the type is `true`. */
function expect<Assertion extends true>(..._assertion: Assertion[]): void {}

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
  expect<Equal<InferOutput<typeof person>, Person>>();
  expect<Equal<InferOutput<typeof person>, z.output<typeof person>>>();
  const { value } = heal(circle, shape);
  expect<Equal<typeof value, Shape>>();
  const { value: numbers } = heal('[1]', z.array(z.number()));
  expect<Equal<typeof numbers, number[]>>();
});

test('a stream has the partial type while it runs and the whole one at the end', () => {
  const stream = healStream(shape);
  stream.push(circle);
  expect<Equal<(typeof stream)['partial'], DeepPartial<Shape> | undefined>>();
  const snapshot = stream.snapshot();
  expect<Equal<typeof snapshot, DeepPartial<Shape> | undefined>>();
  const end = stream.end();
  expect<Equal<typeof end, HealResult<Shape>>>();
  const writer = healText(shape);
  writer.push(circle);
  const { value } = writer.end();
  expect<Equal<typeof value, Shape>>();
});

test('without a schema, and with a plain JSON Schema, the value is unknown', () => {
  const { value: untyped } = heal(circle);
  expect<Equal<typeof untyped, unknown>>();
  const { value: plain } = heal(circle, { type: 'object', properties: { kind: { type: 'string' } } });
  expect<Equal<typeof plain, unknown>>();
  const { partial } = healStream();
  expect<Equal<typeof partial, unknown>>();
});

test('a partial has every member optional, all the way down', () => {
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
  expect<Equal<DeepPartial<Nested>, Expected>>();
  expect<Equal<DeepPartial<string>, string>>();
  expect<Equal<DeepPartial<Shape>, { kind?: 'circle'; radius?: number } | { kind?: 'label'; text?: string }>>();
  interface Tree {
    name: string;
    children: Tree[];
  }
  expect<Equal<NonNullable<NonNullable<DeepPartial<Tree>['children']>[number]['name']>, string>>();
});
