// A change, with the stretch of text it concerns; and those that are only counted, because there are too many to tell.

import type { Flag, FlagKind } from '../report/flag.ts';
import type { ValuePath } from '../report/value-path.ts';

/** What a flag tells besides its kind and its place. */
export type Detail = Omit<Flag, 'kind' | 'path'>;

/** All have the same members, for what reads many objects is quicker when they are alike. */
export interface Mark {
  readonly kind: FlagKind;
  readonly path: ValuePath | undefined;
  readonly start: number;
  readonly end: number;
  readonly detail: Detail | undefined;
}

/** More changes than this are only counted. */
export const maxMarks = 1000;

/** By the place in the text. Marks of one kind in one place stay as they are. */
export function compareMarks(left: Mark, right: Mark): number {
  if (left.start !== right.start) return left.start - right.start;
  if (left.end !== right.end) return left.end - right.end;
  return left.kind === right.kind ? 0 : left.kind < right.kind ? -1 : 1;
}

/** How much of the text a change touches. */
export function touchedLength(start: number, end: number): number {
  return Math.max(1, end - start);
}

/** How many changes of each kind touch how much of the text. */
export class MarkCounts {
  size = 0;
  /** All that are counted stand behind this place, and what stands behind it may be counted. */
  from = 0;
  readonly #counts = new Map<FlagKind, Map<number, number>>();

  add(kind: FlagKind, touched: number, count = 1): void {
    let counts = this.#counts.get(kind);
    if (counts === undefined) this.#counts.set(kind, (counts = new Map<number, number>()));
    counts.set(touched, (counts.get(touched) ?? 0) + count);
    this.size += count;
  }

  /** By kind and by what they touch, so that the order does not depend on how they were found. */
  *entries(): Generator<readonly [kind: FlagKind, touched: number, count: number]> {
    for (const kind of [...this.#counts.keys()].toSorted()) {
      const counts = [...(this.#counts.get(kind) ?? [])].toSorted(([left], [right]) => left - right);
      for (const [touched, count] of counts) yield [kind, touched, count];
    }
  }

  /** Counts the marks behind the first thousand, and leaves the others where they are, in order. */
  takeSurplus(marks: Mark[]): void {
    marks.sort(compareMarks);
    for (const { kind, start, end } of marks.splice(maxMarks)) this.add(kind, touchedLength(start, end));
    this.from = marks.at(-1)?.start ?? 0;
  }
}
