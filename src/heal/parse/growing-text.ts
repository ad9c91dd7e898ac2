// The text of a string while it is being read. Appending is cheap until the string is sliced, because slicing flattens
// it. The parts that are examined while it grows, its end and what was added, are therefore kept separately.

import { lookbehindLength } from './cursor.ts';

/** Length of the recent text that is kept for streaming output. */
const kept = 1024;

export class GrowingText {
  #full: string;
  /**
   * Appended text that is not in the other fields yet. Escapes arrive one by one, and joining each with `+` would build
   * a deep rope string.
   */
  #fresh = '';
  #more: string[] | undefined;
  #freshLength = 0;
  /** At least the last `lookbehindLength` characters. */
  #tail = '';
  /** A longer part of the end, for streaming output. Slicing the entire text would copy it each time. */
  #recent: string | undefined;
  /** Text added since it was last taken; `undefined` if the text did not only grow. */
  #added: string | undefined = '';

  constructor(begun: string) {
    this.#full = begun;
  }

  get full(): string {
    this.#settle();
    return this.#full;
  }

  get length(): number {
    return this.#full.length + this.#freshLength;
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
    this.#full += piece;
    this.#tail += piece;
    if (this.#tail.length > 4 * lookbehindLength) this.#tail = this.#tail.slice(-lookbehindLength);
    if (this.#recent !== undefined) this.#growRecent(this.#recent + piece);
    if (this.#added !== undefined) this.#added += piece;
  }

  #growRecent(recent: string): void {
    this.#recent = recent.length > 2 * kept ? recent.slice(-kept) : recent;
  }

  /** The string turned out to end earlier. */
  cutTo(full: string): void {
    this.#settle();
    this.#full = full;
    this.#added = undefined;
  }

  /** Returns the text added since the last call; `undefined` if the text did not only grow. */
  takeAdded(): string | undefined {
    this.#settle();
    const added = this.#added;
    this.#added = '';
    return added;
  }

  /** Slices the recent part if possible, because slicing the entire text is expensive. */
  slice(start: number, end: number): string {
    if (end <= start) return '';
    this.#settle();
    const recent = (this.#recent ??= this.#full.slice(-kept));
    const gone = this.#full.length - recent.length;
    return start < gone ? this.#full.slice(start, end) : recent.slice(start - gone, end - gone);
  }
}
