// Column widths, and the order in which columns are dropped.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable, type Column } from './table.ts';

const columns: Column<{ name: string; place: string }>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'PLACE', cell: ({ place }) => place, dispensable: 1 },
  { title: 'LETTERS', cell: ({ name }) => String(name.length), dispensable: 2 },
];
const rows = [
  { name: 'Ada', place: 'London' },
  { name: '\u001b[1mGrace\u001b[22m', place: 'New York' },
];

test('columns are as wide as their widest cell, not counting styles', () => {
  assert.equal(
    formatTable(rows, columns, Infinity),
    'NAME   PLACE     LETTERS\nAda    London    3\n\u001b[1mGrace\u001b[22m  New York  14\n',
  );
});

test('columns are dropped from the highest number down; the rest stays', () => {
  assert.match(formatTable(rows, columns, 20), /^NAME {3}PLACE\n/);
  assert.match(formatTable(rows, columns, 10), /^NAME\n/);
  assert.match(formatTable(rows, columns, 1), /^NAME\n/);
});
