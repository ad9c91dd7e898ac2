// Holds back the end of a text that arrives in parts until the filter has judged it.
// Invariants:
//   1. A character is released only when every finding that could contain it has been decided.
//   2. The released text is the same however the text is split, and the same as for the complete text.
//   3. A surrogate pair is never split.

import { SimpleAgentsError } from '../../core/error.ts';
import { findIn, type Finding, type TextFilter } from './text-filter.ts';

/**
 * The most text that is held back for one finding whose end is unknown, in characters. It is small because the filter
 * reads the text again with every part that arrives.
 */
const mostHeld = 16 * 1024;

/** A part of the judged text. `length`: how much of the original text it stands for. */
interface JudgedPart {
  readonly isReplaced: boolean;
  text: string;
  length: number;
}

export class HeldText {
  readonly #filter: TextFilter;
  readonly #window: number;
  /** Judged text as context, then text that waits for the filter. */
  #text = '';
  #from = 0;
  readonly #judged: JudgedPart[] = [];

  constructor(filter: TextFilter) {
    this.#filter = filter;
    this.#window = Math.max(1, filter.window);
  }

  push(text: string): void {
    this.#text += text;
    this.#judge(false);
  }

  /** No more text follows: judges the rest as it is. */
  finish(): void {
    this.#judge(true);
  }

  /** Takes the judged text for up to `most` characters of the original. */
  take(most: number): { readonly text: string; readonly length: number } {
    let text = '';
    let length = 0;
    for (let [part] = this.#judged; part !== undefined && length < most; [part] = this.#judged) {
      const count = Math.min(part.length, most - length);
      // A replacement is emitted at once, where its finding starts.
      const shown = part.isReplaced ? part.text.length : count;
      text += part.text.slice(0, shown);
      part.text = part.text.slice(shown);
      part.length -= count;
      length += count;
      if (part.length === 0) this.#judged.shift();
    }
    return { text, length };
  }

  #judge(isFinal: boolean): void {
    if (this.#from === this.#text.length) return;
    const findings = findIn(this.#filter, this.#text, this.#from);
    const limit = isFinal ? this.#text.length : this.#decidedEnd(findings);
    for (const { start, end, replacement } of findings) {
      if (start >= limit) break;
      this.#release(start);
      this.#judged.push({ isReplaced: true, text: replacement, length: end - this.#from });
      this.#from = end;
    }
    this.#release(isFinal ? limit : this.#betweenCharacters(limit));
    this.#forget();
    if (this.#text.length - this.#from > mostHeld + this.#window) throw heldTooMuch();
  }

  /** Findings that start before this position are final. */
  #decidedEnd(findings: readonly Finding[]): number {
    const { length } = this.#text;
    const decided = length - this.#window + 1;
    const last = findings.at(-1);
    // It may continue in the text that follows.
    return last?.end === length ? Math.min(decided, last.start) : decided;
  }

  #betweenCharacters(limit: number): number {
    const code = this.#text.charCodeAt(limit - 1);
    return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
  }

  #release(end: number): void {
    if (end <= this.#from) return;
    this.#judged.push({ isReplaced: false, text: this.#text.slice(this.#from, end), length: end - this.#from });
    this.#from = end;
  }

  #forget(): void {
    const unneeded = this.#from - this.#window;
    if (unneeded <= 0) return;
    this.#text = this.#text.slice(unneeded);
    this.#from -= unneeded;
  }
}

function heldTooMuch(): SimpleAgentsError {
  const message = `a guardrail held back more than ${mostHeld} characters: it found a text whose end never came`;
  return new SimpleAgentsError('bad-response', message);
}
