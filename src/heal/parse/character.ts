// Character classes of damaged JSON, by code unit.

/**
 * Whoever compares units by the thousand takes those it needs into constants of its own, which the compiler knows; what is
 * imported it has to look up each time.
 */
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

/** The letters that the literals of JSON begin with. */
export const letterF = 102;
export const letterN = 110;
export const letterT = 116;

/** Full-width punctuation means what its narrow form means. */
export function canonical(unit: number): number {
  return unit > 0xff00 && fullWidth.has(unit) ? unit - 0xfee0 : unit;
}

const fullWidth: ReadonlySet<number> = new Set(
  Array.from('，：；（）［］｛｝＝', (character) => character.charCodeAt(0)),
);

export const ellipsis = 0x2026;

/** The white space of JSON itself. */
export function isJsonSpace(unit: number): boolean {
  return unit <= 32 && (unit === 32 || unit === 10 || unit === 13 || unit === 9);
}

export function isSpace(unit: number): boolean {
  return unit === 32 || (unit <= 13 && unit >= 9) || (unit > 127 && isOddSpace(unit));
}

/** White space that JSON does not know: no-break and other wide, thin and invisible spaces. */
export function isOddSpace(unit: number): boolean {
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

/** Without white space at its ends, JSON's or not. */
export function trimSpace(text: string): string {
  const isTrimmed = text === '' || !(mayBeSpace(text.charCodeAt(0)) || mayBeSpace(text.charCodeAt(text.length - 1)));
  return isTrimmed ? text : text.replace(edges, '');
}

/** Most ends of a text are letters, and need not be looked at closely. */
function mayBeSpace(unit: number): boolean {
  return unit <= 32 || unit > 127;
}

const edges = /^[\s\u180e\u200b-\u200d\u2060]+|[\s\u180e\u200b-\u200d\u2060]+$/g;

/** A comma, or the semicolon that some write for it. */
export function isSeparator(unit: number): boolean {
  return unit === code.comma || unit === code.semicolon;
}

/** A bracket that begins an object or a list. */
export function isOpening(unit: number): boolean {
  return unit === code.openCurly || unit === code.openSquare;
}

/** A bracket that ends an object or a list. */
export function isClosing(unit: number): boolean {
  return unit === code.closeCurly || unit === code.closeSquare;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

/** Letters of any script, digits, `_` and `$`: what a bare key or word is made of. */
export function isWord(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    isDigit(unit) ||
    unit === 95 ||
    unit === 36 ||
    (unit > 127 && !isOddSpace(unit) && !quoteMarks.has(unit) && unit !== ellipsis && canonical(unit) === unit)
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

/** What may close a string opened by this unit; nothing when it opens none. */
export function closersOf(unit: number): readonly number[] | undefined {
  return quotes.get(unit);
}

export function isQuote(unit: number): boolean {
  if (unit <= 127) return unit === 34 || unit === 39 || unit === 96;
  // Most letters of other scripts lie below or between the quotes, and need not be looked up.
  return (unit < 0x2018 ? unit === 0xab || unit === 0xbb : unit <= 0x201e || unit >= 0x300c) && quotes.has(unit);
}

const letterB = 98;
const letterR = 114;
const letterU = 117;

/** Makes a letter of ASCII small, and nothing else one. */
const smallBit = 32;

/** The letters Python puts before a string, small or large. */
export function isPythonPrefix(unit: number): boolean {
  const small = unit | smallBit;
  return small === letterU || small === letterB || small === letterR || small === letterF;
}
