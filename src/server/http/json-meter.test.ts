// The counts of a JSON text, however its bytes are split.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { JsonMeter } from './json-meter.ts';

function measure(...parts: readonly Uint8Array[]) {
  const meter = new JsonMeter();
  for (const part of parts) meter.push(part);
  const { values, deepest, isWide } = meter;
  return { values, deepest, isWide };
}

const cases: readonly (readonly [text: string, values: number, deepest: number])[] = [
  ['', 0, 0],
  ['1', 0, 0],
  ['"a"', 1, 0],
  ['{}', 1, 1],
  ['[[],{}]', 4, 2],
  ['{"a":"b","c":[1,2]}', 6, 2],
  [String.raw`"\"[{,\\"`, 1, 0],
  [String.raw`["\\","\"",[]]`, 5, 2],
  [`[${'1,'.repeat(16)}1]`, 3, 1],
];

for (const [text, values, deepest] of cases) {
  test(`${text.slice(0, 30)} has ${values} values and ${deepest} levels`, () => {
    assert.deepEqual(measure(Buffer.from(text)), { values, deepest, isWide: false });
  });
}

test('characters outside of Latin-1 are wide, escaped or not', () => {
  assert.equal(measure(Buffer.from('"é"')).isWide, false);
  assert.equal(measure(Buffer.from('"€"')).isWide, true);
  assert.equal(measure(Buffer.from(String.raw`"\u20ac"`)).isWide, true);
  assert.equal(measure(Buffer.from(String.raw`"\\u"`)).isWide, false);
});

test('counts what a parser reads, split anywhere', () => {
  const pieces = fc.tuple(fc.json({ noUnicodeString: false }), fc.array(fc.nat(200)));
  fc.assert(
    fc.property(pieces, ([text, cuts]) => {
      const bytes = Buffer.from(text);
      const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted((a, b) => a - b);
      const parts = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      assert.deepEqual(measure(...parts), measure(bytes));
      const { texts, containers, commas, levels } = count(JSON.parse(text));
      const { values, deepest } = measure(bytes);
      assert.deepEqual([values, deepest], [texts + containers + Math.ceil(commas / 8), levels]);
    }),
  );
});

interface Count {
  readonly texts: number;
  readonly containers: number;
  readonly commas: number;
  readonly levels: number;
}

function count(value: unknown): Count {
  if (typeof value === 'string') return { texts: 1, containers: 0, commas: 0, levels: 0 };
  if (typeof value !== 'object' || value === null) return { texts: 0, containers: 0, commas: 0, levels: 0 };
  const children = Object.values(value).map(count);
  const sum = (name: keyof Count) => children.reduce((total, child) => total + child[name], 0);
  return {
    texts: sum('texts') + (Array.isArray(value) ? 0 : children.length),
    containers: sum('containers') + 1,
    commas: sum('commas') + Math.max(0, children.length - 1),
    levels: Math.max(0, ...children.map(({ levels }) => levels)) + 1,
  };
}
