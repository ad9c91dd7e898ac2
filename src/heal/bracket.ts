// What to make of a closing bracket that does not fit: each remedy is tried on the brackets that follow, and the one that
// leaves the least to mend is taken.

import { code } from './character.ts';
import { END, MORE, type Lookahead } from './lookahead.ts';

type Kind = 'object' | 'array';

/** `drop` it; `replace` it by the bracket that fits; or take it as it is, and `insert` those missing before it. */
export type Remedy = (typeof remedies)[number];

/** What stands behind the brackets: the next key, the next item, the end, or something else. */
type Next = 'key' | 'value' | 'end' | 'other';

/** How many brackets in a row are looked at. */
const longestRow = 6;

/** `open` are the innermost containers, the last the innermost; `ahead` stands at the bracket. */
export function chooseRemedy(open: readonly Kind[], ahead: Lookahead): { kind: Remedy; isGuess: boolean } | 'more' {
  const row = readRow(ahead);
  if (row === 'more') return 'more';
  const next = readNext(ahead);
  if (next === 'more') return 'more';
  const [best, second] = remedies
    .map((kind) => ({ kind, cost: costOf(kind, open, row, next) }))
    .toSorted((left, right) => left.cost - right.cost);
  // Two remedies that cost the same read differently, unless nothing but the end follows.
  const isGuess = best?.cost === second?.cost && (next === 'key' || next === 'value');
  return { kind: best?.kind ?? 'insert', isGuess };
}

const remedies = ['insert', 'replace', 'drop'] as const;

function readRow(ahead: Lookahead): Kind[] | 'more' {
  const row: Kind[] = [];
  for (;;) {
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if ((unit !== code.closeCurly && unit !== code.closeSquare) || row.length === longestRow) return row;
    row.push(unit === code.closeCurly ? 'object' : 'array');
    ahead.at++;
  }
}

function readNext(ahead: Lookahead): Next | 'more' {
  const unit = ahead.skip();
  if (unit === END) return 'end';
  if (unit !== code.comma) return 'other';
  ahead.at++;
  const start = ahead.at;
  const key = ahead.key();
  if (key !== 'none') return key === 'more' ? 'more' : 'key';
  ahead.at = start;
  const value = ahead.valueStart();
  return value === 'none' ? 'other' : value;
}

function costOf(remedy: Remedy, open: readonly Kind[], row: readonly Kind[], next: Next): number {
  const [first, ...rest] = row;
  if (first === undefined) return 0;
  if (remedy === 'drop') return 1 + costOfRow(open, rest, next);
  if (remedy === 'replace') return 1 + costOfRow(open.slice(0, -1), rest, next);
  const depth = open.lastIndexOf(first);
  return depth === -1
    ? Number.POSITIVE_INFINITY
    : open.length - depth - 1 + costOfRow(open.slice(0, depth), rest, next);
}

function costOfRow(open: readonly Kind[], row: readonly Kind[], next: Next): number {
  const [first, ...rest] = row;
  if (first === undefined) return costOfNext(open, next);
  if (open.length === 0) return 1 + costOfRow(open, rest, next);
  if (open.at(-1) === first) return costOfRow(open.slice(0, -1), rest, next);
  return Math.min(
    costOf('drop', open, row, next),
    costOf('replace', open, row, next),
    costOf('insert', open, row, next),
  );
}

function costOfNext(open: readonly Kind[], next: Next): number {
  const inner = open.at(-1);
  if (next === 'key') return inner === 'object' ? 0 : 2;
  if (next === 'value') return inner === 'array' ? 0 : 2;
  return next === 'end' ? open.length / 2 : 0;
}
