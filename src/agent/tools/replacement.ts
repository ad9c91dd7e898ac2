// One exact replacement in a text: where the old part stands, how often, and the text with the new part in its place.
// Knows no file.

import { lineEndingOf, Unified, unify, withLineEnding, type Span } from './line-ending.ts';

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly isEverywhere: boolean;
}

export type ReplacementOutcome =
  | { readonly kind: 'done'; readonly text: string; readonly count: number }
  | { readonly kind: 'missing' }
  /** More than one, and one was asked for: the lines they begin in, counted from 1. */
  | { readonly kind: 'ambiguous'; readonly lines: readonly number[]; readonly count: number };

const shownLines = 10;

export function replaceIn(original: string, { oldText, newText, isEverywhere }: Replacement): ReplacementOutcome {
  const unified = new Unified(original);
  const needle = unify(oldText);
  // "aa" stands twice in "aaa" for somebody who means one of them, and once for somebody who replaces all.
  const found = placesOf(needle, unified.text, isEverywhere ? needle.length : 1);
  if (found.length === 0) return { kind: 'missing' };
  if (found.length > 1 && !isEverywhere) {
    return { kind: 'ambiguous', lines: linesAt(found.slice(0, shownLines), unified.text), count: found.length };
  }
  const spans = found.map((start) => unified.toOriginal({ start, end: start + needle.length }));
  return { kind: 'done', text: splice(original, spans, newText), count: spans.length };
}

function placesOf(needle: string, text: string, step: number): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + step)) places.push(at);
  return places;
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
