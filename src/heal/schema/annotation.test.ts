// The helpers for zod: what they put into the JSON Schema, and what the type of the partial value makes of them. The
// type tests are checked by the compiler; at run time they are empty.

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

describe('what the helpers say', () => {
  test('stands in the metadata, and adds up', () => {
    const schema = streamState(streamDone(alias(alias(z.string().meta({ title: 'Name' }), 'full_name'), 'nom')));
    const written = toJsonSchema(z.object({ name: schema }))['properties'] as Record<string, unknown>;
    assert.deepEqual(written['name'], {
      title: 'Name',
      type: 'string',
      'x-alias': ['full_name', 'nom'],
      'x-stream': ['done', 'with-state'],
    });
  });

  test('survives optional and default', () => {
    const written = toJsonSchema(
      z.object({ first: streamDone(z.string()).optional(), second: alias(z.string(), 'zwei').default('two') }),
    );
    const properties = written['properties'] as Record<string, Record<string, unknown>>;
    assert.deepEqual(properties['first']?.['x-stream'], ['done']);
    assert.deepEqual(properties['second']?.['x-alias'], ['zwei']);
  });

  test('leaves the schema it was given alone', () => {
    const name = z.string();
    streamDone(name);
    assert.equal(name.meta(), undefined);
  });

  test('is heard by healing', () => {
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
  test('shows what is done when it is done, and a state from the start', () => {
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

  test('shows an object when what must not be null is there', () => {
    const stream = healStream(z.object({ items: z.array(z.object({ note: z.string(), id: streamNotNull(z.int()) })) }));
    stream.push('{"items": [{"note": "a", "id": 1');
    assert.deepEqual(stream.partial, { items: [] });
    stream.push('0}, {"note": "b');
    assert.deepEqual(stream.partial, { items: [{ note: 'a', id: 10 }] });
  });
});

describe('the type of the partial value', () => {
  test('has every member optional, all the way down', () => {
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

  test('knows unions, records, tuples, intersections and pipes', () => {
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

  test('follows schemas that refer to themselves', () => {
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

  test('shows the annotations', () => {
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

  test('reaches the stream and the result', () => {
    const stream = healStream(z.object({ name: z.string(), done: streamDone(z.array(z.number())) }));
    sameType<typeof stream.partial, { name?: string; done?: number[] } | undefined>(true);
    const result = () => stream.end().value;
    sameType<ReturnType<typeof result>, { name: string; done: number[] }>(true);
    const untyped = healStream({ type: 'object', properties: { a: { type: 'string' } } });
    sameType<typeof untyped.partial, unknown>(true);
  });
});
