// Unified diffs for people. The work is bounded: after a number of steps the rest counts as replaced, which is correct but
// not minimal. Long diffs are shortened unless the complete diff is requested.

export interface DiffOptions {
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  /** Do not shorten the diff or its lines. */
  readonly isWhole?: boolean;
}

const context = 3;
const mostSteps = 2_000_000;
const mostEdits = 1_000;
const mostLines = 400;
const longestLine = 500;

/** Empty if the texts are equal. */
export function diff({ path, before, after, isWhole = false }: DiffOptions): string {
  const runs = compare(linesOf(before ?? ''), linesOf(after));
  const hunks = toHunks(runs);
  if (hunks.length === 0 && before !== undefined) return '';
  const lines = hunks.flatMap(formatHunk);
  const head = [`--- ${before === undefined ? '/dev/null' : path}`, `+++ ${path}`];
  return [...head, ...(isWhole ? lines : shorten(lines)), ''].join('\n');
}

function shorten(lines: readonly string[]): string[] {
  const left = lines.length - mostLines;
  const shown = lines
    .slice(0, mostLines)
    .map((line) => (line.length > longestLine + 1 ? `${line.slice(0, longestLine + 1)}…` : line));
  return left > 0 ? [...shown, `… ${left} more lines`] : shown;
}

/** Each line with its line break, so that a missing one at the end is visible. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = lines.pop()?.slice(0, -1) ?? '';
  return last === '' ? lines : [...lines, last];
}

/** An unchanged, removed or added line. */
interface DiffRow {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

function compare(before: readonly string[], after: readonly string[]): DiffRow[] {
  let start = 0;
  const shortest = Math.min(before.length, after.length);
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return [
    ...rows(' ', before.slice(0, start)),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...rows(' ', before.slice(before.length - end)),
  ];
}

function rows(sign: DiffRow['sign'], lines: readonly string[]): DiffRow[] {
  return lines.map((line) => ({ sign, line }));
}

function compareMiddle(before: readonly string[], after: readonly string[]): DiffRow[] {
  const trail = before.length === 0 || after.length === 0 ? undefined : searchTrail(before, after);
  return trail === undefined ? [...rows('-', before), ...rows('+', after)] : walkBack(trail, before, after);
}

/** The forward pass of Myers' algorithm: for each number of edits, the furthest position on every diagonal. */
function searchTrail(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const most = Math.min(before.length + after.length, mostEdits);
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trail: Int32Array[] = [];
  let steps = 0;
  for (let edits = 0; edits <= most; edits += 1) {
    trail.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = startOf(diagonal, edits, (of) => reach[middle + of] ?? 0);
      const from = x;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      reach[middle + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return trail;
      steps += x - from + 1;
    }
    if (steps > mostSteps) return undefined;
  }
  return undefined;
}

/** From the adjacent diagonal that reached further: down for an added line, right for a removed one. */
function startOf(diagonal: number, edits: number, reached: (diagonal: number) => number): number {
  return comesDown(diagonal, edits, reached) ? reached(diagonal + 1) : reached(diagonal - 1) + 1;
}

function comesDown(diagonal: number, edits: number, reached: (diagonal: number) => number): boolean {
  return diagonal === -edits || (diagonal !== edits && reached(diagonal - 1) < reached(diagonal + 1));
}

function walkBack(trail: readonly Int32Array[], before: readonly string[], after: readonly string[]): DiffRow[] {
  const found: DiffRow[] = [];
  let x = before.length;
  let y = after.length;
  const backTo = (start: number): void => {
    for (; x > start; x -= 1, y -= 1) found.push({ sign: ' ', line: before[x - 1] ?? '' });
  };
  for (let edits = trail.length - 1; edits > 0; edits -= 1) {
    const reached = (diagonal: number): number => trail[edits]?.[diagonal + edits + 1] ?? 0;
    const isDown = comesDown(x - y, edits, reached);
    backTo(startOf(x - y, edits, reached));
    if (isDown) y -= 1;
    else x -= 1;
    found.push(isDown ? { sign: '+', line: after[y] ?? '' } : { sign: '-', line: before[x] ?? '' });
  }
  backTo(0);
  return found.toReversed();
}

interface Hunk {
  /** The first line, from 1, in each text. */
  readonly before: number;
  readonly after: number;
  readonly rows: readonly DiffRow[];
}

function toHunks(all: readonly DiffRow[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [before, after, at] = [1, 1, 0];
  const pass = (to: number): void => {
    for (; at < to; at += 1) {
      if (all[at]?.sign !== '+') before += 1;
      if (all[at]?.sign !== '-') after += 1;
    }
  };
  for (const [first, last] of changedRanges(all)) {
    pass(first);
    hunks.push({ before, after, rows: all.slice(first, last) });
  }
  return hunks;
}

/** Changes with their context lines; overlapping ranges are merged. */
function changedRanges(all: readonly DiffRow[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const [at, { sign }] of all.entries()) {
    if (sign === ' ') continue;
    const first = Math.max(0, at - context);
    const last = Math.min(all.length, at + context + 1);
    const previous = ranges.at(-1);
    if (previous !== undefined && first <= previous[1]) previous[1] = last;
    else ranges.push([first, last]);
  }
  return ranges;
}

function formatHunk(hunk: Hunk): string[] {
  const size = (sign: '-' | '+'): number => hunk.rows.filter((row) => row.sign === ' ' || row.sign === sign).length;
  const head = `@@ -${rangeOf(hunk.before, size('-'))} +${rangeOf(hunk.after, size('+'))} @@`;
  return [head, ...hunk.rows.flatMap(formatRow)];
}

/** In unified diffs an empty range names the line before it. */
function rangeOf(start: number, size: number): string {
  if (size === 0) return `${start - 1},0`;
  return size === 1 ? String(start) : `${start},${size}`;
}

function formatRow({ sign, line }: DiffRow): string[] {
  const isWhole = line.endsWith('\n');
  const text = isWhole ? line.slice(0, -1) : line;
  return isWhole ? [`${sign}${text}`] : [`${sign}${text}`, '\\ No newline at end of file'];
}
