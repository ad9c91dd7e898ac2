// Changes that are only counted.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { FlagKind } from '../report/flag.ts';
import { maxMarks, MarkCounts, type Mark } from './mark.ts';
import { toResult } from '../report/report.ts';

function mark(kind: FlagKind, start: number, end: number): Mark {
  return { kind, path: undefined, start, end, detail: undefined };
}

test('keeps the first thousand marks and counts the others by kind and touched length', () => {
  const tally = new MarkCounts();
  const marks = Array.from({ length: maxMarks + 5 }, (_, place) => mark('fixed-escape', place, place)).toReversed();
  marks.push(mark('dropped-text', 5000, 5007));
  tally.takeSurplus(marks);
  assert.equal(marks.length, maxMarks);
  assert.deepEqual([marks[0]?.start, tally.from, tally.size], [0, maxMarks - 1, 6]);
  assert.deepEqual(
    [...tally.entries()],
    [
      ['dropped-text', 7, 1],
      ['fixed-escape', 1, 5],
    ],
  );
});

test('the result does not depend on when marks were counted', () => {
  const all = Array.from({ length: 5 * maxMarks }, (_, place) =>
    mark(place % 3 === 0 ? 'fixed-quotes' : 'unquoted-key', place, place + (place % 7)),
  );
  const [early, tally] = [all.slice(0, 3000), new MarkCounts()];
  tally.takeSurplus(early);
  for (const { kind, start, end } of all.slice(3000)) tally.add(kind, Math.max(1, end - start));
  assert.deepEqual(toResult(null, early, 9000, tally), toResult(null, all.toReversed(), 9000));
});
