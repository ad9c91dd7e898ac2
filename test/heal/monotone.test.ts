// Partial values that only grow: nothing that was visible is changed or removed, and the final value contains it or the
// stream ends with an error.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import {
  HealError,
  healStream,
  streamDone,
  streamNotNull,
  streamState,
  type HealStream,
  type JsonSchema,
  type SchemaInput,
} from '../../src/heal/index.ts';
import { contradictionOf } from '../../src/heal/stream/growth.ts';
import { cutEvery, cutRandomly } from '../support/chunks.ts';
import { singleCases } from '../support/damage/case.ts';
import { makeDocuments } from '../support/damage/document.ts';
import { sample } from '../support/enumeration.ts';
import { replay } from '../support/patch-replay.ts';
import { realAnswers, skipRealAnswers } from '../support/real-answers.ts';

const monotone = { monotone: true, minConfidence: 0 };

/** The partial values after each chunk, each checked against its patches and the one before. */
function partialsOf(stream: HealStream, chunks: readonly string[]): unknown[] {
  let [copy, before]: unknown[] = [];
  return chunks.map((chunk) => {
    copy = replay(copy, stream.push(chunk));
    assert.deepEqual(copy, stream.partial, `after ${JSON.stringify(chunk)}`);
    const after = stream.snapshot();
    assert.equal(contradictionOf(before, after, true), undefined, `after ${JSON.stringify(chunk)}`);
    before = after;
    return after;
  });
}

function changesOf(schema: SchemaInput, chunks: readonly string[]): unknown[] {
  const partials = partialsOf(healStream<SchemaInput>(schema, monotone), chunks);
  return partials.filter((each, index) => JSON.stringify(each) !== JSON.stringify(partials[index - 1]));
}

describe('responses of real models', () => {
  test('are never taken back, and the patches give the partial value', (context) => {
    if (skipRealAnswers !== false) return context.skip(skipRealAnswers);
    const counts = { value: 0, contradiction: 0, refused: 0 };
    for (const [index, { schema, text }] of realAnswers().entries()) {
      const ends = [cutEvery(text, 1), cutEvery(text, 4), cutRandomly(text, index)].map((chunks) => {
        const stream = healStream(schema, { monotone: true });
        partialsOf(stream, chunks);
        return endOf(stream);
      });
      const [first] = ends as [ReturnType<typeof endOf>];
      for (const end of ends) assert.equal(end, first);
      counts[first]++;
    }
    context.diagnostic(JSON.stringify(counts));
    assert.ok(counts.contradiction <= counts.value * 0.15, JSON.stringify(counts));
  });

  test('are reported in patches where a live value takes something back', (context) => {
    if (skipRealAnswers !== false) return context.skip(skipRealAnswers);
    for (const [index, { schema, text }] of realAnswers().entries()) {
      for (const chunks of [cutEvery(text, 4), cutRandomly(text, index)]) {
        const stream = healStream(schema);
        let copy: unknown;
        for (const chunk of chunks) {
          copy = replay(copy, stream.push(chunk));
          assert.deepEqual(copy, stream.partial);
        }
      }
    }
  });
});

test('generated damage is never taken back, and contradicted only where it says something twice', () => {
  const twice = /^(first-attempt-before|key-again-in-other-case|duplicate-key)$/;
  const cases = sample([...singleCases('monotone', makeDocuments('monotone', 2))], 3);
  for (const { id, kinds, text, schema } of cases) {
    const stream = healStream(schema, monotone);
    partialsOf(stream, cutEvery(text, 7));
    if (endOf(stream) === 'contradiction')
      assert.ok(
        kinds.some((kind) => twice.test(kind)),
        id,
      );
  }
});

/** Fails if the final value silently contradicts what was shown. */
function endOf(stream: HealStream): 'value' | 'contradiction' | 'refused' {
  const shown = stream.snapshot();
  try {
    assert.equal(contradictionOf(shown, stream.end().value), undefined);
    return 'value';
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    return error.kind === 'contradiction' ? 'contradiction' : 'refused';
  }
}

const person: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'age'],
};

describe('a monotone partial value', () => {
  test('shows strings as they grow, and other scalars when they are complete', () => {
    assert.deepEqual(changesOf(person, ['{"name": "A', 'da", "a', 'ge": 3', '6, "tags": ["x', '", "y"', ']}']), [
      { name: 'A' },
      { name: 'Ada' },
      { name: 'Ada', age: 36, tags: [] },
      { name: 'Ada', age: 36, tags: ['x'] },
      { name: 'Ada', age: 36, tags: ['x', 'y'] },
    ]);
  });

  test('has patches with the state of each part', () => {
    const stream = healStream(person, monotone);
    assert.deepEqual(stream.push('{"name": "A'), [{ path: [], op: 'set', value: { name: 'A' }, state: 'incomplete' }]);
    assert.deepEqual(stream.push('d'), [{ path: ['name'], op: 'append', value: 'd', state: 'incomplete' }]);
    assert.deepEqual(stream.push('a", "age": 3'), [
      { path: ['name'], op: 'append', value: 'a', state: 'incomplete' },
      { path: ['name'], op: 'set', value: 'Ada', state: 'complete' },
    ]);
    assert.deepEqual(stream.push('6}'), [{ path: ['age'], op: 'set', value: 36, state: 'complete' }]);
    assert.deepEqual(stream.push('\nAnything else?'), [
      { path: [], op: 'set', value: { name: 'Ada', age: 36 }, state: 'complete' },
    ]);
    assert.deepEqual(stream.push(' {"name": "Ben", "age": 3}\n'), []);
  });

  const contradicted: Record<string, string> = {
    'a later value': '{"name": "Ann", "age": 1} or rather {"name": "Ben", "age": 2}',
    'a repeated key': '{"name": "Ann", "name": "Ben", "age": 1}',
    'an exact key after a similar one': '{"NAME": "Ann", "name": "Ben", "age": 1}',
    'thinking that ends late': '{"name": "Ann", "age": 1}</think>{"name": "Ben", "age": 2}',
    'a first value that does not match': '{"name": "Ann"} {"name": "Ben", "age": 2}',
  };
  for (const [name, text] of Object.entries(contradicted)) {
    test(`stays as it is, and the end is an error with the value: ${name}`, () => {
      const stream = healStream(person, monotone);
      partialsOf(stream, cutEvery(text, 2));
      assert.equal((stream.partial as { name: string }).name, 'Ann');
      assert.throws(
        () => stream.end(),
        (error) => {
          assert.ok(error instanceof HealError && error.kind === 'contradiction', String(error));
          assert.deepEqual(error.path, ['name']);
          assert.equal((error.value as { name: string }).name, 'Ben');
          return true;
        },
      );
    });
  }

  test('is no contradiction if the same value is repeated, or several values are collected', () => {
    const twice = healStream(person, monotone);
    partialsOf(twice, cutEvery('{"name": "Ann", "age": 1} or {"name": "Ann", "age": 1}', 2));
    assert.deepEqual(twice.end().value, { name: 'Ann', age: 1 });
    const people = healStream({ type: 'array', items: person }, monotone);
    partialsOf(people, cutEvery('{"name": "Ann", "age": 1}\n{"name": "Ben", "age": 2}', 2));
    assert.deepEqual(people.end().value, [
      { name: 'Ann', age: 1 },
      { name: 'Ben', age: 2 },
    ]);
  });

  test('waits for a union until it is decided', () => {
    const shape = z.union([
      z.object({ kind: z.literal('circle'), radius: z.number() }),
      z.object({ kind: z.literal('label'), text: z.string() }),
    ]);
    assert.deepEqual(changesOf(shape, ['{"te', 'xt": "a"', ', "kind": "label', '", "x": 1', '}']), [
      { text: 'a', kind: 'label' },
    ]);
    assert.deepEqual(changesOf(shape, ['{"kind": "label"', ', "text": "a', 'b"', '}']), [
      { kind: 'label', text: 'a' },
      { kind: 'label', text: 'ab' },
    ]);
  });

  test('shows defaults when their object is complete', () => {
    const schema = z.object({ a: z.string(), b: z.int().default(3) });
    assert.deepEqual(changesOf(schema, ['{"a": "x"', '}', '\nDone.']), [{ a: 'x' }, { a: 'x', b: 3 }]);
  });

  test('compares what was shown before the schema library transforms it', () => {
    const stream = healStream(z.object({ a: z.string().transform((text) => text.length) }), monotone);
    stream.push('{"a": "abc"}');
    assert.deepEqual(stream.end().value, { a: 3 });
  });

  test('follows the stream rules', () => {
    const schema = z.object({
      title: streamDone(z.string()),
      mood: streamState(z.string()),
      list: z.array(z.object({ id: streamNotNull(z.int()), text: z.string() })),
    });
    const pending = { value: null, state: 'pending' };
    const chunks = [
      '{"title": "A',
      'b", "mood": "c',
      'd", "list": [{"text": "x',
      '", "id": ',
      '1',
      '}, {',
      '"id": 2, "text": "y',
      '"}]}',
    ];
    const mood = { value: 'cd', state: 'complete' };
    assert.deepEqual(changesOf(schema, chunks), [
      { mood: pending, list: [] },
      { mood: { value: 'c', state: 'incomplete' }, list: [], title: 'Ab' },
      { title: 'Ab', mood, list: [] },
      { title: 'Ab', mood, list: [{ id: 1, text: 'x' }] },
      {
        title: 'Ab',
        mood,
        list: [
          { id: 1, text: 'x' },
          { id: 2, text: 'y' },
        ],
      },
    ]);
  });

  test('does not show an item before one that is withheld', () => {
    const schema = z.array(z.object({ id: streamNotNull(z.int().nullable()), text: z.string() }));
    const stream = healStream(schema, monotone);
    partialsOf(stream, cutEvery('[{"text": "x"}, {"id": 2, "text": "y"}]', 3));
    assert.deepEqual(stream.partial, []);
    assert.deepEqual(stream.end().value, [
      { id: null, text: 'x' },
      { id: 2, text: 'y' },
    ]);
  });

  test('does not mistake data for the state of a field', () => {
    const schema = z.object({ value: z.int(), state: z.enum(['pending', 'complete']) });
    const stream = healStream(schema, monotone);
    stream.push('{"value": 1, "state": "pending", "state": "complete"}');
    assert.throws(() => stream.end(), { kind: 'contradiction' });
  });

  test('needs a schema', () => {
    const untyped = healStream as (schema: undefined, options: object) => HealStream;
    assert.throws(() => untyped(undefined, monotone), /needs a schema/);
  });
});
