// The text being read, as an array of bytes, which is faster to scan than a string. ASCII characters keep their code;
// every other character is reduced to a byte for its class. The array is shared: it holds the text that was loaded
// last.
// Invariant: zeros follow the text, so that a scan needs no check for the end.

import { code, isDigit, isNonJsonSpace, letterF, letterN, letterT } from './character.ts';

const { backtick, colon, dot, doubleQuote, lineFeed, minus, singleQuote, space } = code;

/** Longer texts are read in pieces. */
export const maxTextLength = 65_536;

/** How far past the end of the text a scan may read. */
const margin = 4;

/** Integers with more digits may not be exact. */
const exactDigits = 15;

/** Any character without a special meaning. */
const other = 128;

/** White space that JSON does not allow. It has no special meaning inside a string. */
const nonJsonSpace = 192;

/** Opening and closing quotes outside ASCII. */
const quotePairs = ['“”', '‘’', '«»', '„“', '＂＂', '＇＇', '「」'];

/** Every non-ASCII quote gets a byte of its own, after `other`. */
const quotes = new Map<number, number>();
for (const quote of quotePairs.join('') + '´') {
  const unit = quote.charCodeAt(0);
  if (!quotes.has(unit)) quotes.set(unit, other + 1 + quotes.size);
}

/** A code unit takes at most three bytes in UTF-8, the form in which the text is loaded. */
const bytes = new Uint8Array(3 * maxTextLength + margin);
const encoder = new TextEncoder();
let loaded = 0;

/** Returns a ticket for `isLoaded`. */
export function load(text: string): number {
  const { read, written } = encoder.encodeInto(text, bytes);
  if (read !== written) translate(written);
  for (let at = text.length; at < text.length + margin; at++) bytes[at] = 0;
  loaded = (loaded + 1) % 0x3fff_ffff;
  return loaded;
}

export function isLoaded(ticket: number): boolean {
  return ticket === loaded;
}

/** Converts UTF-8 to one byte per code unit, in place. This works because no unit takes less than a byte. */
function translate(length: number): void {
  let from = 0;
  // Text before the first non-ASCII character is already in place.
  while ((bytes[from] as number) < other) from++;
  for (let to = from; from < length;) {
    const byte = bytes[from] as number;
    if (byte < other) {
      bytes[to++] = byte;
      from++;
    } else if (byte < 0xe0) {
      bytes[to++] = toByte(((byte & 0x1f) << 6) | followingBits(from + 1));
      from += 2;
    } else if (byte < 0xf0) {
      bytes[to++] = toByte(((byte & 0x0f) << 12) | (followingBits(from + 1) << 6) | followingBits(from + 2));
      from += 3;
    } else {
      // A surrogate pair: two units without a special meaning.
      bytes[to++] = other;
      bytes[to++] = other;
      from += 4;
    }
  }
}

function followingBits(at: number): number {
  return (bytes[at] as number) & 0x3f;
}

function toByte(unit: number): number {
  if (isLetter(unit)) return other;
  return quotes.get(unit) ?? (isNonJsonSpace(unit) ? nonJsonSpace : other);
}

export function byteAt(at: number): number {
  return bytes[at] as number;
}

const closers = new Uint8Array(256);
for (const quote of '"\'`') closers[quote.charCodeAt(0)] = quote.charCodeAt(0);
for (const pair of quotePairs) closers[byteOf(pair, 0)] = byteOf(pair, 1);

/** A letter of one of the common scripts. It is neither a quote nor white space. */
function isLetter(unit: number): boolean {
  return (unit >= 0xc0 && unit < 0x1680) || (unit >= 0x3040 && unit < 0xfe00);
}

function byteOf(pair: string, index: number): number {
  return quotes.get(pair.charCodeAt(index)) as number;
}

/** The byte that closes a string opened by this one; 0 if it does not open a string. */
export function closerOf(byte: number): number {
  return closers[byte] as number;
}

export function isQuoteByte(byte: number): boolean {
  return (byte > other && byte < nonJsonSpace) || byte === doubleQuote || byte === singleQuote || byte === backtick;
}

/** Bytes without a special meaning inside a string. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === other ||
  byte === nonJsonSpace ||
  (byte >= 32 && byte < other && !'"\'`\\{}[]'.includes(String.fromCharCode(byte)))
    ? 1
    : 0,
);

/** Bytes without a special meaning inside a quoted key. */
const isName = isPlain.map((plain, byte) => (byte === colon ? 0 : plain));

const isBlank = Uint8Array.from({ length: 256 }, (_, byte) => (' \n\r\t'.includes(String.fromCharCode(byte)) ? 1 : 0));

/** Offset after the white space. */
export function spaceEnd(start: number): number {
  let at = start;
  // Usually there is none.
  while ((bytes[at] as number) <= space && isBlank[bytes[at] as number] === 1) at++;
  return at;
}

/** Offset after the white space, including kinds that JSON does not allow. */
export function wideSpaceEnd(start: number): number {
  let at = start;
  while (isBlank[bytes[at] as number] === 1 || bytes[at] === nonJsonSpace) at++;
  return at;
}

/** Offset after the white space, but not past the end of the line. */
export function lineEnd(start: number): number {
  let at = start;
  while (isBlank[bytes[at] as number] === 1 && bytes[at] !== lineFeed) at++;
  return at;
}

/** Offset after the plain part of a quoted key. */
export function nameEnd(start: number): number {
  let at = start;
  while (isName[bytes[at] as number] === 1) at++;
  return at;
}

/** Offset after the plain part of a string. */
export function plainEnd(start: number): number {
  let at = start;
  while (isPlain[bytes[at] as number] === 1) at++;
  return at;
}

/** Offset after the number; -1 if it cannot be read exactly. */
export function numberEnd(start: number): number {
  const first = bytes[start] === minus ? start + 1 : start;
  let at = digitsEnd(first);
  if (at === first || (at > first + 1 && bytes[first] === zero)) return -1;
  if (bytes[at] === dot) {
    const fraction = at + 1;
    at = digitsEnd(fraction);
    if (at === fraction) return -1;
  }
  return at - first > exactDigits ? -1 : at;
}

function digitsEnd(start: number): number {
  let at = start;
  while (isDigit(bytes[at] as number)) at++;
  return at;
}

const zero = 48;
const powersOfTen = Array.from({ length: exactDigits }, (_, exponent) => 10 ** exponent);

/** The number in a range found by `numberEnd`. It is exact, because its digits and the power of ten are. */
export function numberIn(start: number, end: number): number {
  const isNegative = bytes[start] === minus;
  let digits = 0;
  let point = end - 1;
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    if (bytes[at] === dot) point = at;
    else digits = digits * 10 + (bytes[at] as number) - zero;
  }
  const value = digits / (powersOfTen[end - 1 - point] as number);
  return isNegative ? -value : value;
}

/** Offset after the literal; -1 if there is none. */
export function literalEnd(start: number): number {
  switch (bytes[start]) {
    case letterT:
      return matchesWord('true', start) ? start + 4 : -1;
    case letterF:
      return matchesWord('false', start) ? start + 5 : -1;
    case letterN:
      return matchesWord('null', start) ? start + 4 : -1;
    default:
      return -1;
  }
}

function matchesWord(word: string, start: number): boolean {
  for (let index = 1; index < word.length; index++) if (bytes[start + index] !== word.charCodeAt(index)) return false;
  return true;
}
