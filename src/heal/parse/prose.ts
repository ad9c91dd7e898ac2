// Reads the text around values: prose, code fences, the model's thinking. Finds where the next value begins.

import { code, isOpening, isQuote, isSpace, isWord } from './character.ts';
import { maxRunLength, type Cursor } from './cursor.ts';
import { MORE, type LookaheadVerdict } from './lookahead.ts';
import type { Expectation } from './frame.ts';

const {
  ampersand,
  backslash,
  backtick,
  closeCurly,
  closeSquare,
  colon,
  comma,
  dot,
  less,
  minus,
  openCurly,
  openRound,
  plus,
  space,
} = code;

/**
 * The role of an ASCII character outside values: white space, part of a word, or the possible beginning of something
 * else.
 */
const meaning = { special: 0, space: 1, word: 2 } as const;
const meanings = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (isSpace(unit)) return meaning.space;
  return unit < space || '{[(<`"\'\\'.includes(String.fromCharCode(unit)) ? meaning.special : meaning.word;
});

export class Prose {
  /** Whether there was any prose. */
  found = false;
  fenced = false;
  thinking = false;
  /** Where the last thinking began. */
  thinkingStart = 0;
  /** Number of `</think>` tags passed. */
  thinkCount = 0;
  /** Offset after the last `</think>`. */
  responseStart = 0;
  /** Content ranges of the code fences. The last one may be open. */
  readonly fences: { readonly start: number; end: number | undefined }[] = [];
  readonly #cursor: Cursor;
  readonly #expect: Expectation | undefined;
  /** If false, only the last fence is kept, to know that there was one. */
  readonly #keepsFences: boolean;
  /** Only white space since the beginning of the text, the fence or the thinking. */
  #fresh = true;

  constructor(cursor: Cursor, expect: Expectation | undefined, keepsFences: boolean) {
    this.#cursor = cursor;
    this.#expect = expect;
    this.#keepsFences = keepsFences;
  }

  /** Skips text up to a value and stops at its opening character. */
  read(): 'container' | 'string' | 'more' {
    const cursor = this.#cursor;
    for (;;) {
      this.#skipWords();
      const unit = cursor.unit;
      if (unit < 0) return 'more';
      const opening = this.#opening(unit);
      if (opening === 'passed') continue;
      if (opening !== 'none') return opening;
      if (!isSpace(unit)) {
        this.#fresh = false;
        this.found = true;
      }
      cursor.at++;
    }
  }

  /** Skips ordinary words, which are most of the text around values. */
  #skipWords(): void {
    const cursor = this.#cursor;
    const { text, length } = cursor;
    let seen = 0;
    let at = cursor.at;
    for (; at < length; at++) {
      const unit = text.charCodeAt(at);
      const found = unit < 128 ? (meanings[unit] as number) : meaning.special;
      if (found === meaning.special) break;
      seen |= found;
    }
    cursor.at = at;
    if ((seen & meaning.word) === 0) return;
    this.#fresh = false;
    this.found = true;
  }

  /** Called when a value begins. */
  leave(): void {
    this.#fresh = false;
  }

  #opening(unit: number): 'container' | 'string' | 'more' | 'passed' | 'none' {
    if (isOpening(unit)) return this.#bracket(unit);
    if (unit === backtick) return this.#backtick();
    if (unit === less) return this.#tag();
    if (!this.#fresh) return isQuote(unit) ? this.#keyInProse() : 'none';
    if (unit === openRound) return this.#bracket(unit);
    if (isQuote(unit)) return 'string';
    if (unit !== backslash) return 'none';
    const next = this.#cursor.unitAt(1);
    return next === MORE ? 'more' : isQuote(next) ? 'string' : 'none';
  }

  /** A quoted word, a colon and a value: an object without its opening brace. */
  #keyInProse(): 'string' | 'more' | 'none' {
    const ahead = this.#cursor.ahead(0);
    const key = ahead.key();
    if (key !== 'key') return key === 'more' ? 'more' : 'none';
    const value = ahead.valueStart();
    return value === 'value' ? 'string' : value;
  }

  #bracket(unit: number): 'container' | 'more' | 'none' {
    const plausible = this.#fresh && unit !== openRound ? 'yes' : this.#isPlausible(unit);
    return plausible === 'yes' ? 'container' : plausible === 'more' ? 'more' : 'none';
  }

  /** Whether a bracket in prose opens a value, judged by what directly follows. */
  #isPlausible(open: number): LookaheadVerdict {
    const ahead = this.#cursor.ahead();
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (open === openRound && isOpening(unit)) return 'yes';
    if (unit < 0 || isQuote(unit)) return 'yes';
    if (unit === ampersand) return this.#cursor.isQuoteEntity(ahead.at - this.#cursor.at);
    if (open === openCurly) {
      if (unit === closeCurly || unit === backslash || unit === dot) return 'yes';
      const key = ahead.key();
      return key === 'more' ? 'more' : key === 'none' ? 'no' : 'yes';
    }
    if (unit === closeSquare || isOpening(unit)) return 'yes';
    if (unit === openRound && open === openRound) return 'yes';
    const value = ahead.valueStart();
    if (value !== 'none') return value === 'more' ? 'more' : 'yes';
    const { before } = this.#cursor;
    if (!isWord(unit) || !(isSpace(before) || before === colon)) return 'no';
    const word = ahead.loneWord();
    if (word !== 'word') return word === 'more' ? 'more' : 'no';
    return ahead.unit === comma || this.#expect?.wantsArray === true ? 'yes' : 'no';
  }

  #backtick(): 'string' | 'more' | 'passed' | 'none' {
    const fence = this.#cursor.isFence;
    if (fence === 'more') return 'more';
    if (fence === 'yes') return this.#skipFence();
    const next = this.#cursor.unitAt(1);
    if (next === MORE) return 'more';
    // A value formatted as code in a sentence.
    if (isOpening(next)) {
      this.#cursor.at++;
      this.found = true;
      return 'passed';
    }
    return this.#fresh ? 'string' : 'none';
  }

  #skipFence(): 'passed' | 'more' {
    const cursor = this.#cursor;
    let length = 3;
    while (length < maxRunLength && cursor.unitAt(length) === backtick) length++;
    // The language, up to the value or the end of the line.
    if (!this.fenced) while (length < 2 * maxRunLength && isLanguage(cursor.unitAt(length))) length++;
    if (cursor.unitAt(length) === MORE) return 'more';
    const open = this.fences.at(-1);
    if (this.fenced && open !== undefined) open.end = cursor.position;
    cursor.at += length;
    this.fenced = !this.fenced;
    this.#fresh = this.fenced;
    if (this.fenced && !this.#keepsFences) this.fences.length = 0;
    if (this.fenced) this.fences.push({ start: cursor.position, end: undefined });
    return 'passed';
  }

  #tag(): 'more' | 'passed' | 'none' {
    const tag = this.#cursor.thinkTag;
    if (tag === 'more' || tag === 'none') return tag;
    this.#cursor.at += tag.length;
    this.thinking = tag.opens;
    this.#fresh = true;
    this.fenced = false;
    if (tag.opens) this.thinkingStart = this.#cursor.position;
    else {
      this.thinkCount++;
      this.responseStart = this.#cursor.position;
    }
    return 'passed';
  }
}

function isLanguage(unit: number): boolean {
  return isWord(unit) || unit === minus || unit === plus;
}
