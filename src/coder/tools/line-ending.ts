// Line endings: a text is found whatever its line breaks are, and what is put in gets those of the place it goes to.
// Models write \n; a file with \r\n must neither refuse the edit nor end up with both.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text with every \r\n as \n, and the way back to where things stood. */
export class Unified {
  readonly text: string;
  /** Where in `text` a \r was taken out: before the \n that now stands there. */
  readonly #removed: readonly number[];

  constructor(original: string) {
    this.text = unify(original);
    this.#removed = this.text.length === original.length ? [] : removedIn(original);
  }

  /** Between which places of the original something in `text` stands. */
  toOriginal({ start, end }: Span): Span {
    return { start: start + this.#countBefore(start), end: end + this.#countBefore(end) };
  }

  /** How many were taken out before this place. */
  #countBefore(place: number): number {
    let low = 0;
    let high = this.#removed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#removed[middle] ?? 0) < place) low = middle + 1;
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

/** The one used more; nothing when there is no line break. */
export function lineEndingOf(text: string): LineEnding | undefined {
  const all = count(text, '\n');
  if (all === 0) return undefined;
  return count(text, '\r\n') * 2 > all ? '\r\n' : '\n';
}

/** A text that says \r\n itself is left as it is. */
export function withLineEnding(text: string, ending: LineEnding | undefined): string {
  return ending === '\r\n' && !text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}
