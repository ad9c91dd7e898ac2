// Decides how a string begins: with one quote, with a doubled quote, or as a block in triple quotes. Judged by what
// follows, as far as it has arrived.

import { code, isClosing, isSeparator, isSpace, isWord } from './character.ts';
import type { Cursor } from './cursor.ts';
import { MORE } from './lookahead.ts';
import type { StringRole } from './quote.ts';

const { doubleQuote, singleQuote } = code;

/** `block` means triple quotes. */
export type StringOpening = 'plain' | 'doubled' | 'block' | 'more';

/**
 * Triple quotes open a block. Two quotes before a word are a doubled quote. `isDoubled`: the last key was in doubled
 * quotes.
 */
export function readStringOpening(cursor: Cursor, role: StringRole, isDoubled: boolean): StringOpening {
  const quote = cursor.unit;
  if (quote !== doubleQuote && quote !== singleQuote) return 'plain';
  if (cursor.unitAt(1) === MORE) return cursor.settling ? 'plain' : 'more';
  if (cursor.unitAt(1) !== quote) return 'plain';
  const third = cursor.unitAt(2);
  if (third === MORE && !cursor.settling) return 'more';
  if (third === quote && isDoubled && role !== 'key') return readEmpty(cursor, quote);
  if (third === quote && role !== 'key') return role === 'member' ? readTriple(cursor) : 'block';
  if (isDoubled && role !== 'key') return isSeparator(third) || isClosing(third) ? 'plain' : 'doubled';
  if (isWord(third)) return readDoubled(cursor, quote);
  return role === 'key' && isSpace(third) ? readEmptyKey(cursor) : 'plain';
}

/** Three quotes may be an empty string and the opening quote of the next key, with the comma missing. */
function readTriple(cursor: Cursor): StringOpening {
  const key = cursor.ahead(2).key();
  return key === 'more' && !cursor.settling ? 'more' : key === 'key' ? 'plain' : 'block';
}

/** Where quotes are doubled, four quotes are an empty string. */
function readEmpty(cursor: Cursor, quote: number): StringOpening {
  const fourth = cursor.unitAt(3);
  return fourth === MORE && !cursor.settling ? 'more' : fourth === quote ? 'doubled' : 'block';
}

/** An empty key is followed by its colon. Words after two quotes are the key. */
function readEmptyKey(cursor: Cursor): StringOpening {
  const unit = cursor.ahead(2).skip();
  if (unit === MORE) return cursor.settling ? 'plain' : 'more';
  return isWord(unit) ? 'doubled' : 'plain';
}

/**
 * Two quotes and a word. It is a doubled quote if the next quotes are two as well, or if the next one ends the string.
 * Otherwise it is a quotation at the start.
 */
function readDoubled(cursor: Cursor, quote: number): StringOpening {
  const ahead = cursor.ahead(2);
  while (ahead.unit >= 0 && ahead.unit !== quote) ahead.at++;
  if (ahead.unit === MORE) return cursor.settling ? 'plain' : 'more';
  if (ahead.unit < 0) return 'plain';
  const next = ahead.unitAt(1);
  if (next === MORE && !cursor.settling) return 'more';
  if (next === quote) return 'doubled';
  ahead.at++;
  const unit = ahead.skip();
  if (unit === MORE) return cursor.settling ? 'plain' : 'more';
  return isClosing(unit) ? 'doubled' : 'plain';
}
