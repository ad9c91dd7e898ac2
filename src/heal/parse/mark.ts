// A change with the text range it touches, and counts for changes beyond the first thousand.

import type { Flag, FlagKind } from '../report/flag.ts';
import type { LinkedPath } from '../report/linked-path.ts';

/** The details of a flag, besides its kind and path. */
export type Detail = Omit<Flag, 'kind' | 'path'>;

/** All marks have the same fields in the same order, which keeps property access fast. */
export interface Mark {
  readonly kind: FlagKind;
  readonly path: LinkedPath | undefined;
  readonly start: number;
  readonly end: number;
  readonly detail: Detail | undefined;
}

/** Further changes are only counted. */
export const maxMarks = 1000;

/** Orders by text range, then by kind. */
export function compareMarks(left: Mark, right: Mark): number {
  if (left.start !== right.start) return left.start - right.start;
  if (left.end !== right.end) return left.end - right.end;
  return left.kind === right.kind ? 0 : left.kind < right.kind ? -1 : 1;
}

/** Length of the text that a change touches. */
export function touchedLength(start: number, end: number): number {
  return Math.max(1, end - start);
}

/** Counts changes by kind and by the length of text they touch. */
export class MarkCounts {
  size = 0;
  /** All counted changes start at or after this offset. Later changes after it may be counted too. */
  from = 0;
  readonly #counts = new Map<FlagKind, Map<number, number>>();

  add(kind: FlagKind, touched: number, count = 1): void {
    let counts = this.#counts.get(kind);
    if (counts === undefined) this.#counts.set(kind, (counts = new Map<number, number>()));
    counts.set(touched, (counts.get(touched) ?? 0) + count);
    this.size += count;
  }

  /** Sorted, so that the order does not depend on how the changes were found. */
  *entries(): Generator<readonly [kind: FlagKind, touched: number, count: number]> {
    for (const kind of [...this.#counts.keys()].toSorted()) {
      const counts = [...(this.#counts.get(kind) ?? [])].toSorted(([left], [right]) => left - right);
      for (const [touched, count] of counts) yield [kind, touched, count];
    }
  }

  /** Sorts the marks, keeps the first `maxMarks` and counts the rest. */
  takeSurplus(marks: Mark[]): void {
    marks.sort(compareMarks);
    for (const { kind, start, end } of marks.splice(maxMarks)) this.add(kind, touchedLength(start, end));
    this.from = marks.at(-1)?.start ?? 0;
  }
}
