// Decides whether a quote inside a string ends it. Unescaped inner quotes are the most common mistake of models, so
// what follows decides: a closing quote precedes a comma and the next key or item, or a closing bracket that makes
// sense.

import { code, ellipsis, isDigit, isOpening, isQuote, isSeparator, isSpace, isWord } from './character.ts';
import { maxRunLength, type Cursor } from './cursor.ts';
import { END, FAR, Lookahead, MORE } from './lookahead.ts';

const {
  closeCurly,
  closeRound,
  closeSquare,
  colon,
  comma,
  dot,
  equals,
  minus,
  openCurly,
  openRound,
  plus,
  semicolon,
  star,
} = code;

/** What the string is part of. */
export type StringRole = 'key' | 'member' | 'item' | 'root' | 'call';

export interface QuoteContext {
  readonly text: string;
  readonly ended: boolean;
  readonly role: StringRole;
  /** Number of inner quotes so far. An odd number means that a quotation is open. */
  readonly innerQuotes: number;
  /** Brackets opened but not closed inside the string. */
  readonly openCurly: number;
  readonly openSquare: number;
  /** The keys of this object are quoted, so an unquoted word is less likely to be a key. */
  readonly keysQuoted: boolean;
  /** The schema allows only a string here. */
  readonly wantsString: boolean;
  /** Number of open containers. */
  readonly depth: number;
}

/** Number of consecutive quotes, from the cursor on, that are judged together; 0 if more of them may arrive. */
export function quoteRunLength(cursor: Cursor, role: StringRole, isDoubled: boolean): number {
  const { unit } = cursor;
  let run = 1;
  while (run < maxRunLength && cursor.unitAt(run) === unit) run++;
  if (cursor.unitAt(run) === MORE && !cursor.settling) return 0;
  // The second of two may open the next key or item.
  if (run !== 2 || isDoubled) return run;
  const next = role === 'member' ? cursor.ahead().key() : role === 'item' ? nextItem(cursor.ahead(), unit) : 'none';
  return next === 'more' ? 0 : next === 'key' ? 1 : run;
}

function nextItem(ahead: Lookahead, quote: number): 'key' | 'none' | 'more' {
  // An item whose end is too far away to see is still an item.
  if (!ahead.quoted(quote)) return ahead.unit === MORE ? 'more' : ahead.unit === FAR ? 'key' : 'none';
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  const ends = unit === closeSquare || unit === closeRound;
  return ends || unit === quote || isSeparator(unit) ? 'key' : 'none';
}

export type QuoteVerdict = 'close' | 'inner' | 'more';

/** `at` is the offset of the quote. */
export function judgeQuote(context: QuoteContext, at: number): QuoteVerdict {
  const ahead = new Lookahead(context.text, at + 1, context.ended);
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  if (unit === END || unit === FAR) return 'close';
  const fence = ahead.isFence;
  if (fence !== 'no' && context.role !== 'key' && context.role !== 'call') return fence === 'yes' ? 'close' : 'more';
  switch (context.role) {
    case 'key':
      return judgeKey(ahead, unit);
    case 'member':
      return judgeMember(context, ahead, unit);
    case 'item':
      return judgeItem(context, ahead, unit);
    case 'root':
      return judgeRoot(context, ahead, unit);
    case 'call':
      return unit === closeRound || unit === comma ? 'close' : 'inner';
  }
}

function judgeKey(ahead: Lookahead, first: number): QuoteVerdict {
  while (ahead.unit === star) ahead.at++;
  const unit = first === star ? ahead.skip() : first;
  if (unit === MORE) return 'more';
  if (unit === colon || unit === equals || unit === comma || unit === closeCurly) return 'close';
  if (unit === semicolon) return toVerdict(ahead.semicolonAsColon(), ['yes']);
  // The colon is missing.
  if (isQuote(unit) || isDigit(unit) || isOpening(unit)) return 'close';
  return unit === minus ? 'close' : toVerdict(ahead.valueStart(), ['value']);
}

function judgeMember(context: QuoteContext, ahead: Lookahead, unit: number): QuoteVerdict {
  if (unit === comma || unit === semicolon) return judgeMemberComma(context, ahead);
  if (unit === closeCurly) return judgeCloser(context, ahead, context.openCurly);
  if (unit === closeSquare) return judgeCloser(context, ahead, context.openSquare);
  if (unit === plus) return judgeJoin(ahead);
  if (isQuote(unit)) return toVerdict(ahead.key(), ['key']);
  if (unit === star) return toVerdict(ahead.key(), ['key']);
  if (!isWord(unit)) return ahead.newline && isOpening(unit) ? 'close' : 'inner';
  const hasGap = isSpace(ahead.text.charCodeAt(ahead.at - 1));
  const key = ahead.key();
  // `"a" b": 1`: the comma and the opening quote of the key are missing.
  if (key === 'key' && hasGap) return 'close';
  if (key !== 'bare-key' || ahead.newline) return toVerdict(key, ['bare-key']);
  return context.keysQuoted ? 'inner' : toVerdict(ahead.valueStart(), ['value']);
}

function judgeMemberComma(context: QuoteContext, ahead: Lookahead): QuoteVerdict {
  ahead.at++;
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  if (unit === FAR) return 'close';
  if (unit === END || unit === closeCurly || unit === closeSquare || unit === comma) return 'close';
  const fence = ahead.isFence;
  if (fence === 'more') return 'more';
  if (unit === dot || unit === ellipsis || fence === 'yes') return 'close';
  const start = ahead.at;
  const key = ahead.key();
  if (key === 'key') return 'close';
  if (key === 'more') return 'more';
  if (key === 'none' && isWord(unit) && context.innerQuotes % 2 === 0) {
    ahead.at = start;
    const words = ahead.wordsBeforeKey();
    if (words !== 'none' || context.keysQuoted) return toVerdict(words, ['key']);
    ahead.at = start;
    while (isWord(ahead.unit)) ahead.at++;
    return toVerdict(ahead.semicolonAsColon(), ['yes']);
  }
  if (ahead.unit === FAR) return 'close';
  if (key === 'bare-key') {
    if (context.keysQuoted && isDigit(unit)) return 'inner';
    const oneWord = !ahead.text.slice(start, ahead.at).trim().includes(' ');
    if (!context.keysQuoted || (oneWord && context.innerQuotes % 2 === 0)) return 'close';
    return toVerdict(ahead.valueStart(), ['value']);
  }
  if (unit === openCurly) return context.innerQuotes % 2 === 0 ? 'close' : 'inner';
  if (!isQuote(unit)) return 'inner';
  // A quoted word without a colon: a key whose colon is missing, or another quotation in a sentence.
  ahead.at = start;
  const even = context.innerQuotes % 2 === 0 ? 'close' : 'inner';
  if (!ahead.quoted(unit)) return even;
  // `"key: "value"`: the closing quote of the key is missing.
  if (/^.[\w$ -]+:\s*.$/.test(ahead.text.slice(start, ahead.at))) return 'close';
  const next = ahead.valueStart();
  if (next !== 'none') return next === 'more' ? 'more' : 'close';
  if (ahead.unit === semicolon && even === 'close') return toVerdict(ahead.semicolonAsColon(), ['yes']);
  return ahead.unit === END ? even : 'inner';
}

function judgeItem(context: QuoteContext, ahead: Lookahead, unit: number): QuoteVerdict {
  if (unit === comma || unit === semicolon) return judgeItemComma(context, ahead);
  if (unit === closeSquare || unit === closeRound) return judgeCloser(context, ahead, context.openSquare);
  if (unit === closeCurly) return judgeCloser(context, ahead, context.openCurly);
  if (unit === plus) return judgeJoin(ahead);
  if (isOpening(unit)) return 'close';
  if (unit === colon) return context.wantsString ? 'inner' : judgeColon(ahead);
  if (isQuote(unit)) return judgeNextItem(context, ahead, unit);
  if (isDigit(unit) || (isWord(unit) && ahead.newline)) return toVerdict(ahead.loneWord(), ['word']);
  return 'inner';
}

function judgeItemComma(context: QuoteContext, ahead: Lookahead): QuoteVerdict {
  ahead.at++;
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  if (isQuote(unit)) return judgeNextItem(context, ahead, unit);
  const isSentence = context.innerQuotes % 2 === 1;
  if (unit === FAR || (!isWord(unit) && !(isSentence && unit === openRound))) return 'close';
  const value = ahead.valueStart();
  if (value !== 'none') return value === 'more' ? 'more' : 'close';
  return isSentence ? 'inner' : toVerdict(ahead.bareItem(), ['word']);
}

/** A key in an array: the opening brace of its object is missing. */
function judgeColon(ahead: Lookahead): QuoteVerdict {
  ahead.at++;
  return toVerdict(ahead.valueStart(), ['value']);
}

/** Another quoted word follows. It is the next item, unless a quotation is open and the word is incomplete. */
function judgeNextItem(context: QuoteContext, ahead: Lookahead, quote: number): QuoteVerdict {
  if (context.innerQuotes % 2 === 0) return 'close';
  if (!ahead.quoted(quote)) return ahead.unit === MORE ? 'more' : 'inner';
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  if (unit === END || isSeparator(unit) || unit === closeSquare || unit === colon) return 'close';
  return unit === closeCurly || ahead.newline ? 'close' : 'inner';
}

/** A closing bracket also ends the string, if what follows it fits, or if the string did not open such a bracket. */
function judgeCloser(context: QuoteContext, ahead: Lookahead, opened: number): QuoteVerdict {
  ahead.at++;
  ahead.newline = false;
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  const fence = ahead.isFence;
  if (fence === 'more') return 'more';
  if (unit < 0 || fence === 'yes') return 'close';
  if (unit === closeCurly || unit === closeSquare) return 'close';
  // The string opened such a bracket itself. Only a key or a value after the comma proves that the string has ended, or
  // the end of a line that ends the entire value.
  if (opened > 0) {
    const isOver = context.depth === 1 && ahead.newline && context.innerQuotes % 2 === 0;
    if (unit === FAR || isOver) return 'close';
    if (unit !== comma) return 'inner';
    ahead.at++;
    const start = ahead.at;
    const key = ahead.key();
    if (key !== 'none') return toVerdict(key, ['key']);
    if (ahead.unit === FAR) return 'close';
    ahead.at = start;
    return toVerdict(ahead.valueStart(), ['value']);
  }
  if (ahead.newline || unit === comma || unit === semicolon || unit === closeRound) return 'close';
  return context.depth === 1 || unit === openCurly || isQuote(unit) ? 'close' : 'inner';
}

/** A string joined by a plus: `"a" + "b"`. */
function judgeJoin(ahead: Lookahead): QuoteVerdict {
  ahead.at++;
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  return isQuote(unit) ? 'close' : 'inner';
}

/**
 * At the top level a quote is an inner one only if the last character of the text is a quote that can close the string.
 */
function judgeRoot(context: QuoteContext, ahead: Lookahead, unit: number): QuoteVerdict {
  const isOver = unit === colon || ahead.newline || unit === comma || unit === semicolon;
  if (unit === plus) {
    const joins = judgeJoin(ahead);
    return joins === 'inner' && isOver ? 'close' : joins;
  }
  if (isOver) return 'close';
  while (ahead.unit >= 0) ahead.at++;
  if (ahead.unit === MORE) return 'more';
  return ahead.unit === END && isQuote(context.text.trimEnd().charCodeAt(context.text.trimEnd().length - 1))
    ? 'inner'
    : 'close';
}

function toVerdict<T extends string>(found: T | 'more' | 'none' | 'no', closing: readonly T[]): QuoteVerdict {
  if (found === 'more') return 'more';
  return (closing as readonly string[]).includes(found) ? 'close' : 'inner';
}
