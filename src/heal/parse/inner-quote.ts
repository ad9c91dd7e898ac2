// Counts the quotes inside a string and classifies them: quotation marks, apostrophes, or stray closing marks without
// an opening one. An odd number of quotation marks means that a quotation is open.

import { isSpace, isWord } from './character.ts';
import type { Cursor } from './cursor.ts';

/** Characters other than letters that may end a quotation or a string. */
const endMarks: ReadonlySet<number> = new Set(Array.from(',.;!?)}]%', (mark) => mark.charCodeAt(0)));

export class InnerQuotes {
  /** All inner quotes except apostrophes. */
  count = 0;
  /** Length of the text at the first stray mark. */
  firstStray: number | undefined;
  /** Quotes between two letters. */
  #apostrophes = 0;
  /** Quotes that look like the end of a quotation although none is open: `32" wide`. */
  #strays = 0;

  get exist(): boolean {
    return this.count + this.#apostrophes > 0;
  }

  /** Without stray marks. */
  get quotations(): number {
    return this.count - this.#strays;
  }

  /** The string ended earlier, where there were only this many quotation marks. */
  keep(quotations: number): void {
    this.count = quotations + this.#strays;
  }

  /** Adds `run` consecutive quotes at the cursor. `length` is the length of the text before them. */
  add(cursor: Cursor, run: number, length: number): void {
    const next = cursor.unitAt(run);
    if (run === 1 && isWord(cursor.before) && isWord(next)) {
      this.#apostrophes++;
      return;
    }
    this.count += run;
    // After a word or punctuation, not before a word, and no quotation is open.
    if (run === 1 && isEnding(cursor.before, next) && this.quotations % 2 === 1) {
      this.#strays++;
      this.firstStray ??= length;
    }
  }
}

/** Whether a quote looks like the end of a quotation, by its neighbours. */
function isEnding(before: number, next: number): boolean {
  return isWord(before) || (isSpace(next) && endMarks.has(before));
}
