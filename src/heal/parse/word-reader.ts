// Reads one unquoted value: a number, a literal, or words up to the beginning of the next token.

import { canonical, code, isDigit, isQuote, isSeparator, isSpace, isWord, trimSpace } from './character.ts';
import type { Cursor } from './cursor.ts';
import { END, FAR, isEscapedSpace, MORE, type LookaheadVerdict } from './lookahead.ts';
import { beginsScalar, isLiteral, isNumeric, parseScalar } from './scalar.ts';
import type { Tree } from './tree.ts';

const {
  backslash,
  backtick,
  closeCurly,
  closeRound,
  closeSquare,
  comma,
  dot,
  hash,
  less,
  lineFeed,
  minus,
  openCurly,
  openRound,
  openSquare,
  semicolon,
  slash,
  space,
  star,
} = code;

/** Longer words are not numbers, literals or function names. */
const maxShortLength = 80;

const callNames =
  /^(?:new\s+)?(?:ObjectId|ISODate|Date|NumberLong|NumberInt|NumberDecimal|Timestamp|Decimal(?:128)?|UUID|set|frozenset|list|tuple|dict|OrderedDict|datetime|date|str|int|float|bool|String|Number|Boolean)$/;

const literals = ['true', 'false', 'null', 'True', 'False', 'None'];

/** A number whose exponent or digits have not arrived yet. */
const unfinished = /(?:^|\d[eE])[-+]?$/;

/** Completes a literal truncated by the end of the text. */
function completeLiteral(raw: string): string {
  return (raw === '' ? undefined : literals.find((literal) => literal.startsWith(raw))) ?? raw;
}

export class WordReader {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #isItem: boolean;
  /** Inside a call or a tuple, where a parenthesis ends it. */
  readonly #inRound: boolean;
  readonly #thinking: boolean;
  readonly #start: number;
  /** Whether the first character allows a number or a literal. */
  readonly #mayBeScalar: boolean;
  #text = '';
  /** Offset in the window of the part that is not in `#text` yet. */
  #from = 0;
  /** Position after the last character that is not a space. */
  #end = 0;
  #round = 0;
  #curly = 0;
  #square = 0;
  /** Whether a quote was taken as part of the words. */
  #hasQuote = false;

  constructor(
    cursor: Cursor,
    tree: Tree,
    options: { readonly isItem: boolean; readonly inRound: boolean; readonly thinking: boolean },
  ) {
    this.#cursor = cursor;
    this.#tree = tree;
    this.#isItem = options.isItem;
    this.#inRound = options.inRound;
    this.#thinking = options.thinking;
    this.#start = cursor.position;
    this.#mayBeScalar = beginsScalar(cursor.unit);
  }

  /** Returns `call` if the text is the name of a function around the value. */
  read(): 'done' | 'call' | 'more' {
    const cursor = this.#cursor;
    this.#from = cursor.at;
    for (; cursor.at < cursor.length; cursor.at++) {
      const unit = canonical(cursor.text.charCodeAt(cursor.at));
      if (isWord(unit)) {
        this.#end = cursor.position + 1;
        continue;
      }
      if (unit === openRound && callNames.test(this.#shortText() ?? '')) {
        cursor.at++;
        this.#tree.mark('stripped-wrapper');
        return 'call';
      }
      const ends = this.#ends(unit);
      if (ends === 'no') {
        if (!isSpace(unit)) this.#end = cursor.position + 1;
        continue;
      }
      this.#keep();
      if (ends === 'more') return 'more';
      this.#finish();
      return 'done';
    }
    this.#keep();
    if (!cursor.ended) return 'more';
    this.#finish();
    return 'done';
  }

  #keep(): void {
    this.#text += this.#cursor.text.slice(this.#from, this.#cursor.at);
    this.#from = this.#cursor.at;
  }

  /** The text so far, if it is short. Examining a long text repeatedly would not be linear. */
  #shortText(): string | undefined {
    const length = Math.min(this.#end, this.#cursor.position) - this.#start;
    if (length > maxShortLength) return undefined;
    const kept =
      this.#text.length < length ? this.#text + this.#cursor.text.slice(this.#from, this.#cursor.at) : this.#text;
    return trimSpace(kept.slice(0, length));
  }

  #isScalar(): boolean {
    const short = this.#mayBeScalar ? this.#shortText() : undefined;
    return short !== undefined && (isLiteral(short) || isNumeric(short));
  }

  #ends(unit: number): LookaheadVerdict {
    switch (unit) {
      case openRound:
        this.#round++;
        return 'no';
      case closeRound:
        if (this.#round === 0 && (this.#inRound || (this.#isItem && this.#isScalar()))) return 'yes';
        this.#round = Math.max(0, this.#round - 1);
        return 'no';
      case openCurly:
        if (this.#shortText() === '' || this.#isScalar()) return 'yes';
        this.#curly++;
        return 'no';
      case openSquare:
        this.#square++;
        return 'no';
      case closeCurly:
        return this.#curly-- > 0 ? 'no' : 'yes';
      case closeSquare:
        return this.#square-- > 0 ? 'no' : 'yes';
      case comma:
      case semicolon:
        if (this.#round > 0 || this.#curly > 0 || this.#square > 0) return 'no';
        return this.#isItem ? 'yes' : this.#atComma();
      case space:
        // Only the last of several spaces is checked, because each check looks ahead over all of them.
        if (this.#cursor.unitAt(1) === space) return 'no';
        return this.#isItem ? this.#atGap() : this.#atMemberGap();
      case minus:
        return this.#isItem ? this.#atGap() : 'no';
      case backslash:
        return this.#atBackslash();
      case lineFeed:
        return this.#atLineEnd();
      case slash:
      case hash:
        return this.#startsComment(unit);
      case backtick:
        return this.#cursor.isFence === 'no' ? this.#atQuote() : this.#cursor.isFence;
      case less:
        return this.#atTag();
      default:
        return isQuote(unit) ? this.#atQuote() : 'no';
    }
  }

  /** An escaped line break ends what a real one would end. */
  #atBackslash(): LookaheadVerdict {
    const next = this.#cursor.unitAt(1);
    if (next === MORE) return 'more';
    if (!isEscapedSpace(next)) return 'no';
    return this.#isScalar() ? 'yes' : this.#atLineEnd(0);
  }

  #atTag(): LookaheadVerdict {
    const tag = this.#cursor.thinkTag;
    if (tag === 'more' || tag === 'none') return tag === 'more' ? 'more' : 'no';
    return this.#thinking || !tag.opens ? 'yes' : 'no';
  }

  /** Two numbers in an array without a comma between them. */
  #atGap(): LookaheadVerdict {
    if (!this.#isScalar() || unfinished.test(this.#shortText() ?? '')) return 'no';
    const ahead = this.#cursor.ahead(0);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit === minus) return isDigit(ahead.unitAt(1)) ? 'yes' : ahead.unitAt(1) === MORE ? 'more' : 'no';
    const value = isQuote(unit) ? 'none' : ahead.valueStart();
    return value === 'more' ? 'more' : value === 'value' ? 'yes' : 'no';
  }

  /** A number or literal, followed by the next key without a comma. */
  #atMemberGap(): LookaheadVerdict {
    if (!this.#isScalar()) return 'no';
    const ahead = this.#cursor.ahead(0);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (!isWord(unit) && unit !== star) return 'no';
    const key = ahead.key();
    return key === 'more' ? 'more' : key === 'none' ? 'no' : 'yes';
  }

  /** A comma ends a member if a key or nothing follows. Otherwise it is part of the text. */
  #atComma(): LookaheadVerdict {
    const short = this.#mayBeScalar ? this.#shortText() : undefined;
    if (short !== undefined && isLiteral(short)) return 'yes';
    const ahead = this.#cursor.ahead();
    const first = ahead.unit;
    if (first === MORE) return 'more';
    if (short !== undefined && isNumeric(short)) return isDigit(first) ? 'no' : 'yes';
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit < 0 || unit === closeCurly || unit === closeSquare || unit === comma) return 'yes';
    if (unit === dot || unit === hash) return 'yes';
    const key = ahead.key();
    return key === 'more' ? 'more' : key === 'none' && ahead.unit !== FAR ? 'no' : 'yes';
  }

  #atLineEnd(offset = 1): LookaheadVerdict {
    const ahead = this.#cursor.ahead(offset);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit < 0 || (this.#isItem && offset > 0) || this.#isScalar()) return 'yes';
    if (unit === closeCurly || unit === closeSquare || unit === comma) return 'yes';
    const key = ahead.key();
    return key === 'more' ? 'more' : key === 'none' ? 'no' : 'yes';
  }

  #startsComment(unit: number): LookaheadVerdict {
    const { before } = this.#cursor;
    const next = this.#cursor.unitAt(1);
    if (next === MORE) return 'more';
    if (unit === hash) return isSpace(before) && isSpace(next) ? 'yes' : 'no';
    if (next === star) return 'yes';
    return next === slash && isSpace(before) ? 'yes' : 'no';
  }

  /** `foo",`: the opening quote of the word is missing. Or the quote opens the next key. */
  #atQuote(): LookaheadVerdict {
    const short = this.#shortText();
    if (short === '') return 'no';
    const key = this.#cursor.ahead(0).key();
    if (key === 'more') return 'more';
    if (key === 'key' && !this.#isItem) return 'yes';
    const unit = this.#cursor.ahead().skip();
    if (unit === MORE) return 'more';
    if (this.#isScalar()) return 'yes';
    const structural = isSeparator(unit) || unit === closeCurly || unit === closeSquare || unit === END;
    if (structural && !this.#hasQuote) return 'yes';
    this.#hasQuote = true;
    return 'no';
  }

  /** Whether the quote ends the words instead of opening a key. After an item, a bracket or comma follows the quote. */
  #isOwnQuote(): boolean {
    const unit = this.#isItem && !this.#isScalar() ? this.#cursor.ahead().skip() : END;
    return isSeparator(unit) || unit === closeSquare || this.#cursor.ahead(0).key() !== 'key';
  }

  #finish(): void {
    const cursor = this.#cursor;
    const raw = trimSpace(this.#text);
    if (raw.length < this.#text.length && /[^ \t\n\r]/.test(this.#text.slice(raw.length)))
      this.#tree.mark('fixed-whitespace');
    const isEndQuote = isQuote(cursor.unit) && !isSpace(cursor.before) && this.#isOwnQuote();
    if (isEndQuote) cursor.at++;
    if (raw === '-') {
      // In an array, an unfinished number is dropped.
      this.#tree.mark(this.#isItem ? 'dropped-text' : 'missing-value', { start: this.#start });
      if (this.#isItem) return;
      this.#tree.add('missing', this.#start, { value: null });
      return;
    }
    const scalar = parseScalar(cursor.unit === END ? completeLiteral(raw) : raw);
    const fixed = isEndQuote ? 'fixed-quotes' : scalar.fixed;
    if (fixed !== undefined) this.#tree.mark(fixed, { start: this.#start });
    this.#tree.add(scalar.kind, this.#start, { value: scalar.value, raw });
  }
}
