// Where a string may have ended whose end quote is missing: before the comma, the line break or the colon that precedes
// a later quote. Invariant: the place is near enough that its text is still there.

import { code, isOpening, isSeparator, isSpace } from './character.ts';
import { maxKeyLength, lookbehindLength, type LookaheadVerdict, type Cursor } from './cursor.ts';
import type { GrowingText } from './growing-text.ts';
import type { InnerQuotes } from './inner-quote.ts';
import { MORE } from './lookahead.ts';
import type { StringOpening } from './string-opening.ts';
import type { StringRole } from './quote.ts';

const { colon } = code;

/** How far a key without an end quote may run over its value, a list perhaps, up to the next quote. */
export const maxSearchLength = 2048;

/** A place to go back to. */
export interface ResumePoint {
  readonly position: number;
  readonly length: number;
  /** How many inner quotes there were before it, strays left out. */
  readonly quotations: number;
  /** It stands before a key without quotes. */
  readonly bareKey: boolean;
  /** A closing bracket stands before it. */
  readonly endsInBracket: boolean;
}

/** What is known of the string besides its text. */
interface StringSoFar {
  readonly role: StringRole;
  readonly opening: StringOpening;
  readonly inner: InnerQuotes;
}

const colonAtEnd = /\s*(?:[:：]|=>?)[\s{[]*$/;
const colonBeforeValue = /\s*(?:[:：]|=>?)\s*(?:true|false|null|-?\d|[{[]).*$/s;

/** A comma, a line break, or a comma and a key without quotes, before a quote. */
const endings = /(?:[,;]\s*(?:[{[]\s*)*|[,;]\s*([\w$]+)\s*:\s*|\s*\n\s*)$/;

/** The same as it stands in the text, where a line break may be written out. */
const rawEndings = /(?:[,;](?:\s|\\[nrt])*(?:[{[](?:\s|\\[nrt])*)*|[,;]\s*[\w$]+\s*:\s*|\s*\n\s*|(?:\s|\\[nrt])+)$/;

/** Notes, while a string is read, where it may have ended; whoever reads it goes back there. */
export class MissingEndQuote {
  readonly #cursor: Cursor;
  readonly #text: GrowingText;
  readonly #string: StringSoFar;
  #resume: ResumePoint | undefined;

  constructor(cursor: Cursor, text: GrowingText, string: StringSoFar) {
    this.#cursor = cursor;
    this.#text = text;
    this.#string = string;
  }

  /** The place that was noted, if any. */
  get resume(): ResumePoint | undefined {
    return this.#resume;
  }

  /** A place that is too far back is none: the text there may be gone. */
  forgetFar(): void {
    if (this.#isFar()) this.#resume = undefined;
  }

  #isFar(): boolean {
    return this.#resume !== undefined && this.#cursor.position - this.#resume.position > maxKeyLength * 2;
  }

  /** At an inner quote. The first place counts, as long as it is near. */
  note(): void {
    this.forgetFar();
    this.#resume ??= this.#beforeQuote();
  }

  /** At a quote that can only open a string: whether this one ended before it. */
  endsBeforeQuote(): boolean {
    this.#resume = this.#beforeQuote();
    return this.#resume !== undefined;
  }

  /** A key ended at its colon, so far from its start. */
  endAtColon(start: number, length: number): void {
    this.#resume = keyEnd(start + 1 + length, length);
  }

  /** `{"key: "2020"`, `{"key: ["2020"`: the text ends in a colon, and no colon follows the quote. */
  isAtValue(): LookaheadVerdict {
    if (!colonAtEnd.test(this.#text.tail)) return 'no';
    const unit = this.#cursor.ahead().skip();
    if (unit === MORE) return 'more';
    return unit !== colon && unit >= 0 && this.endsBeforeColon() ? 'yes' : 'no';
  }

  /** `{"key: "value"}`: whether the key ended before the colon. */
  endsBeforeColon(): boolean {
    const { inner, opening } = this.#string;
    // Looked for in a long text only once, at its first quote.
    if (this.#text.length > (inner.count === 0 ? maxSearchLength : maxKeyLength)) return false;
    const match = colonAtEnd.exec(this.#text.whole) ?? colonBeforeValue.exec(this.#text.whole);
    if (match === null || match.index === 0 || match.index > maxKeyLength || opening !== 'plain') return false;
    this.#resume = keyEnd(this.#cursor.position - match[0].length, match.index);
    return true;
  }

  /** `": ` inside a value: the quote closes the next key, whose opening quote was taken for an inner one. */
  closesNextKey(at: number): LookaheadVerdict {
    const resume = this.#resume;
    if (resume === undefined || resume.bareKey || this.#isFar()) return 'no';
    if (this.#string.role === 'item' && !resume.endsInBracket) return 'no';
    const unit = this.#cursor.ahead(at - this.#cursor.at + 1).skip();
    if (unit === MORE) return 'more';
    return unit === colon ? 'yes' : 'no';
  }

  /**
   * One inner quote that follows a comma is more likely the next item's, or the next value's behind a bare key, and
   * the end quote of this one missing. The quote that would end this string ends the next.
   */
  endsNext(): boolean {
    const resume = this.#resume;
    if (resume === undefined || this.#isFar()) return false;
    const { inner, role } = this.#string;
    if (resume.quotations > 0 || inner.quotations !== 1) return false;
    return role === 'item' ? !resume.bareKey : resume.bareKey;
  }

  /** If a comma or a line break stands before this quote, the string may have ended there. */
  #beforeQuote(): ResumePoint | undefined {
    const { inner, role } = this.#string;
    if (role !== 'member' && role !== 'item') return undefined;
    const cursor = this.#cursor;
    const text = this.#text.tail;
    if (!mayEndHere(text)) return undefined;
    const raw = cursor.text.slice(Math.max(0, cursor.at - lookbehindLength), cursor.at);
    const [found, rawFound] = [endings.exec(text), rawEndings.exec(raw)];
    if (found === null || rawFound === null || found.index === 0) return undefined;
    const endsInBracket = /[}\]]\s*$/.test(text.slice(0, found.index));
    // A member is not followed by a bracket, unless its object has ended.
    if (role === 'member' && !endsInBracket && /[{[]\s*$/.test(found[0])) return undefined;
    return {
      position: cursor.position - (raw.length - rawFound.index),
      length: this.#text.length - (text.length - found.index),
      quotations: inner.quotations,
      bareKey: found[1] !== undefined,
      endsInBracket,
    };
  }
}

/** Whether a text can have one of the endings, as far as its last character tells. Most quotes stand behind a word. */
function mayEndHere(text: string): boolean {
  if (text === '') return false;
  const last = text.charCodeAt(text.length - 1);
  return last > 127 || isSpace(last) || isSeparator(last) || last === colon || isOpening(last);
}

function keyEnd(position: number, length: number): ResumePoint {
  return { position, length, quotations: 0, bareKey: false, endsInBracket: false };
}
