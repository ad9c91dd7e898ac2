// Annotations of zod schemas: their effect on the JSON Schema and on the type of the partial value. The compiler checks
// the type tests; at run time they do nothing.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  alias,
  heal,
  healStream,
  streamDone,
  streamNotNull,
  streamState,
  type NodeState,
  type PartialOf,
} from '../index.ts';
import { toJsonSchema } from './schema-input.ts';
import { sameType } from '../../../test/support/same-type.ts';

interface WithState<T> {
  value: T | null;
  state: NodeState;
}

describe('annotations', () => {
  test('are stored in the metadata, and add up', () => {
    const schema = streamState(streamDone(alias(alias(z.string().meta({ title: 'Name' }), 'full_name'), 'nom')));
    const written = toJsonSchema(z.object({ name: schema }))['properties'] as Record<string, unknown>;
    assert.deepEqual(written['name'], {
      title: 'Name',
      type: 'string',
      'x-alias': ['full_name', 'nom'],
      'x-stream': ['done', 'with-state'],
    });
  });

  test('survive optional and default', () => {
    const written = toJsonSchema(
      z.object({ first: streamDone(z.string()).optional(), second: alias(z.string(), 'zwei').default('two') }),
    );
    const properties = written['properties'] as Record<string, Record<string, unknown>>;
    assert.deepEqual(properties['first']?.['x-stream'], ['done']);
    assert.deepEqual(properties['second']?.['x-alias'], ['zwei']);
  });

  test('do not change the original schema', () => {
    const name = z.string();
    streamDone(name);
    assert.equal(name.meta(), undefined);
  });

  test('are used by healing', () => {
    const schema = z.object({ name: alias(z.string(), 'nombre') });
    const { value, flags } = heal('{"nombre": "Ada"}', schema);
    assert.equal(value.name, 'Ada');
    assert.deepEqual(
      flags.map(({ kind }) => kind),
      ['fuzzy-field-match'],
    );
  });
});

describe('the partial value', () => {
  test('shows a done value when it is complete, and a state from the start', () => {
    const stream = healStream(
      z.object({ title: streamDone(z.string()), body: streamState(z.string()), pages: z.int() }),
    );
    stream.push('{"title": "The s');
    assert.deepEqual(stream.partial, { body: { value: null, state: 'pending' } });
    stream.push('ea", "body": "Call');
    assert.deepEqual(stream.partial, { title: 'The sea', body: { value: 'Call', state: 'incomplete' } });
    stream.push(' me", "pages": 12');
    assert.deepEqual(stream.partial, { title: 'The sea', body: { value: 'Call me', state: 'complete' } });
    assert.deepEqual(stream.end().value, { title: 'The sea', body: 'Call me', pages: 12 });
  });

  test('shows an object when its not-null field has a value', () => {
    const stream = healStream(z.object({ items: z.array(z.object({ note: z.string(), id: streamNotNull(z.int()) })) }));
    stream.push('{"items": [{"note": "a", "id": 1');
    assert.deepEqual(stream.partial, { items: [] });
    stream.push('0}, {"note": "b');
    assert.deepEqual(stream.partial, { items: [{ note: 'a', id: 10 }] });
  });
});

describe('the type of the partial value', () => {
  test('has every member optional, at all depths', () => {
    const schema = z.object({
      name: z.string(),
      age: z.int().nullable(),
      tags: z.array(z.string()).default([]),
      home: z.object({ city: z.string() }).optional(),
      kind: z.enum(['hero', 'villain']),
    });
    sameType<
      PartialOf<typeof schema>,
      {
        name?: string;
        age?: number | null;
        tags?: string[];
        home?: { city?: string };
        kind?: 'hero' | 'villain';
      }
    >(true);
  });

  test('supports unions, records, tuples, intersections and pipes', () => {
    const union = z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image'), url: z.string() }),
    ]);
    sameType<PartialOf<typeof union>, { type?: 'text'; text?: string } | { type?: 'image'; url?: string }>(true);
    const record = z.record(z.string(), z.object({ count: z.number() }));
    sameType<PartialOf<typeof record>, { [name: string]: { count?: number } }>(true);
    const limited = z.record(z.enum(['a', 'b']), z.number());
    sameType<PartialOf<typeof limited>, { a?: number; b?: number }>(true);
    const tuple = z.tuple([z.string(), z.object({ x: z.number() })]);
    sameType<PartialOf<typeof tuple>, [string?, { x?: number }?]>(true);
    const open = z.tuple([z.string()], z.boolean());
    sameType<PartialOf<typeof open>, [string?, ...(boolean | undefined)[]]>(true);
    const both = z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() }));
    sameType<PartialOf<typeof both>, { a?: string } & { b?: number }>(true);
    const lengths = z.object({ size: z.string().transform((text) => text.length) });
    sameType<PartialOf<typeof lengths>, { size?: string }>(true);
    const cleaned = z.preprocess((value) => value, z.object({ a: z.string() }));
    sameType<PartialOf<typeof cleaned>, { a?: string }>(true);
    const when = z.object({ at: z.date(), big: z.bigint(), any: z.unknown() });
    sameType<PartialOf<typeof when>, { at?: Date; big?: bigint; any?: unknown }>(true);
  });

  test('follows recursive schemas', () => {
    const folder = z.object({
      name: z.string(),
      get parts() {
        return z.array(folder);
      },
    });
    type Folder = PartialOf<typeof folder>;
    sameType<Folder['name'], string | undefined>(true);
    sameType<NonNullable<NonNullable<Folder['parts']>[number]['parts']>[number]['name'], string | undefined>(true);
  });

  test('reflects the annotations', () => {
    const schema = z.object({
      id: streamNotNull(z.int()),
      title: streamDone(z.string()),
      author: streamDone(z.object({ name: z.string() })),
      body: streamState(z.object({ text: z.string() })),
      mood: streamState(z.enum(['calm', 'wild'])).describe('how it feels'),
      notes: z.array(streamState(z.string())),
      sealed: streamState(streamDone(z.object({ code: z.string() }))),
    });
    sameType<
      PartialOf<typeof schema>,
      {
        id: number;
        title?: string;
        author?: { name: string };
        body: WithState<{ text?: string }>;
        mood: WithState<'calm' | 'wild'>;
        notes?: WithState<string>[];
        sealed: WithState<{ code: string }>;
      }
    >(true);
    sameType<
      z.infer<typeof schema>,
      {
        id: number;
        title: string;
        author: { name: string };
        body: { text: string };
        mood: 'calm' | 'wild';
        notes: string[];
        sealed: { code: string };
      }
    >(true);
  });

  test('is the type of the stream and the result', () => {
    const stream = healStream(z.object({ name: z.string(), done: streamDone(z.array(z.number())) }));
    sameType<typeof stream.partial, { name?: string; done?: number[] } | undefined>(true);
    const result = () => stream.end().value;
    sameType<ReturnType<typeof result>, { name: string; done: number[] }>(true);
    const untyped = healStream({ type: 'object', properties: { a: { type: 'string' } } });
    sameType<typeof untyped.partial, unknown>(true);
  });
});
