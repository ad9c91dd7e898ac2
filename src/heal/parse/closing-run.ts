// Remembers closing brackets inside a string that fit the open containers. If the string turns out to have no closing
// quote, it ended before them: `"phone": "4990⏎}⏎`.
// Invariants: brackets that the string opened itself never count, and a point is near enough that its text is still in
// the window.

import { lookbehindLength, type Cursor } from './cursor.ts';
import { closesFrame } from './frame.ts';
import type { Tree } from './tree.ts';

/** How far reading may go back to the brackets. What lies between contains no quote, so it is read again only once. */
const maxDistance = 2048;

/** A comma before a line break, and white space, before a bracket. */
const gapBefore = /(?:[,;]\s*\n)?\s*$/;

/** The end of a line or of the text. */
const lineEnd = /^[ \t]*(?:[\r\n]|$)/;

/** What precedes a quote that opens a string. */
const beforeOpening = /(?:[{[,:]|\n)\s*$/;

/** Brackets with only white space between them. */
interface Run {
  /** Where the string may have ended, and the length of its text there. */
  readonly position: number;
  readonly length: number;
  /** Number of inner quotes before it. */
  readonly quotations: number;
  /** The brackets begin a line. */
  readonly beginsLine: boolean;
  /** Number of containers that the brackets close. */
  closed: number;
  /** The position after the last bracket. */
  end: number;
}

export class ClosingRun {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  #run: Run | undefined;

  constructor(cursor: Cursor, tree: Tree) {
    this.#cursor = cursor;
    this.#tree = tree;
  }

  /** Where the string may have ended, if anywhere. */
  get point(): Run | undefined {
    return this.#run;
  }

  /** Forgets a point that is too far back. */
  forgetFar(): void {
    if (this.#isFar()) this.#run = undefined;
  }

  #isFar(): boolean {
    return this.#run !== undefined && this.#cursor.position - this.#run.position > maxDistance;
  }

  /** Called at a bracket that the string did not open. `length` is the length of the text before it. */
  note(unit: number, length: number, quotations: number): void {
    this.forgetFar();
    if (this.#run !== undefined && this.#extend(this.#run, unit)) return;
    if (this.#run !== undefined && this.#mayEnd(this.#run)) return;
    this.#run = this.#start(unit, length, quotations);
  }

  /** Returns false if something else is between the brackets. */
  #extend(run: Run, unit: number): boolean {
    if (/\S/.test(this.#textAfter(run))) return false;
    if (closesFrame(this.#tree.frames, unit, run.closed)) run.closed++;
    run.end = this.#cursor.position + 1;
    return true;
  }

  #start(unit: number, length: number, quotations: number): Run | undefined {
    if (!closesFrame(this.#tree.frames, unit, 0)) return undefined;
    const { text, at, position } = this.#cursor;
    const gap = gapBefore.exec(text.slice(Math.max(0, at - lookbehindLength), at))?.[0] ?? '';
    if (gap.length >= length) return undefined;
    const [start, end] = [position - gap.length, position + 1];
    return {
      position: start,
      length: length - gap.length,
      quotations,
      beginsLine: gap.includes('\n'),
      closed: 1,
      end,
    };
  }

  /** The text between the last bracket and the cursor. */
  #textAfter(run: Run): string {
    const { text, at, position } = this.#cursor;
    return text.slice(at - (position - run.end), at);
  }

  /** Brackets in the middle of a line count only if they close everything and end the line. */
  #mayEnd(run: Run): boolean {
    return run.beginsLine || (this.#closesAll(run) && lineEnd.test(this.#textAfter(run)));
  }

  #closesAll(run: Run): boolean {
    return run.closed === this.#tree.frames.length;
  }

  /** At a quote that does not close the string: whether it opens another one after the brackets. */
  endsBeforeOpening(): boolean {
    const { text, at } = this.#cursor;
    const run = this.#current();
    return run !== undefined && beforeOpening.test(text.slice(Math.max(0, at - lookbehindLength), at));
  }

  /** At a quote that would close the string: whether it ends a quotation in the text after the value instead. */
  endsBeforeQuotation(quotations: number): boolean {
    const run = this.#current();
    return run !== undefined && this.#closesAll(run) && (quotations - run.quotations) % 2 === 1;
  }

  /**
   * The text ended without a closing quote. Brackets in the middle of its last line prove nothing, because the string
   * may have swallowed more than them, unless another string has lost its closing quote as well (`hasLostMore`).
   */
  endsBeforeCut(hasLostMore: boolean): boolean {
    const run = this.#current();
    if (run === undefined) return false;
    const isLast = !/[^\s,]/.test(this.#textAfter(run));
    return isLast ? run.beginsLine || hasLostMore : this.#closesAll(run);
  }

  #current(): Run | undefined {
    this.forgetFar();
    return this.#run !== undefined && this.#mayEnd(this.#run) ? this.#run : undefined;
  }
}
