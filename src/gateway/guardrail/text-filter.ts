// What a guardrail looks for: the interface that plugins implement, and its use on text that is complete.

export interface TextFilter {
  /**
   * The most characters that the filter must see at once to recognize what it looks for, including what it looks ahead
   * to. A stream is delayed by this many characters. A finding that reaches the end of the text may be longer: it is held
   * back until its end is known.
   */
  readonly window: number;
  /**
   * Finds what must be replaced. The text before `from` was judged earlier and is only context. Throw an error to fail the
   * response. Must be synchronous and give the same findings for the same text.
   */
  find(text: string, from: number): Iterable<Finding>;
}

/** A range of the text, in UTF-16 code units as in `slice`, and what replaces it. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** The findings from `from` on, sorted. Findings that overlap are joined, so that no part of them remains. */
export function findIn(filter: TextFilter, text: string, from: number): Finding[] {
  const found = [...filter.find(text, from)]
    .map((finding) => ({ ...finding, start: Math.max(finding.start, from), end: Math.min(finding.end, text.length) }))
    .filter(({ start, end }) => start < end)
    .toSorted((left, right) => left.start - right.start);
  const joined: Finding[] = [];
  for (const finding of found) {
    const last = joined.at(-1);
    if (last === undefined || finding.start >= last.end) joined.push(finding);
    else joined[joined.length - 1] = { ...last, end: Math.max(last.end, finding.end) };
  }
  return joined;
}

/** The text with every finding replaced. */
export function filterText(filter: TextFilter, text: string): string {
  let result = '';
  let position = 0;
  for (const { start, end, replacement } of findIn(filter, text, 0)) {
    result += text.slice(position, start) + replacement;
    position = end;
  }
  return result + text.slice(position);
}
