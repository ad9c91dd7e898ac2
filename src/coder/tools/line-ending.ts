// Line endings. A text is found whatever its line endings are, and inserted text gets the line endings of its surroundings.
// Models write \n: editing a file with \r\n must neither fail nor produce mixed line endings.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text with every \r\n as \n, and a mapping back to positions in the original. */
export class Unified {
  readonly text: string;
  /** Positions in `text` at which a \r was removed before a \n. */
  readonly #removed: readonly number[];

  constructor(original: string) {
    this.text = unify(original);
    this.#removed = this.text.length === original.length ? [] : removedIn(original);
  }

  /** Maps a span of `text` to the original. */
  toOriginal({ start, end }: Span): Span {
    return { start: start + this.#countBefore(start), end: end + this.#countBefore(end) };
  }

  /** How many \r were removed before this position. */
  #countBefore(position: number): number {
    let low = 0;
    let high = this.#removed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#removed[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function unify(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function removedIn(original: string): number[] {
  const removed: number[] = [];
  for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2)) {
    removed.push(at - removed.length);
  }
  return removed;
}

export type LineEnding = '\n' | '\r\n';

/** The more frequent line ending; undefined if there is no line break. */
export function lineEndingOf(text: string): LineEnding | undefined {
  const all = count(text, '\n');
  if (all === 0) return undefined;
  return count(text, '\r\n') * 2 > all ? '\r\n' : '\n';
}

/** A text that already contains \r\n is not changed. */
export function withLineEnding(text: string, ending: LineEnding | undefined): string {
  return ending === '\r\n' && !text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}
