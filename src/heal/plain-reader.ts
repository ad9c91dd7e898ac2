// Reads the parts of a text that are plain: JSON beyond doubt, but for quotes of another kind and keys without any. Most
// of a damaged text is, and going through it without asking at each quote what it could mean makes healing several
// times as fast.
// Invariants:
//   1. It reads only what the machine would read the same way. Where there is any doubt, or where what follows has not
//      arrived, it stops before it.
//   2. It looks at no character more than twice: what it stops before is read by the machine.

import { code, isDigit, isJsonSpace, isQuote } from './character.ts';
import type { Cursor } from './cursor.ts';
import type { NodeKind } from './node.ts';
import { doubledCurly, type Frame, type Tree } from './tree.ts';

/** What is expected next inside a container. */
export type Expected = 'key' | 'value' | 'next';

/** How far behind a string that which proves its end may stand. */
const reach = 200;

/** Integers with more digits may not be exact. */
const exactDigits = 15;

export class PlainReader {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  /** The key that proved the end of the string before it: where it opens, ends, and where its colon stands. */
  #keyOpen = -1;
  #keyEnd = -1;
  #colon = -1;
  /** Of the string looked at last. */
  #hasEscape = false;
  #hasBracket = false;

  constructor(cursor: Cursor, tree: Tree) {
    this.#cursor = cursor;
    this.#tree = tree;
  }

  /** Reads on as long as there is no doubt, and tells what is expected where it stopped. */
  read(expected: Expected): Expected {
    this.#keyOpen = -1;
    let now: Expected | undefined = expected;
    let last = expected;
    while (now !== undefined) {
      last = now;
      now = this.#step(now, this.#tree.frame as Frame);
    }
    return last;
  }

  #step(expected: Expected, frame: Frame): Expected | undefined {
    const cursor = this.#cursor;
    const { text } = cursor;
    const start = spaceEnd(text, cursor.at);
    const unit = text.charCodeAt(start);
    if (expected === 'key') {
      if (this.#keyOpen === start || this.#isKey(frame, start)) return this.#key(frame, start);
      return unit === code.closeCurly && !frame.afterComma ? this.#close(frame, unit, start) : undefined;
    }
    if (expected === 'value') return this.#value(frame, unit, start);
    if (unit === code.comma) {
      cursor.at = start + 1;
      frame.afterComma = true;
      return this.#expectChild(frame);
    }
    return unit === code.closeCurly || unit === code.closeSquare ? this.#close(frame, unit, start) : undefined;
  }

  #expectChild(frame: Frame): Expected {
    this.#tree.expectChild(frame);
    return frame.node.kind === 'object' ? 'key' : 'value';
  }

  #key(frame: Frame, open: number): Expected | undefined {
    const quote = this.#cursor.text.charCodeAt(open);
    const isBare = closerOf(quote) === 0;
    const key = this.#cursor.text.slice(isBare ? open : open + 1, this.#keyEnd);
    // It may be a field of the object around this one.
    if (frame.expect?.knows(key) === false) return undefined;
    this.#cursor.at = open;
    if (isBare) this.#tree.mark('unquoted-key', { field: key, end: this.#cursor.position + key.length });
    else {
      if (quote !== code.doubleQuote) this.#tree.mark('fixed-quotes');
      frame.quotedKeys++;
      frame.keyQuote = quote;
    }
    frame.colons++;
    this.#tree.setKey(frame, key);
    this.#cursor.at = this.#colon + 1;
    return 'value';
  }

  /** Whether a key with its colon stands here. */
  #isKey(frame: Frame, open: number): boolean {
    const { text } = this.#cursor;
    const closer = closerOf(text.charCodeAt(open));
    let at = closer === 0 ? open : open + 1;
    const start = at;
    if (closer === 0) while (isIdentifierPart(text.charCodeAt(at))) at++;
    else while (isNamePart(text.charCodeAt(at))) at++;
    if (at === start) return false;
    if (closer === 0 ? !this.#isBareKey(frame, open, at) : text.charCodeAt(at) !== closer) return false;
    const colon = closer === 0 ? at : spaceEnd(text, at + 1);
    if (text.charCodeAt(colon) !== code.colon) return false;
    this.#keyOpen = open;
    this.#keyEnd = at;
    this.#colon = colon;
    return true;
  }

  /** Where keys have quotes, a bare one may be a word in a sentence; and `https:` may begin an address. */
  #isBareKey(frame: Frame, start: number, end: number): boolean {
    const { text } = this.#cursor;
    const following = text.charCodeAt(end + 1);
    return frame.quotedKeys === 0 && !isDigit(text.charCodeAt(start)) && following > 0 && following !== code.slash;
  }

  #value(frame: Frame, unit: number, start: number): Expected | undefined {
    switch (unit) {
      case code.doubleQuote:
      case code.singleQuote:
      case openSmart:
        return this.#string(frame, start);
      case code.openCurly:
      case code.openSquare:
        if (unit === code.openSquare && isMixed(frame)) return undefined;
        this.#cursor.at = start;
        this.#tree.openContainer(unit === code.openCurly ? 'object' : 'array', unit);
        this.#cursor.at++;
        return this.#expectChild(this.#tree.frame as Frame);
      case code.closeSquare:
        return frame.node.kind === 'array' && !frame.afterComma ? this.#close(frame, unit, start) : undefined;
      case letterT:
        return this.#literal(frame, start, 'true');
      case letterF:
        return this.#literal(frame, start, 'false');
      case letterN:
        return this.#literal(frame, start, 'null');
      default:
        return isDigit(unit) || unit === code.minus ? this.#number(frame, start) : undefined;
    }
  }

  #string(frame: Frame, open: number): Expected | undefined {
    const end = this.#stringEnd(open);
    if (end === -1 || !(frame.node.kind === 'object' ? this.#endsMember(frame, end) : this.#endsItem(frame, end)))
      return undefined;
    const { text } = this.#cursor;
    const value = this.#hasEscape ? unescape(text.slice(open, end + 1)) : text.slice(open + 1, end);
    return this.#addString(frame, value, open, end + 1);
  }

  /** Where the string that opens here may end: at its first end quote, if all before it is plain; else -1. */
  #stringEnd(open: number): number {
    const { text } = this.#cursor;
    const { length } = text;
    const closer = closerOf(text.charCodeAt(open));
    this.#hasEscape = false;
    this.#hasBracket = false;
    for (let at = open + 1; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 127 ? !isQuote(unit) && unit !== closer : isPlain[unit] === 1) continue;
      if (unit === closer) return text.charCodeAt(at + 1) === closer ? -1 : at;
      if (unit === code.backslash) {
        const escape = escapeLength(text, at);
        if (escape === 0) return -1;
        this.#hasEscape = true;
        at += escape - 1;
      } else if (isBracket(unit)) this.#hasBracket = true;
      else if (closer === closeSmart || !isApostrophe(text, at)) return -1;
    }
    return -1;
  }

  /** Whether the quote ends the value of a member: a key, or the end of its object, stands behind it. */
  #endsMember(frame: Frame, quote: number): boolean {
    const { text } = this.#cursor;
    const at = spaceEnd(text, quote + 1);
    const unit = text.charCodeAt(at);
    if (unit === code.closeCurly) return this.#closes(frame, at + 1);
    // The comma may be missing.
    const isNext = unit === code.comma || (unit === code.doubleQuote && at > quote + 1);
    if (!isNext) return false;
    const next = unit === code.comma ? spaceEnd(text, at + 1) : at;
    return text.charCodeAt(next) === code.closeCurly || (this.#isKey(frame, next) && this.#colon - quote < reach);
  }

  /** Whether the quote ends an item of a list: the next one, or the end of the list, stands behind it. */
  #endsItem(frame: Frame, quote: number): boolean {
    const { text } = this.#cursor;
    const at = spaceEnd(text, quote + 1);
    const unit = text.charCodeAt(at);
    if (unit === code.closeSquare) return this.#closes(frame, at + 1);
    if (unit !== code.comma) return false;
    const next = spaceEnd(text, at + 1);
    return next - quote < reach && startsItem(text.charCodeAt(next));
  }

  /** Whether what stands here lets the bracket before it close the string's container. */
  #closes(frame: Frame, at: number): boolean {
    const { text, ended } = this.#cursor;
    const next = spaceEnd(text, at);
    if (next === text.length) return ended;
    const unit = text.charCodeAt(next);
    if (unit === code.closeCurly || unit === code.closeSquare) return true;
    if (unit !== code.comma || !this.#hasBracket) return unit === code.comma;
    // The string may have opened the bracket: only a value or a quoted key behind the comma speaks for its end.
    const following = spaceEnd(text, next + 1);
    const first = text.charCodeAt(following);
    if (first === code.openCurly || first === code.openSquare) return true;
    return first === code.doubleQuote && this.#isKey(frame, following) && this.#colon - at < reach;
  }

  #number(frame: Frame, start: number): Expected | undefined {
    const { text } = this.#cursor;
    const first = text.charCodeAt(start) === code.minus ? start + 1 : start;
    let at = digitsEnd(text, first);
    if (at === first || (text.charCodeAt(first) === zero && at > first + 1)) return undefined;
    if (text.charCodeAt(at) === code.dot) {
      const fraction = at + 1;
      at = digitsEnd(text, fraction);
      if (at === fraction) return undefined;
    }
    const end = at - first > exactDigits ? -1 : this.#wordEnd(frame, at);
    if (end === -1) return undefined;
    const raw = text.slice(start, at);
    return this.#addWord(frame, { kind: 'number', value: Number(raw), raw }, start, end);
  }

  #literal(frame: Frame, start: number, word: 'true' | 'false' | 'null'): Expected | undefined {
    const end = this.#cursor.text.startsWith(word, start) ? this.#wordEnd(frame, start + word.length) : -1;
    if (end === -1) return undefined;
    const scalar: PlainWord =
      word === 'null'
        ? { kind: 'null', value: null, raw: word }
        : { kind: 'boolean', value: word === 'true', raw: word };
    return this.#addWord(frame, scalar, start, end);
  }

  /** Where the value of a number or a literal ends, if nothing but the next can follow it; else -1. */
  #wordEnd(frame: Frame, at: number): number {
    const { text } = this.#cursor;
    const end = lineEnd(text, at);
    const following = spaceEnd(text, end);
    const unit = text.charCodeAt(following);
    if (following - at > longestWord) return -1;
    if (frame.node.kind === 'array') {
      return unit === code.closeSquare || (unit === code.comma && following + 1 < text.length) ? end : -1;
    }
    if (unit === code.closeCurly) return end;
    if (unit !== code.comma) return -1;
    // A digit behind the comma may belong to the number.
    const next = text.charCodeAt(following + 1);
    return closerOf(next) !== 0 || isJsonSpace(next) ? end : -1;
  }

  /** As the machine does: a string is in its container when it begins, a word when it has ended. */
  #addString(frame: Frame, value: string, start: number, end: number): 'next' {
    const [cursor, tree] = [this.#cursor, this.#tree];
    cursor.at = start;
    const node = tree.keepsNodes ? tree.open('string', cursor.position, { value }) : tree.put(frame, value);
    if (cursor.text.charCodeAt(start) !== code.doubleQuote) tree.mark('fixed-quotes');
    cursor.at = end;
    if (node !== undefined) tree.complete(node);
    return 'next';
  }

  #addWord(frame: Frame, word: PlainWord, start: number, end: number): 'next' {
    const [cursor, tree] = [this.#cursor, this.#tree];
    cursor.at = end;
    if (tree.keepsNodes) tree.add(word.kind, cursor.position - (end - start), word);
    else tree.put(frame, word.value);
    return 'next';
  }

  /** Whether the bracket that stands here closes the innermost container, and it alone. */
  #close(frame: Frame, unit: number, at: number): Expected | undefined {
    const { frames } = this.#tree;
    const isObject = frame.node.kind === 'object';
    const parent = frames[frames.length - 2];
    if (isObject !== (unit === code.closeCurly) || parent === undefined) return undefined;
    if (frame.open === code.openRound || parent.open === code.openRound || frame.open === doubledCurly)
      return undefined;
    // Names without a colon may be a set.
    const isNamesOnly = frame.quotedKeys > frame.colons || (frame.colons === 0 && frame.count > 0);
    if (isObject ? isNamesOnly : !this.#endsList(parent, at + 1)) return undefined;
    this.#cursor.at = at + 1;
    this.#tree.close();
    return 'next';
  }

  /** A list that is a member may have been closed too early. */
  #endsList(parent: Frame, at: number): boolean {
    if (parent.node.kind === 'array') return true;
    const { text } = this.#cursor;
    const next = spaceEnd(text, at);
    const unit = text.charCodeAt(next);
    if (unit === code.closeCurly || unit === code.closeSquare) return true;
    return unit === code.comma && closerOf(text.charCodeAt(spaceEnd(text, next + 1))) !== 0;
  }
}

/** A list behind another item: where the schema wants none, a bracket may be missing. */
function isMixed({ expect, node, count }: Frame): boolean {
  if (expect === undefined || count === 0 || node.kind !== 'array') return false;
  return typeof (node.value as unknown[])[count - 1] !== 'object';
}

interface PlainWord {
  readonly kind: NodeKind;
  readonly value: unknown;
  readonly raw: string;
}

/** A word with the space behind it may be so long that the machine takes it for a text. */
const longestWord = 64;

const zero = 48;
const letterU = 117;

const openSmart = 0x201c;
const closeSmart = 0x201d;

/** What ends a string that begins so; 0 for what begins none, and for quotes with more than one end. */
function closerOf(unit: number): number {
  if (unit === code.doubleQuote || unit === code.singleQuote) return unit;
  return unit === openSmart ? closeSmart : 0;
}

/** The text of a string with escapes of JSON. In other quotes than JSON's, those may stand in it as they are. */
function unescape(quoted: string): string {
  if (quoted.charCodeAt(0) === code.doubleQuote) return JSON.parse(quoted) as string;
  const inside = quoted.slice(1, -1).replaceAll(/\\.|"/g, (found) => (found === '"' ? '\\"' : found));
  return JSON.parse(`"${inside}"`) as string;
}

function isIdentifierPart(unit: number): boolean {
  return isLetter(unit) || isDigit(unit) || unit === underscore || unit === dollar;
}

const dollar = 36;
const underscore = 95;
const letterF = 102;
const letterN = 110;
const letterT = 116;

/** By code unit, what means nothing inside a string. */
const isPlain = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit >= 32 && unit !== code.backslash && !isQuote(unit) && !isBracket(unit) ? 1 : 0,
);

function isBracket(unit: number): boolean {
  return unit === code.openCurly || unit === code.closeCurly || unit === code.openSquare || unit === code.closeSquare;
}

/** False at the end of the text, where there is no unit. */
function isNamePart(unit: number): boolean {
  return unit > 127 ? !isQuote(unit) : isPlain[unit] === 1 && unit !== code.colon;
}

/** Behind the white space that stands here. */
function spaceEnd(text: string, start: number): number {
  let at = start;
  while (isJsonSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Behind the white space that stands here, but before the end of the line. */
function lineEnd(text: string, start: number): number {
  let at = start;
  while (isJsonSpace(text.charCodeAt(at)) && text.charCodeAt(at) !== code.lineFeed) at++;
  return at;
}

function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** A quote of another kind that a word follows ends nothing. */
function isApostrophe(text: string, at: number): boolean {
  if (!isQuote(text.charCodeAt(at))) return false;
  const next = text.charCodeAt(at + 1);
  return isLetter(next === code.space ? text.charCodeAt(at + 2) : next);
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
function escapeLength(text: string, at: number): number {
  const unit = text.charCodeAt(at + 1);
  if (unit === letterU) return isHexQuad(text, at + 2) ? 6 : 0;
  return unit < 128 && isSimpleEscape[unit] === 1 ? 2 : 0;
}

const isSimpleEscape = Uint8Array.from({ length: 128 }, (_, unit) =>
  '"\\/bfnrt'.includes(String.fromCharCode(unit)) ? 1 : 0,
);

function isHexQuad(text: string, start: number): boolean {
  for (let at = start; at < start + 4; at++) if (!isHex(text.charCodeAt(at))) return false;
  return true;
}

function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70);
}
