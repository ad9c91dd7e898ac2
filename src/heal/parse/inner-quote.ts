// The quotes in a string that were judged to stand inside it, and what they are: marks of quotations, apostrophes, or
// strays that close what nobody opened. An odd number of quotations means that one is open.

import { isSpace, isWord } from './character.ts';
import type { Cursor } from './cursor.ts';

/** What a quotation, or a string, may end with besides a word. */
const endMarks: ReadonlySet<number> = new Set(Array.from(',.;!?)}]%', (mark) => mark.charCodeAt(0)));

export class InnerQuotes {
  /** All but apostrophes. */
  count = 0;
  /** How long the text was at the first stray. */
  firstStray: number | undefined;
  /** Between two letters, which open no quotation. */
  #apostrophes = 0;
  /** They look like the end of a quotation although none is open: `32" wide`. */
  #strays = 0;

  get exist(): boolean {
    return this.count + this.#apostrophes > 0;
  }

  /** Strays left out. */
  get quotations(): number {
    return this.count - this.#strays;
  }

  /** The string ended where there were only so many quotations. */
  keep(quotations: number): void {
    this.count = quotations + this.#strays;
  }

  /** So many quotes in a row stand at the cursor, behind a text of this length. */
  add(cursor: Cursor, run: number, length: number): void {
    const next = cursor.unitAt(run);
    if (run === 1 && isWord(cursor.before) && isWord(next)) {
      this.#apostrophes++;
      return;
    }
    this.count += run;
    // Behind a word or a mark, before none, and no quotation open.
    if (run === 1 && isEnding(cursor.before, next) && this.quotations % 2 === 1) {
      this.#strays++;
      this.firstStray ??= length;
    }
  }
}

/** Whether a quote looks like the end of a quotation by what stands around it. */
function isEnding(before: number, next: number): boolean {
  return isWord(before) || (isSpace(next) && endMarks.has(before));
}
