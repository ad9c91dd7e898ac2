// The text of a string while it is read. It grows by joining, which is cheap until it is cut; so what must be looked at
// while it grows, its end and what was added, is kept apart.

import { lookbehindLength } from './cursor.ts';

/** How much of the end is kept for whoever sends the text on. */
const kept = 1024;

export class GrowingText {
  #whole: string;
  /**
   * What was appended last and is not in the others yet. Escapes come one by one: joined with `+` they would be a tree
   * with a node for each, which is kept until somebody looks into the text.
   */
  #fresh = '';
  #more: string[] | undefined;
  #freshLength = 0;
  /** The end of the text and what was before it, for what is judged by the end. Cut only now and then. */
  #tail = '';
  /** A longer end, for whoever sends the text on while it grows: looking at the whole would copy it each time. */
  #recent: string | undefined;
  /** What was added since the text was last shown; nothing when it did not only grow. */
  #added: string | undefined = '';

  constructor(begun: string) {
    this.#whole = begun;
  }

  get whole(): string {
    this.#settle();
    return this.#whole;
  }

  get length(): number {
    return this.#whole.length + this.#freshLength;
  }

  get tail(): string {
    this.#settle();
    if (this.#tail.length > lookbehindLength) this.#tail = this.#tail.slice(-lookbehindLength);
    return this.#tail;
  }

  append(piece: string): void {
    if (piece === '') return;
    if (this.#freshLength === 0) this.#fresh = piece;
    else (this.#more ??= []).push(piece);
    this.#freshLength += piece.length;
    if (this.#freshLength >= kept) this.#settle();
  }

  #settle(): void {
    if (this.#freshLength === 0) return;
    const piece = this.#more === undefined ? this.#fresh : this.#fresh + this.#more.join('');
    this.#more = undefined;
    this.#freshLength = 0;
    this.#whole += piece;
    this.#tail += piece;
    if (this.#tail.length > 4 * lookbehindLength) this.#tail = this.#tail.slice(-lookbehindLength);
    if (this.#recent !== undefined) this.#growRecent(this.#recent + piece);
    if (this.#added !== undefined) this.#added += piece;
  }

  #growRecent(recent: string): void {
    this.#recent = recent.length > 2 * kept ? recent.slice(-kept) : recent;
  }

  /** The text has ended, and before where it had come to. */
  cutTo(whole: string): void {
    this.#settle();
    this.#whole = whole;
    this.#added = undefined;
  }

  /** What was added since this was last asked; nothing when the text did not only grow. */
  takeAdded(): string | undefined {
    this.#settle();
    const added = this.#added;
    this.#added = '';
    return added;
  }

  /** A stretch of the text, by its recent part where that is enough: to cut the whole is not cheap. */
  slice(start: number, end: number): string {
    if (end <= start) return '';
    this.#settle();
    const recent = (this.#recent ??= this.#whole.slice(-kept));
    const gone = this.#whole.length - recent.length;
    return start < gone ? this.#whole.slice(start, end) : recent.slice(start - gone, end - gone);
  }
}
