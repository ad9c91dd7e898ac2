// Decodes an escape in a string: those of JSON and those of other languages.

import { code } from './character.ts';
import type { Cursor } from './cursor.ts';
import { END, MORE } from './lookahead.ts';
import type { Tree } from './tree.ts';

const { doubleQuote, lineFeed, singleQuote } = code;

const letterU = 117;
const letterX = 120;

const simpleEscapes: ReadonlyMap<number, string> = new Map([
  [34, '"'],
  [39, "'"],
  [47, '/'],
  [92, '\\'],
  [98, '\b'],
  [102, '\f'],
  [110, '\n'],
  [114, '\r'],
  [116, '\t'],
  [10, '\n'],
]);

/** Reads the escape at the cursor. `quote` is the quote of the string. Returns `undefined` if more text is needed. */
export function readEscape(cursor: Cursor, tree: Tree, quote: number): string | undefined {
  const next = cursor.unitAt(1);
  if (next === letterU) return readUnicode(cursor, tree);
  if (next === letterX) return readHex(cursor, tree);
  const plain = simpleEscapes.get(next);
  // `\'` in double quotes comes from another language and is unambiguous.
  if (next === singleQuote && quote === doubleQuote) tree.mark('fixed-quotes');
  // An unknown escape keeps the character after the backslash.
  else if (plain === undefined || next === lineFeed) tree.mark('fixed-escape');
  cursor.at += 2;
  return plain ?? String.fromCharCode(next);
}

/** `\x41`, which JSON does not have. */
function readHex(cursor: Cursor, tree: Tree): string | undefined {
  const [first, second] = [cursor.unitAt(2), cursor.unitAt(3)];
  const isHexadecimal = isHex(first) && isHex(second);
  if (!isHexadecimal && (first === MORE || second === MORE)) return undefined;
  tree.mark('fixed-escape');
  const digits = cursor.text.slice(cursor.at + 2, cursor.at + 4);
  cursor.at += isHexadecimal ? 4 : 2;
  return isHexadecimal ? String.fromCharCode(Number.parseInt(digits, 16)) : 'x';
}

function readUnicode(cursor: Cursor, tree: Tree): string | undefined {
  let digits = 0;
  while (digits < 4 && isHex(cursor.unitAt(2 + digits))) digits++;
  const after = cursor.unitAt(2 + digits);
  if (digits < 4 && after === MORE) return undefined;
  if (digits === 4) {
    const unit = Number.parseInt(cursor.text.slice(cursor.at + 2, cursor.at + 6), 16);
    cursor.at += 6;
    return String.fromCharCode(unit);
  }
  tree.mark('fixed-escape');
  // An escape truncated by the end of the text is dropped.
  cursor.at += after === END ? 2 + digits : 2;
  return after === END ? '' : 'u';
}

function isHex(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70);
}
