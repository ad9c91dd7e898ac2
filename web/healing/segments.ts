// Cuts a text into segments for display: plain text, text outside the value, and text with a repair.
// Invariants: the segments joined give the text; a segment has the innermost repair that covers it; insertions are
// segments without text.

import type { Flag } from '../../src/heal/index.ts';
import { flagLooks, type MarkStyle } from './flag-title.ts';
import { placeOf } from './place.ts';

export interface Segment {
  readonly start: number;
  readonly text: string;
  readonly style: 'plain' | 'outside' | Exclude<MarkStyle, 'around' | 'none'>;
  /** The index of the repair in `flags`. */
  readonly flag?: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly flag: number;
  readonly style: Segment['style'];
}

export function toSegments(text: string, flags: readonly Flag[]): Segment[] {
  const ranges = flags.flatMap((flag, index) => toRange(flag, index, text));
  const inner = valueRange(flags, text);
  const cuts = new Set([0, text.length, ...inner, ...ranges.flatMap(({ start, end }) => [start, end])]);
  const offsets = [...cuts].filter((offset) => offset <= text.length).toSorted((left, right) => left - right);
  const insertions = Map.groupBy(
    ranges.filter(({ start, end }) => start === end),
    ({ start }) => start,
  );
  const covering = ranges.filter(({ start, end }) => start < end);
  return offsets.flatMap((start, index) => [
    ...(insertions.get(start) ?? []).map(({ flag, style }): Segment => ({ start, text: '', style, flag })),
    ...toSegment(text, [start, offsets[index + 1] ?? start], { covering, inner }),
  ]);
}

interface Covers {
  readonly covering: readonly Range[];
  readonly inner: readonly [start: number, end: number];
}

function toSegment(text: string, [start, end]: readonly [number, number], { covering, inner }: Covers): Segment[] {
  if (start === end) return [];
  const part = { start, text: text.slice(start, end) };
  if (start < inner[0] || end > inner[1]) return [{ ...part, style: 'outside' }];
  let best: Range | undefined;
  for (const range of covering) {
    const covers = range.start <= start && end <= range.end;
    if (covers && (best === undefined || range.end - range.start <= best.end - best.start)) best = range;
  }
  return [best === undefined ? { ...part, style: 'plain' } : { ...part, style: best.style, flag: best.flag }];
}

/** A repair of a whole long part says nothing about a place in it. */
const longestMark = 240;

function toRange(given: Flag, flag: number, text: string): Range[] {
  const { style } = flagLooks[given.kind];
  const at = placeOf(given, text);
  if (at === undefined || style === 'around' || style === 'none') return [];
  const [start, end] = style === 'inserted' ? [at[1], at[1]] : at;
  if (end > text.length || end - start > longestMark) return [];
  // A change without a length is shown at the character before which it was noticed.
  if (start === end && style !== 'inserted') return [{ start, end: Math.min(text.length, end + 1), flag, style }];
  return [{ start, end, flag, style }];
}

/** The value inside the text around it. */
function valueRange(flags: readonly Flag[], text: string): readonly [start: number, end: number] {
  const around = flags.find(({ kind, at }) => flagLooks[kind].style === 'around' && at !== undefined);
  return around?.at ?? [0, text.length];
}
