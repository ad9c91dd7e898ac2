// Skips white space, literal or escaped, and comments.
// Invariant: a comment may end in a later chunk. Until then, nothing else is read.

import { code, isNonJsonSpace, isSpace } from './character.ts';
import type { Cursor } from './cursor.ts';
import type { FlagKind } from '../report/flag.ts';
import { END, isEscapedSpace, MORE, type LookaheadVerdict } from './lookahead.ts';
import type { State } from './state.ts';
import type { Tree } from './tree.ts';

const { backslash, hash, lineFeed, slash, star } = code;

export class GapReader {
  /** Whether a line has ended since the last colon. */
  newLine = false;
  /** Whether the last skip passed something that JSON does not allow. */
  foundNonJson = false;
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  /** The delimiter that ends the open comment. */
  #comment: '\n' | '*/' | undefined;

  constructor(cursor: Cursor, tree: Tree) {
    this.#cursor = cursor;
    this.#tree = tree;
  }

  get inComment(): boolean {
    return this.#comment !== undefined;
  }

  /** Returns false if more text is needed. */
  skip(expected: State): boolean {
    const cursor = this.#cursor;
    this.foundNonJson = false;
    for (;;) {
      if (this.#comment !== undefined) {
        if (!this.#skipComment(this.#comment)) return false;
        continue;
      }
      const { unit } = cursor;
      if (unit < 0) return unit === END;
      if (isSpace(unit)) {
        if (isNonJsonSpace(unit)) this.#note('fixed-whitespace');
        if (unit === lineFeed) this.newLine = true;
        cursor.at++;
      } else if (unit === backslash) {
        if (cursor.unitAt(1) === MORE) return false;
        if (!isEscapedSpace(cursor.unitAt(1))) return true;
        this.#note('fixed-whitespace');
        cursor.at += 2;
      } else if (unit === slash || unit === hash) {
        const starts = this.#startsComment(unit, expected);
        if (starts !== 'yes') return starts === 'no';
      } else return true;
    }
  }

  #startsComment(unit: number, expected: State): LookaheadVerdict {
    const cursor = this.#cursor;
    const next = cursor.unitAt(1);
    if (next === MORE) return 'more';
    if (unit === slash && next !== slash && next !== star) return 'no';
    // `#fff` is a value, `# text` is a comment.
    if (unit === hash && expected === 'value' && !isSpace(next) && next !== hash) return 'no';
    this.#comment = next === star && unit === slash ? '*/' : '\n';
    cursor.at += unit === slash ? 2 : 1;
    this.#note('stripped-comment');
    return 'yes';
  }

  #note(kind: FlagKind): void {
    this.foundNonJson = true;
    this.#tree.mark(kind);
  }

  #skipComment(end: '\n' | '*/'): boolean {
    const cursor = this.#cursor;
    const at = cursor.text.indexOf(end, cursor.at);
    if (at === -1) {
      // The last character may be the first half of the closing delimiter.
      cursor.at = Math.max(cursor.at, cursor.length - (cursor.ended ? 0 : end.length - 1));
      if (cursor.ended) this.#comment = undefined;
      return cursor.ended;
    }
    cursor.at = at + end.length;
    this.#comment = undefined;
    return true;
  }
}
