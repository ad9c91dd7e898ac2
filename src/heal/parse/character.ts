// Character classes of damaged JSON, by UTF-16 code unit.

/** Hot loops copy the codes they need to module constants, because the engine does not inline imported properties. */
export const code = {
  tab: 9,
  lineFeed: 10,
  carriageReturn: 13,
  space: 32,
  doubleQuote: 34,
  hash: 35,
  ampersand: 38,
  singleQuote: 39,
  openRound: 40,
  closeRound: 41,
  star: 42,
  plus: 43,
  comma: 44,
  minus: 45,
  dot: 46,
  slash: 47,
  colon: 58,
  semicolon: 59,
  less: 60,
  equals: 61,
  greater: 62,
  openSquare: 91,
  backslash: 92,
  closeSquare: 93,
  backtick: 96,
  openCurly: 123,
  closeCurly: 125,
} as const;

/** First letters of the JSON literals. */
export const letterF = 102;
export const letterN = 110;
export const letterT = 116;

/** Maps full-width punctuation to its ASCII equivalent. */
export function canonical(unit: number): number {
  return unit > 0xff00 && fullWidth.has(unit) ? unit - 0xfee0 : unit;
}

const fullWidth: ReadonlySet<number> = new Set(
  Array.from('，：；（）［］｛｝＝', (character) => character.charCodeAt(0)),
);

export const ellipsis = 0x2026;

/** White space as defined by JSON. */
export function isJsonSpace(unit: number): boolean {
  return unit <= 32 && (unit === 32 || unit === 10 || unit === 13 || unit === 9);
}

export function isSpace(unit: number): boolean {
  return unit === 32 || (unit <= 13 && unit >= 9) || (unit > 127 && isNonJsonSpace(unit));
}

/** White space that JSON does not allow: no-break, wide, thin and invisible spaces. */
export function isNonJsonSpace(unit: number): boolean {
  return (
    unit === 11 ||
    unit === 12 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    unit === 0x180e ||
    (unit >= 0x2000 && unit <= 0x200d) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x2060 ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}

/** Trims all kinds of white space. */
export function trimSpace(text: string): string {
  const isTrimmed = text === '' || !(mayBeSpace(text.charCodeAt(0)) || mayBeSpace(text.charCodeAt(text.length - 1)));
  return isTrimmed ? text : text.replace(edges, '');
}

/** Quick test: most texts begin and end with a letter. */
function mayBeSpace(unit: number): boolean {
  return unit <= 32 || unit > 127;
}

const edges = /^[\s\u180e\u200b-\u200d\u2060]+|[\s\u180e\u200b-\u200d\u2060]+$/g;

/** A comma, or a semicolon used as one. */
export function isSeparator(unit: number): boolean {
  return unit === code.comma || unit === code.semicolon;
}

/** `{` or `[`. */
export function isOpening(unit: number): boolean {
  return unit === code.openCurly || unit === code.openSquare;
}

/** `}` or `]`. */
export function isClosing(unit: number): boolean {
  return unit === code.closeCurly || unit === code.closeSquare;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

/** A character of an unquoted key or word: a letter of any script, a digit, `_` or `$`. */
export function isWord(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    isDigit(unit) ||
    unit === 95 ||
    unit === 36 ||
    (unit > 127 && !isNonJsonSpace(unit) && !quoteMarks.has(unit) && unit !== ellipsis && canonical(unit) === unit)
  );
}

const quotes: ReadonlyMap<number, readonly number[]> = new Map([
  [0x22, [0x22]],
  [0x27, [0x27]],
  [0x60, [0x60, 0xb4]],
  [0x201c, [0x201d, 0x201c]],
  [0x201d, [0x201d, 0x201c]],
  [0x201e, [0x201c, 0x201d]],
  [0x2018, [0x2019, 0x2018]],
  [0x2019, [0x2019]],
  [0xab, [0xbb]],
  [0xbb, [0xab, 0xbb]],
  [0x300c, [0x300d]],
  [0xff02, [0xff02, 0x22]],
  [0xff07, [0xff07, 0x27]],
]);

const quoteMarks: ReadonlySet<number> = new Set([...quotes].flatMap(([open, close]) => [open, ...close]));

/** The quotes that may close a string opened by this one; `undefined` if it does not open a string. */
export function closersOf(unit: number): readonly number[] | undefined {
  return quotes.get(unit);
}

export function isQuote(unit: number): boolean {
  if (unit <= 127) return unit === 34 || unit === 39 || unit === 96;
  // Avoids the lookup for most letters of other scripts.
  return (unit < 0x2018 ? unit === 0xab || unit === 0xbb : unit <= 0x201e || unit >= 0x300c) && quotes.has(unit);
}

const letterB = 98;
const letterR = 114;
const letterU = 117;

/** The bit that makes an ASCII letter lower case. */
const smallBit = 32;

/** Python's string prefixes, in either case. */
export function isPythonPrefix(unit: number): boolean {
  const small = unit | smallBit;
  return small === letterU || small === letterB || small === letterR || small === letterF;
}
