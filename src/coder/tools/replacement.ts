// Replaces exact text: finds the occurrences of the old text and returns the text with the new one in their place. It knows
// no file.

import { lineEndingOf, Unified, unify, withLineEnding, type Span } from './line-ending.ts';

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly isEverywhere: boolean;
  /** The maximum length of the result. */
  readonly longest: number;
}

export type ReplacementOutcome =
  | { readonly kind: 'done'; readonly text: string; readonly count: number }
  | { readonly kind: 'missing' }
  /** More than one occurrence where one was expected. `lines`: where the first ones start, counted from 1. */
  | { readonly kind: 'ambiguous'; readonly lines: readonly number[]; readonly count: number }
  /** The result would be too long, or there are too many occurrences. */
  | { readonly kind: 'too-large'; readonly count: number };

const shownLines = 10;
const mostPlaces = 200_000;

export function replaceIn(original: string, replacement: Replacement): ReplacementOutcome {
  const { oldText, newText, isEverywhere, longest } = replacement;
  const unified = new Unified(original);
  const needle = unify(oldText);
  // Overlapping matches count as ambiguous: "aa" occurs twice in "aaa". Replacing all of them takes non-overlapping ones.
  const step = isEverywhere ? needle.length : 1;
  const count = countOf(needle, unified.text, step);
  if (count === 0) return { kind: 'missing' };
  if (count > 1 && !isEverywhere) {
    const first = Array.from(placesOf(needle, unified.text, { step, most: shownLines }));
    return { kind: 'ambiguous', lines: [...new Set(linesAt(first, unified.text))], count };
  }
  const growth = withLineEnding(newText, '\r\n').length - needle.length;
  if (count > mostPlaces || original.length + count * growth > longest) return { kind: 'too-large', count };
  const places = Array.from(placesOf(needle, unified.text, { step, most: mostPlaces }));
  const spans = places.map((start) => unified.toOriginal({ start, end: start + needle.length }));
  return { kind: 'done', text: splice(original, spans, newText), count };
}

function countOf(needle: string, text: string, step: number): number {
  let count = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + step)) count += 1;
  return count;
}

interface PlaceSearch {
  readonly step: number;
  readonly most: number;
}

function* placesOf(needle: string, text: string, { step, most }: PlaceSearch): Generator<number> {
  let left = most;
  for (let at = text.indexOf(needle); at !== -1 && left > 0; at = text.indexOf(needle, at + step)) {
    left -= 1;
    yield at;
  }
}

function linesAt(places: readonly number[], text: string): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf('\n', from); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) {
      line += 1;
      from = at + 1;
    }
    return line;
  });
}

function splice(original: string, spans: readonly Span[], newText: string): string {
  const common = lineEndingOf(original);
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    const ending = lineEndingOf(original.slice(start, end)) ?? common;
    parts.push(original.slice(from, start), withLineEnding(newText, ending));
    from = end;
  }
  return [...parts, original.slice(from)].join('');
}
