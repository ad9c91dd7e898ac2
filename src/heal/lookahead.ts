// Looks a bounded distance ahead in the text to settle what a character means. Pure: it moves nothing.
// Invariant: an answer given on a window stays the same on every longer window, so where the text is cut into
// chunks never matters. Where that cannot be promised the answer is `more`.

import { code, isQuote, isSpace, isWord } from './character.ts';

/** The text has ended. */
export const END = -1;
/** The text goes on, but has not arrived. */
export const MORE = -2;
/** Too far to look. */
export const FAR = -3;

const reach = 240;

export class Lookahead {
  readonly text: string;
  readonly ended: boolean;
  readonly #limit: number;
  at: number;
  /** Whether the white space passed over held a line break. */
  newline = false;

  constructor(text: string, at: number, ended: boolean) {
    this.text = text;
    this.at = at;
    this.ended = ended;
    this.#limit = at + reach;
  }

  get unit(): number {
    if (this.at < this.text.length) return this.at < this.#limit ? this.text.charCodeAt(this.at) : FAR;
    return this.ended ? END : MORE;
  }

  unitAt(offset: number): number {
    const at = this.at + offset;
    if (at < this.text.length) return this.text.charCodeAt(at);
    return this.ended ? END : MORE;
  }

  /** Passes white space and comments. */
  skip(): number {
    for (;;) {
      const unit = this.unit;
      if (unit < 0) return unit;
      if (isSpace(unit)) {
        if (unit === code.lineFeed || unit === code.carriageReturn) this.newline = true;
        this.at++;
      } else if (unit === code.slash) {
        const next = this.unitAt(1);
        if (next === MORE) return MORE;
        if (next === code.slash) this.#passLine();
        else if (next === code.star) this.#passBlock();
        else return unit;
      } else return unit;
    }
  }

  #passLine(): void {
    while (this.unit >= 0 && this.unit !== code.lineFeed) this.at++;
  }

  #passBlock(): void {
    this.at += 2;
    while (this.unit >= 0 && !(this.unit === code.star && this.unitAt(1) === code.slash)) this.at++;
    if (this.unit >= 0) this.at += 2;
  }

  /** Whether a key with its colon stands here. Leaves `at` behind the colon when it does. */
  key(): 'key' | 'bare-key' | 'none' | 'more' {
    const unit = this.skip();
    if (unit === MORE) return 'more';
    if (unit < 0) return 'none';
    if (isQuote(unit)) return this.#quotedKey(unit);
    if (unit === code.backslash && isQuote(this.unitAt(1))) {
      this.at++;
      return this.#quotedKey(this.unit);
    }
    return isWord(unit) ? this.#bareKey() : 'none';
  }

  #quotedKey(quote: number): 'key' | 'none' | 'more' {
    if (!this.quoted(quote)) return this.unit === MORE ? 'more' : 'none';
    const unit = this.skip();
    if (unit === MORE) return 'more';
    if (unit !== code.colon && !(unit === code.equals && this.unitAt(1) !== code.equals)) return 'none';
    this.at++;
    return 'key';
  }

  /** Passes a quoted word of one line; false when there is none, or not yet. */
  quoted(quote: number): boolean {
    const close = quote === 0x201c ? 0x201d : quote === 0x2018 ? 0x2019 : quote;
    this.at++;
    for (; this.unit >= 0; this.at++) {
      const unit = this.unit;
      if (unit === code.lineFeed) return false;
      if (unit === code.backslash) {
        if (this.unitAt(1) === close) this.at++;
      } else if (unit === close) {
        this.at++;
        return true;
      }
    }
    return false;
  }

  #bareKey(): 'bare-key' | 'none' | 'more' {
    for (; this.unit >= 0; this.at++) {
      const unit = this.unit;
      if (unit === code.colon) {
        // The `://` of an address is no colon of ours.
        const next = this.unitAt(1);
        if (next === MORE) return 'more';
        if (next === code.slash) return 'none';
        this.at++;
        return 'bare-key';
      }
      if (!isWord(unit) && unit !== code.space && unit !== code.minus && unit !== code.dot) return 'none';
    }
    return this.unit === MORE ? 'more' : 'none';
  }

  /** Whether something a value begins with stands here. */
  valueStart(): 'value' | 'none' | 'more' {
    const unit = this.skip();
    if (unit === MORE) return 'more';
    if (unit < 0) return 'none';
    if (isQuote(unit) || unit === code.openCurly || unit === code.openSquare) return 'value';
    if (unit === code.minus || unit === code.plus || unit === code.dot) return 'value';
    if (unit >= 48 && unit <= 57) return 'value';
    const word = this.text.slice(this.at, this.at + longestLiteral + 1);
    if (literal.test(word))
      return word.length > longestLiteral || this.ended || !isWord(lastUnit(word)) ? 'value' : 'more';
    return !this.ended && word.length <= longestLiteral && literalStart.test(word) ? 'more' : 'none';
  }

  /** Whether a lone word ends here in a comma or a closing bracket, as an unquoted item does. */
  loneWord(): 'word' | 'none' | 'more' {
    while (isWord(this.unit) || this.unit === code.minus || this.unit === code.dot) this.at++;
    const unit = this.skip();
    if (unit === MORE) return 'more';
    return unit === code.comma || unit === code.closeSquare || unit === END ? 'word' : 'none';
  }
}

const literal = /^(?:true|false|null|none|undefined|nan)(?!\w)/i;
const literalStart = /^[a-z]+$/i;
const longestLiteral = 9;

function lastUnit(text: string): number {
  return text.charCodeAt(text.length - 1);
}
