// Looks a bounded distance ahead to decide what a character means. It does not move the cursor.
// Invariant: a result for a window is the same for every longer window, so it does not matter how the text was split
// into chunks. If that cannot be guaranteed, the result is `more`.

import {
  canonical,
  closersOf,
  code,
  isDigit,
  isOpening,
  isPythonPrefix,
  isQuote,
  isSeparator,
  isSpace,
  isWord,
} from './character.ts';

const {
  backslash,
  backtick,
  carriageReturn,
  closeCurly,
  closeSquare,
  colon,
  comma,
  dot,
  equals,
  greater,
  hash,
  lineFeed,
  minus,
  plus,
  semicolon,
  slash,
  space,
  star,
} = code;

/** `more` means that the result depends on text that has not arrived yet. */
export type LookaheadVerdict = 'yes' | 'no' | 'more';

/** The text has ended. */
export const END = -1;
/** The text continues but has not arrived yet. */
export const MORE = -2;
/** Beyond the lookahead distance. */
export const FAR = -3;

const reach = 240;

export class Lookahead {
  readonly text: string;
  readonly ended: boolean;
  readonly #limit: number;
  at: number;
  /** Whether the skipped white space contained a line break. */
  newline = false;

  constructor(text: string, at: number, ended: boolean) {
    this.text = text;
    this.at = at;
    this.ended = ended;
    this.#limit = at + reach;
  }

  get unit(): number {
    if (this.at < this.text.length) return this.at < this.#limit ? canonical(this.text.charCodeAt(this.at)) : FAR;
    return this.ended ? END : MORE;
  }

  unitAt(offset: number): number {
    const at = this.at + offset;
    if (at < this.text.length) return canonical(this.text.charCodeAt(at));
    return this.ended ? END : MORE;
  }

  /** Whether a code fence is here. */
  get isFence(): LookaheadVerdict {
    if (this.unit !== backtick) return 'no';
    const [second, third] = [this.unitAt(1), this.unitAt(2)];
    if (second === MORE || (second === backtick && third === MORE)) return 'more';
    return second === backtick && third === backtick ? 'yes' : 'no';
  }

  /** Skips white space and comments. */
  skip(): number {
    for (;;) {
      const unit = this.unit;
      if (unit < 0) return unit;
      if (isSpace(unit)) {
        if (unit === lineFeed || unit === carriageReturn) this.newline = true;
        this.at++;
      } else if (unit === slash) {
        const next = this.unitAt(1);
        if (next === MORE) return MORE;
        if (next === slash) {
          const comment = this.#isComment();
          if (comment !== 'yes') return comment === 'more' ? MORE : unit;
          this.#skipLine();
        } else if (next === star) this.#skipBlock();
        else return unit;
      } else if (unit === backslash) {
        const next = this.unitAt(1);
        if (next === MORE) return MORE;
        if (!isEscapedSpace(next)) return unit;
        this.newline ||= next === 110;
        this.at += 2;
      } else if (unit === hash) {
        const next = this.unitAt(1);
        if (next === MORE) return MORE;
        if (!isSpace(next) && next !== hash) return unit;
        const comment = this.#isComment();
        if (comment !== 'yes') return comment === 'more' ? MORE : unit;
        this.#skipLine();
      } else return unit;
    }
  }

  /** A comment runs to the end of its line and does not contain the closing quote of a string. */
  #isComment(): LookaheadVerdict {
    if (this.newline) return 'yes';
    const window = this.text.slice(this.at, this.at + reach);
    const line = window.indexOf('\n');
    if (line === -1 && window.length < reach && !this.ended) return 'more';
    // Without a line end in sight, it is a comment only if it contains no quotes.
    if (line === -1) return window.includes('"') ? 'no' : 'yes';
    const comment = window.slice(0, line);
    const quotes = comment.split('"').length - 1;
    return quotes % 2 === 0 && !comment.includes('""') ? 'yes' : 'no';
  }

  #skipLine(): void {
    while (this.unit >= 0 && this.unit !== lineFeed) this.at++;
  }

  #skipBlock(): void {
    this.at += 2;
    while (this.unit >= 0 && !(this.unit === star && this.unitAt(1) === slash)) this.at++;
    if (this.unit >= 0) this.at += 2;
  }

  /** Whether a key and its colon are here. If so, `at` is after the colon. */
  key(): 'key' | 'bare-key' | 'none' | 'more' {
    this.#skipMarks();
    const unit = this.skip();
    if (unit === MORE || (unit === minus && this.unitAt(1) === MORE)) return 'more';
    if (unit < 0) return 'none';
    if (isQuote(unit)) return this.#quotedKey(unit);
    const prefixed = this.isPrefixed;
    if (prefixed === 'more') return 'more';
    if (prefixed === 'yes') {
      this.at++;
      return this.#quotedKey(this.unit);
    }
    if (unit === backslash && isQuote(this.unitAt(1))) {
      this.at++;
      return this.#quotedKey(this.unit);
    }
    return isWord(unit) ? this.#bareKey() : 'none';
  }

  /** Whether a Python string prefix is here. `b",` is the end of a string instead. */
  get isPrefixed(): LookaheadVerdict {
    if (!isPythonPrefix(this.unit)) return 'no';
    const [quote, next] = [this.unitAt(1), this.unitAt(2)];
    if (quote === MORE || (isQuote(quote) && next === MORE)) return 'more';
    if (!isQuote(quote)) return 'no';
    return isSeparator(next) || next === colon || next === closeCurly || next === closeSquare ? 'no' : 'yes';
  }

  /** Skips list and emphasis markers before a key. */
  #skipMarks(): void {
    this.skip();
    if (this.unit === minus && this.unitAt(1) === space) this.at += 2;
    while (this.unit === star) this.at++;
  }

  #quotedKey(quote: number): 'key' | 'none' | 'more' {
    if (!this.quoted(quote)) return this.unit === MORE ? 'more' : 'none';
    while (this.unit === star) this.at++;
    const unit = this.skip();
    if (unit === MORE || (unit === equals && this.unitAt(1) === MORE)) return 'more';
    if (unit !== colon && !(unit === equals && this.unitAt(1) !== equals)) return 'none';
    this.at++;
    return 'key';
  }

  /** Skips a quoted word on one line. Returns false if there is none, or if it is incomplete. */
  quoted(quote: number): boolean {
    const [closer, other] = closersOf(quote) ?? [quote];
    if (this.unitAt(1) === quote && isWord(this.unitAt(2))) return this.#doubled(quote);
    this.at++;
    for (; this.unit >= 0; this.at++) {
      const unit = this.unit;
      if (unit === lineFeed) return false;
      if (unit === backslash) {
        this.at++;
      } else if (unit === closer || unit === other) {
        this.at++;
        return true;
      }
    }
    return false;
  }

  /** A key in doubled quotes: `""a""`. */
  #doubled(quote: number): boolean {
    for (this.at += 2; this.unit >= 0 && this.unit !== lineFeed; this.at++) {
      if (this.unit !== quote || this.unitAt(1) !== quote) continue;
      this.at += 2;
      return true;
    }
    return false;
  }

  /** Whether the quote here ends a string: a comma, a closing bracket or the end of the text follows. */
  endsString(): LookaheadVerdict {
    this.at++;
    const unit = this.skip();
    if (unit === MORE) return 'more';
    return unit === END || unit === comma || unit === closeCurly || unit === closeSquare ? 'yes' : 'no';
  }

  /** Whether two quoted words and the end of a member are here: the colon between them is missing. */
  pair(): LookaheadVerdict {
    for (let words = 0; words < 2; words++) {
      const unit = this.skip();
      if (unit === MORE) return 'more';
      if (!isQuote(unit) || !this.quoted(unit)) return this.unit === MORE ? 'more' : 'no';
    }
    const unit = this.skip();
    if (unit === MORE) return 'more';
    return isSeparator(unit) || unit === closeCurly ? 'yes' : 'no';
  }

  /** Whether a semicolon is used as a colon: `"key"; 1`. */
  semicolonAsColon(): LookaheadVerdict {
    const unit = this.skip();
    if (unit !== semicolon) return unit === MORE ? 'more' : 'no';
    const start = this.at + 1;
    this.at = start;
    const key = this.key();
    if (key !== 'none') return key === 'more' ? 'more' : 'no';
    this.at = start;
    const value = this.valueStart();
    return value === 'value' ? 'yes' : value === 'more' ? 'more' : 'no';
  }

  /** `key = value` and `key => value`, if a value follows. */
  #equalsKey(): 'bare-key' | 'none' | 'more' {
    this.at++;
    if (this.unit === MORE) return 'more';
    if (this.unit === equals) return 'none';
    if (this.unit === greater) this.at++;
    const value = this.valueStart();
    return value === 'value' ? 'bare-key' : value;
  }

  /** Words up to a colon. A quote before the colon is unmatched, which makes a key more likely. */
  #bareKey(): 'key' | 'bare-key' | 'none' | 'more' {
    for (; this.unit >= 0; this.at++) {
      const unit = this.unit;
      if (unit === equals) return this.#equalsKey();
      if (isQuote(unit)) {
        this.at++;
        const next = this.skip();
        if (next === colon) this.at++;
        return next === MORE ? 'more' : next === colon ? 'key' : 'none';
      }
      if (unit === colon) {
        // The `://` of a URL does not end a key.
        const next = this.unitAt(1);
        if (next === MORE) return 'more';
        if (next === slash) return 'none';
        this.at++;
        return 'bare-key';
      }
      // A full stop ends a sentence, not a key.
      if (unit === dot && this.unitAt(1) === space) return 'none';
      const isMark = unit === space || unit === minus || unit === dot || unit === star;
      if (!isWord(unit) && !isMark) return 'none';
    }
    return this.unit === MORE ? 'more' : 'none';
  }

  /** Whether a value begins here. */
  valueStart(): 'value' | 'none' | 'more' {
    const unit = this.skip();
    if (unit === MORE) return 'more';
    if (unit < 0) return 'none';
    if (isQuote(unit) || isOpening(unit)) return 'value';
    if (unit === minus || unit === plus || unit === dot) {
      const next = this.unitAt(1);
      return next === MORE ? 'more' : isDigit(next) || (next === dot && unit !== dot) ? 'value' : 'none';
    }
    if (unit >= 48 && unit <= 57) return 'value';
    const prefixed = this.isPrefixed;
    if (prefixed !== 'no') return prefixed === 'more' ? 'more' : 'value';
    const word = this.text.slice(this.at, this.at + maxLiteralLength + 1);
    if (literal.test(word))
      return word.length > maxLiteralLength || this.ended || !isWord(lastUnit(word)) ? 'value' : 'more';
    return !this.ended && word.length <= maxLiteralLength && literalStart.test(word) ? 'more' : 'none';
  }

  /** Whether unquoted words and then a quoted key are here. */
  wordsBeforeKey(): 'key' | 'none' | 'more' {
    while (isWord(this.unit) || this.unit === space) this.at++;
    if (this.unit === MORE) return 'more';
    const key = isQuote(this.unit) ? this.key() : 'none';
    return key === 'bare-key' ? 'none' : key;
  }

  /** Whether unquoted words end here at a comma or closing bracket, as an unquoted item does. */
  bareItem(): 'word' | 'none' | 'more' {
    while (this.unit >= 0 && !isQuote(this.unit) && !itemEnds.has(this.unit)) this.at++;
    // A quote at the end of the words is unmatched.
    const isQuoted = isQuote(this.unit);
    if (isQuoted) this.at++;
    const unit = isQuoted ? this.skip() : this.unit;
    if (unit === MORE) return 'more';
    return isSeparator(unit) || unit === closeSquare || unit === END ? 'word' : 'none';
  }

  /** Whether a single word ends here at a comma or closing bracket, as an unquoted item does. */
  loneWord(): 'word' | 'none' | 'more' {
    while (isWord(this.unit) || this.unit === minus || this.unit === dot) this.at++;
    const unit = this.skip();
    if (unit === MORE) return 'more';
    return unit === comma || unit === closeSquare || unit === END ? 'word' : 'none';
  }
}

const literal = /^(?:true|false|null|none|undefined|nan)(?!\w)/i;
const literalStart = /^[a-z]+$/i;
const maxLiteralLength = 9;

/** `\n`, `\r` or `\t` as an escape where white space is expected. */
export function isEscapedSpace(unit: number): boolean {
  return unit === 110 || unit === 114 || unit === 116;
}

const itemEnds: ReadonlySet<number> = new Set([comma, semicolon, closeSquare, closeCurly, colon]);

function lastUnit(text: string): number {
  return text.charCodeAt(text.length - 1);
}
