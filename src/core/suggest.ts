// Suggests a known name for a misspelled one. No suggestion is better than a far-fetched one.

/** The candidate that is most similar to the name, if any is similar enough. */
export function suggest(name: string, candidates: readonly string[]): string | undefined {
  const given = plain(name);
  let best: string | undefined;
  let fewest = Infinity;
  for (const candidate of candidates) {
    const wanted = plain(candidate);
    const limit = Math.max(1, Math.floor(wanted.length / 3));
    const edits = Math.abs(wanted.length - given.length) > limit ? Infinity : editDistance(given, wanted);
    if (edits <= limit && edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best ?? candidates.find((candidate) => isPartOf(given, plain(candidate)));
}

/** The end of a message: `; did you mean "idle"?`, or an empty text. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const meant = suggest(name, candidates);
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
}

/** `defaultTimeout`, `default-timeout` and `default_timeout` are spellings of the same name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s.]/g, '');
}

/** `timeout` for `default_timeout`, `url` for `base_url`. */
function isPartOf(given: string, wanted: string): boolean {
  return given.length >= 3 && (wanted.startsWith(given) || wanted.endsWith(given));
}

/** Counts insertions, deletions, replacements, and swaps of neighbours, which are the most common typing error. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        (current[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
        swapped ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[right.length] ?? Infinity;
}
