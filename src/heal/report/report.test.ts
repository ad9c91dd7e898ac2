// The order and the number of flags in a result.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toResult } from './report.ts';

function mark(start: number, end: number, found: string) {
  return { kind: 'dropped-text' as const, path: undefined, start, end, detail: { found } };
}

test('flags are in text order, and flags of one kind at one position keep their order', () => {
  const marks = [mark(4, 5, 'third'), mark(1, 2, 'first'), mark(1, 2, 'second'), mark(4, 5, 'fourth')];
  const { flags } = toResult(null, marks, 10);
  assert.deepEqual(
    flags.map(({ found }) => found),
    ['first', 'second', 'third', 'fourth'],
  );
});

test('lists a thousand flags, and counts the rest', () => {
  const marks = Array.from({ length: 1_003 }, (_, place) => mark(place, place, 'x'));
  const { flags } = toResult(null, marks, 2_000);
  assert.equal(flags.length, 1_001);
  assert.deepEqual(flags.at(-1), { kind: 'more-changes', path: [], count: 3 });
});

test('a kind found only among the counted changes has its own flag', () => {
  const late = ['closed-truncated', 'fixed-quotes', 'fixed-quotes'] as const;
  const marks = Array.from({ length: 1_000 }, (_, place) => mark(place, place, 'x'));
  const more = late.map((kind, place) => ({ ...mark(2_000 + place, 2_000 + place, 'x'), kind }));
  const { flags } = toResult(null, [...marks, ...more, mark(3_000, 3_000, 'x')], 4_000);
  assert.deepEqual(flags.slice(1_000), [
    { kind: 'closed-truncated', path: [], count: 1 },
    { kind: 'fixed-quotes', path: [], count: 2 },
    { kind: 'more-changes', path: [], count: 4 },
  ]);
});
