// What stands at a place of the text, if it is plain: JSON beyond doubt, but for quotes of another kind and keys without
// any. Pure: it moves nothing, and remembers only the key it found last, which is asked for again when it is read.
// Invariant: what it calls plain the machine would read the same way. Where there is any doubt, or where what follows
// has not arrived, it is not plain.

import { code, isDigit, isJsonSpace, isQuote } from './character.ts';
import type { Cursor } from './cursor.ts';

/** How far behind a string that which proves its end may stand. */
const reach = 200;

/** Integers with more digits may not be exact. */
const exactDigits = 15;

/** A word with the space behind it may be so long that the machine takes it for a text. */
const longestWord = 64;

export class PlainProbe {
  /** The key found last: where it opens, ends, and where its colon stands. */
  keyOpen = -1;
  keyEnd = -1;
  colon = -1;
  /** Of the string looked at last. */
  hasEscape = false;
  #hasBracket = false;
  /** The next `<`, where the tag that ends the thinking may stand in anything; behind the text where none matters. */
  #tag = Infinity;
  readonly #cursor: Cursor;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  begin(thinking: boolean): void {
    this.keyOpen = -1;
    this.#tag = thinking ? -1 : Infinity;
  }

  /** Whether a tag may begin in this stretch, which is not before the one asked for last. */
  #hasTag(start: number, end: number): boolean {
    if (this.#tag < start) {
      const at = this.#cursor.text.indexOf('<', start);
      this.#tag = at === -1 ? Infinity : at;
    }
    return this.#tag < end;
  }

  /** Whether a key with its colon stands here. Where keys have quotes, a bare one may be a word in a sentence. */
  isKey(open: number, mayBeBare: boolean): boolean {
    if (this.keyOpen === open) return true;
    const { text } = this.#cursor;
    const closer = closerOf(unitAt(text, open));
    let at = closer === 0 ? open : open + 1;
    const start = at;
    if (closer === 0) {
      if (!mayBeBare) return false;
      while (isIdentifierPart(unitAt(text, at))) at++;
    } else while (isNamePart(unitAt(text, at))) at++;
    if (at === start) return false;
    if (closer === 0 ? !isBareKey(text, open, at) : unitAt(text, at) !== closer) return false;
    const colon = closer === 0 ? at : spaceEnd(text, at + 1);
    if (unitAt(text, colon) !== code.colon || this.#hasTag(open, at)) return false;
    this.keyOpen = open;
    this.keyEnd = at;
    this.colon = colon;
    return true;
  }

  /** Where the string that opens here ends; -1 when that is in doubt. */
  stringEnd(open: number, isItem: boolean, mayBeBare: boolean): number {
    const end = this.#firstEnd(open);
    if (end === -1 || this.#hasTag(open, end)) return -1;
    return (isItem ? this.#endsItem(end, mayBeBare) : this.#endsMember(end, mayBeBare)) ? end : -1;
  }

  /** Where the string that opens here may end: at its first end quote, if all before it is plain; else -1. */
  #firstEnd(open: number): number {
    const { text } = this.#cursor;
    const { length } = text;
    const closer = closerOf(unitAt(text, open));
    this.hasEscape = false;
    this.#hasBracket = false;
    for (let at = open + 1; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 127 ? !isQuote(unit) && unit !== closer : isPlain[unit] === 1) continue;
      if (unit === closer) return unitAt(text, at + 1) === closer ? -1 : at;
      if (unit === code.backslash) {
        const escape = escapeLength(text, at);
        if (escape === 0) return -1;
        this.hasEscape = true;
        at += escape - 1;
      } else if (isBracket(unit)) this.#hasBracket = true;
      else if (closer === closeSmart || !isApostrophe(text, at)) return -1;
    }
    return -1;
  }

  /** Whether the quote ends the value of a member: a key, or the end of its object, stands behind it. */
  #endsMember(quote: number, mayBeBare: boolean): boolean {
    const { text } = this.#cursor;
    const at = spaceEnd(text, quote + 1);
    const unit = unitAt(text, at);
    if (unit === code.closeCurly) return this.#closes(at + 1, mayBeBare);
    // The comma may be missing.
    const isNext = unit === code.comma || (unit === code.doubleQuote && at > quote + 1);
    if (!isNext) return false;
    const next = unit === code.comma ? spaceEnd(text, at + 1) : at;
    return unitAt(text, next) === code.closeCurly || (this.isKey(next, mayBeBare) && this.colon - quote < reach);
  }

  /** Whether the quote ends an item of a list: the next one, or the end of the list, stands behind it. */
  #endsItem(quote: number, mayBeBare: boolean): boolean {
    const { text } = this.#cursor;
    const at = spaceEnd(text, quote + 1);
    const unit = unitAt(text, at);
    if (unit === code.closeSquare) return this.#closes(at + 1, mayBeBare);
    if (unit !== code.comma) return false;
    const next = spaceEnd(text, at + 1);
    return next - quote < reach && startsItem(unitAt(text, next));
  }

  /** Whether what stands here lets the bracket before it close the string's container. */
  #closes(at: number, mayBeBare: boolean): boolean {
    const { text, ended } = this.#cursor;
    const next = spaceEnd(text, at);
    if (next === text.length) return ended;
    const unit = unitAt(text, next);
    if (unit === code.closeCurly || unit === code.closeSquare) return true;
    // Nothing in the string opened the bracket, and with it a line ends: that is all that can be asked for.
    if (unit !== code.comma) return !this.#hasBracket && hasLineBreak(text, at, next);
    if (!this.#hasBracket) return true;
    // The string may have opened the bracket: only a value or a quoted key behind the comma speaks for its end.
    const following = spaceEnd(text, next + 1);
    const first = unitAt(text, following);
    if (first === code.openCurly || first === code.openSquare) return true;
    return first === code.doubleQuote && this.isKey(following, mayBeBare) && this.colon - at < reach;
  }

  /** Where the digits of the number that stands here end; -1 when it is none that can be read exactly. */
  digitsEnd(start: number): number {
    const { text } = this.#cursor;
    const first = unitAt(text, start) === code.minus ? start + 1 : start;
    let at = digitsEnd(text, first);
    if (at === first || (unitAt(text, first) === zero && at > first + 1)) return -1;
    if (unitAt(text, at) === code.dot) {
      const fraction = at + 1;
      at = digitsEnd(text, fraction);
      if (at === fraction) return -1;
    }
    return at - first > exactDigits ? -1 : at;
  }

  /** Where the literal that begins with this letter ends; -1 when it is none. */
  literalEnd(start: number, unit: number): number {
    const word = unit === letterT ? 'true' : unit === letterF ? 'false' : 'null';
    return this.#cursor.text.startsWith(word, start) ? start + word.length : -1;
  }

  /** Where the value of a number or a literal ends, if nothing but the next can follow it; else -1. */
  wordEnd(at: number, isItem: boolean): number {
    const { text } = this.#cursor;
    const end = lineEnd(text, at);
    const following = spaceEnd(text, end);
    const unit = unitAt(text, following);
    if (following - at > longestWord) return -1;
    if (isItem) return unit === code.closeSquare || (unit === code.comma && following + 1 < text.length) ? end : -1;
    if (unit === code.closeCurly) return end;
    if (unit !== code.comma) return -1;
    // A digit behind the comma may belong to the number.
    const next = unitAt(text, following + 1);
    return closerOf(next) !== 0 || isJsonSpace(next) ? end : -1;
  }

  /** Whether a list that is a member ends with the bracket before this place: it may have been closed too early. */
  endsMemberList(at: number): boolean {
    const { text } = this.#cursor;
    const next = spaceEnd(text, at);
    const unit = unitAt(text, next);
    if (unit === code.closeCurly || unit === code.closeSquare) return true;
    return unit === code.comma && closerOf(unitAt(text, spaceEnd(text, next + 1))) !== 0;
  }
}

const zero = 48;
const dollar = 36;
const underscore = 95;
export const letterF = 102;
export const letterN = 110;
export const letterT = 116;
const letterU = 117;

export const openSmart = 0x201c;
const closeSmart = 0x201d;

/**
 * The unit at a place; 0 behind the end of the text. Asking a text for what lies behind its end gives no integer, and one
 * such answer makes every comparison of units slower, wherever it is.
 */
export function unitAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

/** What ends a string that begins so; 0 for what begins none, and for quotes with more than one end. */
export function closerOf(unit: number): number {
  if (unit === code.doubleQuote || unit === code.singleQuote) return unit;
  return unit === openSmart ? closeSmart : 0;
}

/** Behind the white space that stands here. */
export function spaceEnd(text: string, start: number): number {
  let at = start;
  while (isJsonSpace(unitAt(text, at))) at++;
  return at;
}

/** Behind the white space that stands here, but before the end of the line. */
function lineEnd(text: string, start: number): number {
  let at = start;
  while (isJsonSpace(unitAt(text, at)) && unitAt(text, at) !== code.lineFeed) at++;
  return at;
}

function hasLineBreak(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === code.lineFeed) return true;
  return false;
}

function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigit(unitAt(text, at))) at++;
  return at;
}

function isIdentifierPart(unit: number): boolean {
  return isLetter(unit) || isDigit(unit) || unit === underscore || unit === dollar;
}

/** By code unit, what means nothing inside a string. */
const isPlain = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit >= 32 && unit !== code.backslash && !isQuote(unit) && !isBracket(unit) ? 1 : 0,
);

function isBracket(unit: number): boolean {
  return unit === code.openCurly || unit === code.closeCurly || unit === code.openSquare || unit === code.closeSquare;
}

function isNamePart(unit: number): boolean {
  return unit > 127 ? !isQuote(unit) : isPlain[unit] === 1 && unit !== code.colon;
}

/** `https:` may begin an address. */
function isBareKey(text: string, start: number, end: number): boolean {
  const following = unitAt(text, end + 1);
  return !isDigit(unitAt(text, start)) && following > 0 && following !== code.slash;
}

/** A quote of another kind that a word follows ends nothing. */
function isApostrophe(text: string, at: number): boolean {
  if (!isQuote(unitAt(text, at))) return false;
  const next = unitAt(text, at + 1);
  return isLetter(next === code.space ? unitAt(text, at + 2) : next);
}

function isLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);
}

function startsItem(unit: number): boolean {
  return (
    closerOf(unit) !== 0 ||
    unit === code.openCurly ||
    unit === code.openSquare ||
    unit === code.closeSquare ||
    unit === code.minus ||
    isDigit(unit)
  );
}

/** The length of the escape that stands here; 0 when it is none of JSON's. */
export function escapeLength(text: string, at: number): number {
  const unit = unitAt(text, at + 1);
  if (unit === letterU) return isHexQuad(text, at + 2) ? 6 : 0;
  return unit < 128 && isSimpleEscape[unit] === 1 ? 2 : 0;
}

const isSimpleEscape = Uint8Array.from({ length: 128 }, (_, unit) =>
  '"\\/bfnrt'.includes(String.fromCharCode(unit)) ? 1 : 0,
);

function isHexQuad(text: string, start: number): boolean {
  for (let at = start; at < start + 4; at++) if (!isHex(unitAt(text, at))) return false;
  return true;
}

function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70);
}
