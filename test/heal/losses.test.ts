// Whatever is dropped, chosen, completed or filled in has a flag. Each kind of loss is planted in a random record, and
// its flag must be there, in one piece and in chunks; strict mode must refuse the text.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { HealError, heal, type FlagKind, type JsonSchema } from '../../src/heal/index.ts';
import { healChunks, healWhole, isRefused } from '../support/heal-outcome.ts';
import { cutRandomly } from '../support/chunks.ts';

interface Entry {
  readonly name: string;
  readonly count: number;
  readonly tags: readonly string[];
  readonly note: string;
}

const entrySchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    note: { type: 'string' },
    rating: { type: 'number' },
    unit: { type: ['integer', 'null'] },
    size: { type: 'integer', default: 1 },
  },
  required: ['name', 'count', 'tags', 'note', 'unit', 'size'],
} satisfies JsonSchema;

const listSchema = { type: 'array', items: entrySchema } satisfies JsonSchema;

const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/);
const entries: fc.Arbitrary<Entry> = fc.record({
  name: words,
  count: fc.nat(1000),
  tags: fc.array(words, { minLength: 1, maxLength: 4 }),
  note: words,
});

/** The JSON of an entry with nothing to fill in. */
function whole(entry: Entry, more: object = {}): string {
  return JSON.stringify({ ...entry, unit: 3, size: 2, ...more });
}

interface Loss {
  readonly loses: string;
  readonly flag: FlagKind;
  readonly schema?: JsonSchema;
  readonly text: (entry: Entry, other: Entry) => string;
}

const losses: readonly Loss[] = [
  { loses: 'another value that matches', flag: 'chose-value', text: (a, b) => `${whole(a)}\n${whole(b)}` },
  { loses: 'another value after prose', flag: 'chose-value', text: (a, b) => `${whole(a)} or else ${whole(b)}` },
  { loses: 'a value that does not match', flag: 'chose-value', text: (a) => `{"name": 1}\n${whole(a)}` },
  { loses: 'a later value that does not match', flag: 'chose-value', text: (a) => `${whole(a)}\n{"name": ["x"]}` },
  { loses: 'a value that cannot match', flag: 'stripped-value', text: (a) => `${whole(a)}\n["x"]` },
  { loses: 'a value without a known key', flag: 'stripped-value', text: (a) => `{"x": 1}\n${whole(a)}` },
  { loses: 'a value in another fence', flag: 'chose-value', text: (a, b) => `${fence(whole(a))}\n${fence(whole(b))}` },
  { loses: 'a value beside the fence', flag: 'chose-value', text: (a, b) => `${fence(whole(a))}\n${whole(b)}` },
  { loses: 'another wrapped value', flag: 'chose-element', text: (a, b) => `{"x": ${whole(a)}, "y": ${whole(b)}}` },
  { loses: 'another element', flag: 'chose-element', text: (a, b) => `[${whole(a)}, ${whole(b)}]` },
  { loses: 'a bad item', flag: 'dropped-item', schema: listSchema, text: (a, b) => `[${whole(a)}, 7, ${whole(b)}]` },
  {
    loses: 'a bad value in a row',
    flag: 'dropped-item',
    schema: listSchema,
    text: (a, b) => `${whole(a)}\n{"name": "x"}\n${whole(b)}`,
  },
  {
    loses: 'the end of the last value in a row',
    flag: 'closed-truncated',
    schema: listSchema,
    text: (a, b) => `${whole(a)}\n${whole(b)}\n{"name": "cut`,
  },
  {
    loses: 'the end of a list',
    flag: 'closed-truncated',
    schema: listSchema,
    text: (a) => `[${whole(a)}, {"name": "cu`,
  },
  { loses: 'the last bracket', flag: 'closed-truncated', text: (a) => whole(a).slice(0, -1) },
  {
    loses: 'the last characters',
    flag: 'closed-truncated',
    text: (a) => JSON.stringify({ unit: 3, size: 2, ...a }).slice(0, -3),
  },
  { loses: 'the value of an optional field', flag: 'dropped-value', text: (a) => whole(a, { rating: 'four of five' }) },
  { loses: 'a repeated key', flag: 'duplicate-key', text: (a) => `{"name": "first",,${whole(a).slice(1)}` },
  { loses: 'a similar key', flag: 'ambiguous-key', text: (a) => whole(a, { NAME: 'other' }) },
  { loses: 'an extra key', flag: 'dropped-field', text: (a) => whole(a, { extra: 1 }) },
  { loses: 'a fraction', flag: 'rounded-number', text: (a) => whole(a, { count: 2.5 }) },
  { loses: 'omitted items', flag: 'stripped-ellipsis', schema: listSchema, text: (a) => `[${whole(a)}, ...]` },
  { loses: 'the text around it', flag: 'stripped-prose', text: (a) => `Here: ${whole(a)} Done.` },
  { loses: 'the thinking', flag: 'stripped-think', text: (a) => `<think>no</think>${whole(a)}` },
  { loses: 'a null', flag: 'used-null-value', text: (a) => JSON.stringify({ ...a, size: 2 }) },
  { loses: 'a default', flag: 'used-default-value', text: (a) => JSON.stringify({ ...a, unit: 2 }) },
  { loses: 'a value', flag: 'missing-value', text: (a) => whole(a).replace('"size":2', '"size":') },
];

function fence(text: string): string {
  return `\`\`\`json\n${text}\n\`\`\``;
}

describe('a flag tells of', () => {
  for (const { loses, flag, schema = entrySchema, text } of losses) {
    test(`${loses}: ${flag}`, () => {
      fc.assert(
        fc.property(entries, entries, fc.nat(), (entry, other, seed) => {
          const damaged = text(entry, other);
          for (const outcome of [
            healWhole(damaged, schema, { minConfidence: 0 }),
            healChunks(cutRandomly(damaged, seed), schema, { minConfidence: 0 }),
          ]) {
            assert.ok(!isRefused(outcome), damaged);
            const kinds = outcome.flags.map(({ kind }) => kind);
            assert.ok(kinds.includes(flag), `${damaged}: ${kinds.join(', ')}`);
            if (flag !== 'dropped-field') assert.ok(outcome.confidence < 1);
          }
          if (flag !== 'dropped-field') assert.throws(() => heal(damaged, schema, { strict: true }), isStrictError);
        }),
        { numRuns: 25 },
      );
    });
  }
});

function isStrictError(error: unknown): boolean {
  return error instanceof HealError && error.kind === 'strict';
}
