// Where a string ends, if it has lost its closing quote at the end of a line, and if it contains line breaks. Both are
// checked with fast-check: the first must not swallow what follows, the second must stay complete.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';

import { heal } from '../../src/heal/index.ts';
import { cutEvery, cutRandomly } from '../support/chunks.ts';
import { runs } from '../support/enumeration.ts';
import { healChunks, healWhole } from '../support/heal-outcome.ts';

const parameters = { numRuns: runs(20_000, 1500), seed: Number(process.env['HEALING_SEED'] ?? 20_261_118) };

const line = fc.constantFrom(
  'a',
  '4990123456',
  'mix well',
  'two, three',
  "it's warm",
  '2025-01-12',
  '12:30',
  '3/4 cup',
);
const key = fc.constantFrom('name', 'phone', 'steps', 'due date', 'x1');

/** Values whose strings are all on one line. */
const { value: plainValue } = fc.letrec<{ value: unknown; container: unknown }>((tie) => ({
  container: fc.oneof(
    { maxDepth: 3 },
    fc.array(line, { minLength: 1, maxLength: 4 }),
    fc.dictionary(key, tie('value'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
    fc.array(tie('container'), { minLength: 1, maxLength: 3 }),
  ),
  value: fc.oneof({ maxDepth: 3 }, line, fc.integer(), fc.boolean(), tie('container')),
}));
const document = plainValue.filter((value) => typeof value === 'object');

const surroundings = fc.constantFrom(
  ['', ''],
  ['', '\n'],
  ['', '\n\nI hope this helps!'],
  ['', '\n\nNote: "phone" is a guess.\n'],
  ['```json\n', '\n```'],
  ['```json\n', '\n```\n\nAnything else?'],
  ['Here it is:\n\n', '\n\nNote:\n- checked\n'],
);

interface Layout {
  readonly indent: string;
  readonly lineBreak: string;
  readonly hasCommas: boolean;
}

const layout: fc.Arbitrary<Layout> = fc.record({
  indent: fc.constantFrom(' ', '  ', '\t'),
  lineBreak: fc.constantFrom('\n', '\r\n'),
  hasCommas: fc.boolean(),
});

/** Removes closing quotes at line ends. Bit `i` of `lost` says whether the string of line `i` loses its quote. */
function withoutEndQuotes(value: unknown, { indent, lineBreak, hasCommas }: Layout, lost: number): string {
  const lines = JSON.stringify(value, null, indent).split('\n');
  const damaged = lines.map((text, index) => {
    const isLost = /"(?:,?)$/.test(text) && (lost >> (index % 30)) % 2 === 1;
    return isLost ? text.replace(/"(,?)$/, hasCommas ? '$1' : '') : text;
  });
  return damaged.join(lineBreak);
}

function assertHealed(text: string, value: unknown, cuts: number): void {
  const whole = healWhole(text);
  assert.deepEqual((whole as { value?: unknown }).value, value);
  for (const chunks of [cutEvery(text, 1), cutRandomly(text, cuts)]) assert.deepEqual(healChunks(chunks), whole);
}

describe('a string without its closing quote', () => {
  test('ends at the end of its line, in lists and objects of any depth', () => {
    fc.assert(
      fc.property(document, layout, fc.nat(), surroundings, fc.nat(), (value, style, lost, [before, after], cuts) => {
        assertHealed(`${before}${withoutEndQuotes(value, style, lost)}${after}`, value, cuts);
      }),
      parameters,
    );
  });

  const cases: readonly (readonly [text: string, value: unknown])[] = [
    ['["a\n "b\n "c\n]', ['a', 'b', 'c']],
    ['["a,\n "b,\n "c\n]', ['a', 'b', 'c']],
    ['["12,\n "13,\n "14\n]', ['12', '13', '14']],
    ['["a, "b, "c]', ['a', 'b', 'c']],
    ['["a\n "b\n "c', ['a', 'b', 'c']],
    ['{"phone": "4990\n}', { phone: '4990' }],
    ['{"phone": "4990\n}\n}\n', { phone: '4990' }],
    ['{"phone": "4990}\n\nI hope this helps!', { phone: '4990' }],
    ['{"a": {"b": "x\n }', { a: { b: 'x' } }],
    ['[{"a": "x\n }\n {"a": "y\n }\n]', [{ a: 'x' }, { a: 'y' }]],
    ['{"steps": ["a\n "b\n ]\n "n": 1}', { steps: ['a', 'b'], n: 1 }],
    ['{"a": "x\n "b', { a: 'x' }],
  ];
  for (const [text, value] of cases) test(JSON.stringify(text), () => assertHealed(text, value, 1));

  test('does not swallow the next value', () => {
    const text = '{"name": "Ann", "phone": "4990\n}\n\nJSON data:\n{"name": "Bob", "phone": "4991\n}\n}\n';
    const schema = { type: 'object', properties: { name: { type: 'string' }, phone: { type: 'string' } } } as const;
    const { value, flags } = heal(text, schema);
    assert.deepEqual(value, { name: 'Bob', phone: '4991' });
    assert.ok(flags.some(({ kind }) => kind === 'inserted-quote'));
    assert.ok(flags.every(({ kind }) => kind !== 'duplicate-key'));
  });

  test('is not flagged for line breaks that are not part of it', () => {
    const { flags } = heal('{"a": "x\n}');
    assert.deepEqual(
      flags.map(({ kind }) => kind),
      ['inserted-quote'],
    );
  });
});

describe('a string with line breaks and a closing quote', () => {
  const content = fc
    .array(
      fc.oneof(
        {
          weight: 2,
          arbitrary: fc.constantFrom('}', ']', '},', '],', '}}', '{', '[', '  }', '    ]', '', 'end}', '```'),
        },
        { weight: 2, arbitrary: fc.constantFrom('Dear all,', 'if (x) {', 'return [1];', 'a: b', '- one', '1. two') },
        { weight: 1, arbitrary: fc.constantFrom('"quoted"', '"key": 1,', '{"a": "b"}', 'say "hi', '"', '["x",') },
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((lines) => lines.join('\n'));
  const value = fc.oneof(
    fc.dictionary(key, content, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    fc.array(content, { minLength: 1, maxLength: 3 }),
    fc.array(fc.dictionary(key, content, { minKeys: 1, maxKeys: 2, noNullPrototype: true }), {
      minLength: 1,
      maxLength: 2,
    }),
  );

  test('stays complete, whatever its lines contain', () => {
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(undefined, 2),
        surroundings,
        fc.nat(),
        (each, indent, [before, after], cuts) => {
          const text = JSON.stringify(each, null, indent).replaceAll('\\n', '\n');
          assertHealed(`${before}${text}${after}`, each, cuts);
        },
      ),
      parameters,
    );
  });
});
