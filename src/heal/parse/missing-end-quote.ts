// Finds where a string without a closing quote may have ended: before the comma, line break or colon that precedes a
// later quote.
// Invariant: a resume point is near enough that its text is still in the window.

import { code, isOpening, isSeparator, isSpace, isWord } from './character.ts';
import { maxKeyLength, lookbehindLength, type Cursor } from './cursor.ts';
import type { GrowingText } from './growing-text.ts';
import type { InnerQuotes } from './inner-quote.ts';
import { MORE, type LookaheadVerdict } from './lookahead.ts';
import type { StringOpening } from './string-opening.ts';
import type { StringRole } from './quote.ts';

const { colon } = code;

/** How far a key without a closing quote may run into its value before the next quote. */
export const maxSearchLength = 2048;

/** A point where the string may have ended, and where reading can continue. */
export interface EndPoint {
  readonly position: number;
  /** Length of the text of the string up to it. */
  readonly length: number;
  /** Number of inner quotes before it, without stray ones. */
  readonly quotations: number;
}

/** An end point before a quote or a colon. */
interface ResumePoint extends EndPoint {
  /** It precedes an unquoted key. */
  readonly bareKey: boolean;
  /** It follows a closing bracket. */
  readonly endsInBracket: boolean;
  /** A line break precedes the quote. */
  readonly endsLine: boolean;
  /** The quote is followed by text, so it may open a string. */
  readonly isOpening: boolean;
}

/** What is known about the string besides its text. */
interface StringSoFar {
  readonly role: StringRole;
  readonly opening: StringOpening;
  readonly inner: InnerQuotes;
}

const colonAtEnd = /\s*(?:[:：]|=>?)[\s{[]*$/;
const colonBeforeValue = /\s*(?:[:：]|=>?)\s*(?:true|false|null|-?\d|[{[]).*$/s;

/** A comma, a line break, or a comma and an unquoted key, at the end of the text before a quote. */
const endings = /(?:[,;]\s*(?:[{[]\s*)*|[,;]\s*([\w$]+)\s*:\s*|\s*\n\s*)$/;

/** The same in the raw text, where line breaks may be escaped. */
const rawEndings = /(?:[,;](?:\s|\\[nrt])*(?:[{[](?:\s|\\[nrt])*)*|[,;]\s*[\w$]+\s*:\s*|\s*\n\s*|(?:\s|\\[nrt])+)$/;

const lineEnd = /^,?[ \t]*[\r\n]/;

/** A line that begins with a quote and one word. */
const keyStart = /\n\s*["'`‘“][\w$]*$/;

/** Remembers where the string may have ended while it is being read. The string reader goes back there. */
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

  /** The remembered point, if any. */
  get resume(): ResumePoint | undefined {
    return this.#resume;
  }

  /** Forgets a point that is too far back, because its text may no longer be in the window. */
  forgetFar(): void {
    if (this.#isFar()) this.#resume = undefined;
  }

  /** Something else shows where the string ended. */
  forget(): void {
    this.#resume = undefined;
  }

  #isFar(): boolean {
    return this.#resume !== undefined && this.#cursor.position - this.#resume.position > maxKeyLength * 2;
  }

  /** Called at an inner quote. Remembers the first point that is near enough. */
  note(): void {
    this.forgetFar();
    this.#resume ??= this.#beforeQuote();
  }

  /** At a quote that can only open a string: whether this string ended before it. */
  endsBeforeQuote(): boolean {
    this.#resume = this.#beforeQuote();
    return this.#resume !== undefined;
  }

  /** The key ended at its colon. */
  endAtColon(start: number, length: number): void {
    this.#resume = keyEnd(start + 1 + length, length);
  }

  /** `{"key: "2020"`, `{"key: ["2020"`: the text ends with a colon, and no colon follows the quote. */
  isAtValue(): LookaheadVerdict {
    if (!colonAtEnd.test(this.#text.tail)) return 'no';
    const unit = this.#cursor.ahead().skip();
    if (unit === MORE) return 'more';
    return unit !== colon && unit >= 0 && this.endsBeforeColon() ? 'yes' : 'no';
  }

  /** `{"key: "value"}`: whether the key ended before the colon. */
  endsBeforeColon(): boolean {
    const { inner, opening } = this.#string;
    // In a long text this is tried only once, at the first quote.
    if (this.#text.length > (inner.count === 0 ? maxSearchLength : maxKeyLength)) return false;
    const match = colonAtEnd.exec(this.#text.full) ?? colonBeforeValue.exec(this.#text.full);
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
   * A single inner quote after a comma probably opens the next item, or the next value after an unquoted key. Then this
   * string has no closing quote, and the quote that would end it ends the next one.
   */
  endsNext(): boolean {
    const resume = this.#resume;
    if (resume === undefined || this.#isFar()) return false;
    const { inner, role } = this.#string;
    if (resume.quotations > 0 || inner.quotations !== 1) return false;
    return role === 'item' ? !resume.bareKey : resume.bareKey;
  }

  /** The only quote inside this string probably opens the next item, or the next key at the end of the text. */
  isBeforeNext(): boolean {
    const resume = this.#resume;
    if (resume === undefined || resume.bareKey || !resume.isOpening || this.#isFar()) return false;
    const { inner, role } = this.#string;
    if (resume.quotations > 0 || inner.quotations !== 1) return false;
    return role === 'item' || (resume.endsLine && keyStart.test(this.#text.tail));
  }

  /**
   * At an inner quote of an item: whether it is the second in a row that opens an item, or it ends a line that begins
   * with a quote.
   */
  isAfterNext(): boolean {
    if (this.#string.role !== 'item' || !this.isBeforeNext()) return false;
    if (isWord(this.#cursor.unitAt(1))) return this.#beforeQuote()?.bareKey === false;
    const { text, at } = this.#cursor;
    return this.#resume?.endsLine === true && lineEnd.test(text.slice(at + 1, at + 1 + lookbehindLength));
  }

  /** The text ended: whether the last line is the next item, or the beginning of the next key. */
  isBeforeCutLine(): boolean {
    return this.#resume?.endsLine === true && this.isBeforeNext();
  }

  /** If a comma or line break precedes this quote, the string may have ended there. */
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
    // No opening bracket follows a member, unless its object has ended.
    if (role === 'member' && !endsInBracket && /[{[]\s*$/.test(found[0])) return undefined;
    return {
      position: cursor.position - (raw.length - rawFound.index),
      length: this.#text.length - (text.length - found.index),
      quotations: inner.quotations,
      bareKey: found[1] !== undefined,
      endsInBracket,
      endsLine: found[0].includes('\n'),
      isOpening: !isSpace(cursor.unitAt(1)),
    };
  }
}

/** Quick test of the last character, because most quotes follow a word. */
function mayEndHere(text: string): boolean {
  if (text === '') return false;
  const last = text.charCodeAt(text.length - 1);
  return last > 127 || isSpace(last) || isSeparator(last) || last === colon || isOpening(last);
}

function keyEnd(position: number, length: number): ResumePoint {
  const point = { position, length, quotations: 0, bareKey: false };
  return { ...point, endsInBracket: false, endsLine: false, isOpening: false };
}
