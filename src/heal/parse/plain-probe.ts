// Recognises plain parts of the text: JSON, except that quotes may be of another kind and keys may be unquoted. Reads
// the bytes that the plain reader has loaded. It does not move the cursor, and remembers only the last key.
// Invariant: what it accepts, the machine would read the same way. If there is any doubt, or if the text that follows
// has not arrived, it does not accept.

import { code, isClosing, isDigit, isOpening } from './character.ts';
import type { Cursor } from './cursor.ts';
import type { ContainerFrame } from './frame.ts';
import { escapeLength } from './json-token.ts';
import { byteAt, closerOf, isQuoteByte, lineEnd, nameEnd, plainEnd, spaceEnd, wideSpaceEnd } from './plain-bytes.ts';

const {
  backslash,
  backtick,
  closeCurly,
  closeSquare,
  colon,
  comma,
  doubleQuote,
  hash,
  lineFeed,
  minus,
  openCurly,
  semicolon,
  singleQuote,
  slash,
} = code;

/** How far after a string the proof of its end may be. */
const reach = 200;

/** An offset after the end of any text. */
const afterEnd = 0x3fff_ffff;

/** A longer word, with the space after it, may be a text to the machine. */
const maxWordLength = 64;

export class PlainProbe {
  /** The last key: the offsets of its opening quote, its end and its colon. */
  keyOpen = -1;
  keyEnd = -1;
  colonAt = -1;
  /** About the last string. */
  hasEscape = false;
  #hasBracket = false;
  /** The next `<` while thinking, where a tag may end the thinking anywhere; otherwise an offset after the text. */
  #tag = afterEnd;
  readonly #cursor: Cursor;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  begin(thinking: boolean): void {
    this.keyOpen = -1;
    this.#tag = thinking ? -1 : afterEnd;
  }

  /** Whether a tag may begin in this range. Ranges must be passed in text order. */
  #hasTag(start: number, end: number): boolean {
    if (this.#tag < start) {
      const at = this.#cursor.text.indexOf('<', start);
      this.#tag = at === -1 ? afterEnd : at;
    }
    return this.#tag < end;
  }

  /** Whether a key and its colon are here. If other keys are quoted, an unquoted one may be a word in a sentence. */
  isKey(open: number, mayBeBare: boolean): boolean {
    if (this.keyOpen === open) return true;
    const closer = closerOf(byteAt(open));
    if (closer === 0) return mayBeBare && this.#isBareKey(open);
    const end = nameEnd(open + 1);
    if (end === open + 1 || byteAt(end) !== closer) return false;
    return this.#endsAtColon(open, end, spaceEnd(end + 1));
  }

  #isBareKey(start: number): boolean {
    let end = start;
    while (isIdentifierPart(byteAt(end))) end++;
    return end > start && isBareKey(start, end) && this.#endsAtColon(start, end, end);
  }

  #endsAtColon(open: number, end: number, sign: number): boolean {
    if (byteAt(sign) !== colon || this.#hasTag(open, end)) return false;
    this.keyOpen = open;
    this.keyEnd = end;
    this.colonAt = sign;
    return true;
  }

  /** Where the string that opens here ends; -1 if that is in doubt. */
  stringEnd(open: number, isItem: boolean, mayBeBare: boolean): number {
    const end = this.#firstEnd(open);
    if (end === -1 || this.#hasTag(open, end)) return -1;
    return (isItem ? this.#endsItem(end, mayBeBare) : this.#endsMember(end, mayBeBare)) ? end : -1;
  }

  /** The first closing quote, if everything before it is plain; otherwise -1. */
  #firstEnd(open: number): number {
    const closer = closerOf(byteAt(open));
    this.hasEscape = false;
    this.#hasBracket = false;
    for (let at = plainEnd(open + 1); ; at = plainEnd(at + 1)) {
      const byte = byteAt(at);
      if (byte === closer) return byteAt(at + 1) === byte ? -1 : at;
      if (byte === backslash) {
        const escape = escapeLength(this.#cursor.text, at);
        if (escape === 0) return -1;
        this.hasEscape = true;
        at += escape - 1;
      } else if (isBracket(byte)) this.#hasBracket = true;
      else if (!(closer === doubleQuote || closer === singleQuote) || !isInner(at)) return -1;
    }
  }

  /** Whether the quote ends the value of a member: a key or the end of the object follows. */
  #endsMember(quote: number, mayBeBare: boolean): boolean {
    const at = spaceEnd(quote + 1);
    const unit = byteAt(at);
    if (unit === closeCurly) return this.#closes(at + 1, mayBeBare);
    if (unit !== comma) return false;
    const next = spaceEnd(at + 1);
    return byteAt(next) === closeCurly || (this.isKey(next, mayBeBare) && this.colonAt - quote < reach);
  }

  /** Whether the quote ends an array item: the next item or the end of the array follows. */
  #endsItem(quote: number, mayBeBare: boolean): boolean {
    const at = spaceEnd(quote + 1);
    const unit = byteAt(at);
    if (unit === closeSquare) return this.#closes(at + 1, mayBeBare);
    if (unit !== comma) return false;
    const next = spaceEnd(at + 1);
    return next - quote < reach && startsItem(byteAt(next));
  }

  /** Whether what follows allows the preceding bracket to close the string's container. */
  #closes(at: number, mayBeBare: boolean): boolean {
    const { length, ended } = this.#cursor;
    const next = spaceEnd(at);
    if (next === length) return ended;
    const unit = byteAt(next);
    if (unit === closeCurly || unit === closeSquare) return true;
    // The string did not open the bracket, and a line ends or something new begins. That is proof enough.
    const isOther = unit === openCurly || isQuoteByte(unit);
    if (unit !== comma) return !this.#hasBracket && isDecisive(unit) && (isOther || hasLineBreak(at, next));
    if (!this.#hasBracket) return true;
    // The string may have opened the bracket. Only a value or a quoted key after the comma proves that the string has
    // ended.
    const following = spaceEnd(next + 1);
    const first = byteAt(following);
    if (isOpening(first)) return true;
    return first === doubleQuote && this.isKey(following, mayBeBare) && this.colonAt - at < reach;
  }

  /** Where a number or literal ends, if only the next token can follow; otherwise -1. */
  wordEnd(at: number, isItem: boolean): number {
    const end = lineEnd(at);
    // A line break ends it, whatever white space follows.
    const following = byteAt(end) === lineFeed ? wideSpaceEnd(end) : spaceEnd(end);
    const unit = byteAt(following);
    if (following - at > maxWordLength) return -1;
    if (isItem) return unit === closeSquare || (unit === comma && following + 1 < this.#cursor.length) ? end : -1;
    if (unit === closeCurly) return end;
    if (unit !== comma) return -1;
    // A digit after the comma may belong to the number.
    const next = byteAt(following + 1);
    return next !== 0 && !isDigit(next) ? end : -1;
  }

  /** Whether the preceding bracket closes the container, judged by what follows. */
  endsContainer({ node }: ContainerFrame, parent: ContainerFrame, at: number): boolean {
    if (node.kind === 'object' || parent.node.kind === 'array') return true;
    // An array that is a member may have been closed too early.
    const next = spaceEnd(at);
    const unit = byteAt(next);
    if (unit === closeCurly || unit === closeSquare) return true;
    return unit === comma && closerOf(byteAt(spaceEnd(next + 1))) !== 0;
  }
}

const dollar = 36;
const underscore = 95;

/** Whether the machine decides by this character alone. A fence, a comment, an escape or wide space needs more text. */
function isDecisive(byte: number): boolean {
  return byte < 128 && byte !== backtick && byte !== slash && byte !== hash && byte !== backslash;
}

function hasLineBreak(start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (byteAt(at) === lineFeed) return true;
  return false;
}

function isIdentifierPart(unit: number): boolean {
  return isLetter(unit) || isDigit(unit) || unit === underscore || unit === dollar;
}

/** `https:` may begin a URL. */
function isBareKey(start: number, end: number): boolean {
  const following = byteAt(end + 1);
  return !isDigit(byteAt(start)) && following > 0 && following !== slash;
}

/** Whether a quote of another kind is inside the string, because no separator, bracket or end follows it. */
function isInner(at: number): boolean {
  if (!isQuoteByte(byteAt(at))) return false;
  const next = byteAt(spaceEnd(at + 1));
  return next > 0 && next < 128 && next !== comma && next !== semicolon && !isBracket(next);
}

function isBracket(byte: number): boolean {
  return isOpening(byte) || isClosing(byte);
}

function isLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);
}

function startsItem(unit: number): boolean {
  return closerOf(unit) !== 0 || isOpening(unit) || unit === closeSquare || unit === minus || isDigit(unit);
}
