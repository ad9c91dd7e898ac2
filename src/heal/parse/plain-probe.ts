// Recognises plain parts of the text: JSON, except that quotes may be of another kind and keys may have none. Reads the
// bytes that the plain reader has loaded. It moves nothing, and remembers only the key it found last.
// Invariant: what it calls plain the machine would read the same way. If there is any doubt, or if what follows has not
// arrived, it is not plain.

import { code, isClosing, isDigit, isOpening } from './character.ts';
import type { Cursor } from './cursor.ts';
import type { ContainerFrame } from './frame.ts';
import { escapeLength } from './json-token.ts';
import { byteAt, closerOf, isQuoteByte, lineEnd, nameEnd, plainEnd, spaceEnd, wideSpaceEnd } from './plain-bytes.ts';

const {
  backslash,
  closeCurly,
  closeSquare,
  colon,
  comma,
  doubleQuote,
  lineFeed,
  minus,
  openCurly,
  semicolon,
  singleQuote,
  slash,
} = code;

/** How far behind a string that which proves its end may stand. */
const reach = 200;

/** Behind every text. */
const nowhere = 0x3fff_ffff;

/** A word with the space behind it may be so long that the machine takes it for a text. */
const maxWordLength = 64;

export class PlainProbe {
  /** The key found last: where it opens, where it ends, and where its colon stands. */
  keyOpen = -1;
  keyEnd = -1;
  colonAt = -1;
  /** Of the string looked at last. */
  hasEscape = false;
  #hasBracket = false;
  /** The next `<`, where the tag that ends the thinking may stand in anything; behind the text where none matters. */
  #tag = nowhere;
  readonly #cursor: Cursor;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  begin(thinking: boolean): void {
    this.keyOpen = -1;
    this.#tag = thinking ? -1 : nowhere;
  }

  /** Whether a tag may begin in this stretch, which is not before the one asked for last. */
  #hasTag(start: number, end: number): boolean {
    if (this.#tag < start) {
      const at = this.#cursor.text.indexOf('<', start);
      this.#tag = at === -1 ? nowhere : at;
    }
    return this.#tag < end;
  }

  /** Whether a key with its colon stands here. Where keys have quotes, a bare one may be a word in a sentence. */
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

  /** Where the string that opens here ends; -1 when that is in doubt. */
  stringEnd(open: number, isItem: boolean, mayBeBare: boolean): number {
    const end = this.#firstEnd(open);
    if (end === -1 || this.#hasTag(open, end)) return -1;
    return (isItem ? this.#endsItem(end, mayBeBare) : this.#endsMember(end, mayBeBare)) ? end : -1;
  }

  /** Where the string that opens here may end: at its first end quote, if all before it is plain; else -1. */
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

  /** Whether the quote ends the value of a member: a key, or the end of its object, stands behind it. */
  #endsMember(quote: number, mayBeBare: boolean): boolean {
    const at = spaceEnd(quote + 1);
    const unit = byteAt(at);
    if (unit === closeCurly) return this.#closes(at + 1, mayBeBare);
    if (unit !== comma) return false;
    const next = spaceEnd(at + 1);
    return byteAt(next) === closeCurly || (this.isKey(next, mayBeBare) && this.colonAt - quote < reach);
  }

  /** Whether the quote ends an item of a list: the next one, or the end of the list, stands behind it. */
  #endsItem(quote: number, mayBeBare: boolean): boolean {
    const at = spaceEnd(quote + 1);
    const unit = byteAt(at);
    if (unit === closeSquare) return this.#closes(at + 1, mayBeBare);
    if (unit !== comma) return false;
    const next = spaceEnd(at + 1);
    return next - quote < reach && startsItem(byteAt(next));
  }

  /** Whether what stands here lets the bracket before it close the string's container. */
  #closes(at: number, mayBeBare: boolean): boolean {
    const { length, ended } = this.#cursor;
    const next = spaceEnd(at);
    if (next === length) return ended;
    const unit = byteAt(next);
    if (unit === closeCurly || unit === closeSquare) return true;
    // Nothing in the string opened the bracket, and a line ends or something new begins: that is all that can be asked for.
    const isOther = unit === openCurly || isQuoteByte(unit);
    if (unit !== comma) return !this.#hasBracket && (isOther || hasLineBreak(at, next));
    if (!this.#hasBracket) return true;
    // The string may have opened the bracket: only a value or a quoted key behind the comma speaks for its end.
    const following = spaceEnd(next + 1);
    const first = byteAt(following);
    if (isOpening(first)) return true;
    return first === doubleQuote && this.isKey(following, mayBeBare) && this.colonAt - at < reach;
  }

  /** Where the value of a number or a literal ends, if nothing but the next can follow it; else -1. */
  wordEnd(at: number, isItem: boolean): number {
    const end = lineEnd(at);
    // The end of a line ends it, whatever white space follows.
    const following = byteAt(end) === lineFeed ? wideSpaceEnd(end) : spaceEnd(end);
    const unit = byteAt(following);
    if (following - at > maxWordLength) return -1;
    if (isItem) return unit === closeSquare || (unit === comma && following + 1 < this.#cursor.length) ? end : -1;
    if (unit === closeCurly) return end;
    if (unit !== comma) return -1;
    // A digit behind the comma may belong to the number.
    const next = byteAt(following + 1);
    return next !== 0 && !isDigit(next) ? end : -1;
  }

  /** Whether the bracket before this place ends the container, as far as what follows tells. */
  endsContainer({ node }: ContainerFrame, parent: ContainerFrame, at: number): boolean {
    if (node.kind === 'object' || parent.node.kind === 'array') return true;
    // A list that is a member may have been closed too early.
    const next = spaceEnd(at);
    const unit = byteAt(next);
    if (unit === closeCurly || unit === closeSquare) return true;
    return unit === comma && closerOf(byteAt(spaceEnd(next + 1))) !== 0;
  }
}

const dollar = 36;
const underscore = 95;

function hasLineBreak(start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (byteAt(at) === lineFeed) return true;
  return false;
}

function isIdentifierPart(unit: number): boolean {
  return isLetter(unit) || isDigit(unit) || unit === underscore || unit === dollar;
}

/** `https:` may begin an address. */
function isBareKey(start: number, end: number): boolean {
  const following = byteAt(end + 1);
  return !isDigit(byteAt(start)) && following > 0 && following !== slash;
}

/** A quote of another kind that neither a separator, a bracket nor the end follows ends nothing. */
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
