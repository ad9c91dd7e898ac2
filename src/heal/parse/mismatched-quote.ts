// Decides whether a quote of a different kind than the opening one ends a string, because one of the two is mistyped.
// Invariant: text that can occur inside a string of valid JSON never ends it.

import { canonical, closersOf, code, isClosing, isSeparator } from './character.ts';
import type { Cursor } from './cursor.ts';
import { END, FAR, MORE, type Lookahead, type LookaheadVerdict } from './lookahead.ts';
import type { StringRole } from './quote.ts';
import { closesFrame, type ContainerFrame } from './frame.ts';
import type { Tree } from './tree.ts';

const { backslash, carriageReturn, closeRound, closeSquare, colon, doubleQuote, lineFeed, openCurly, semicolon } = code;

interface MismatchedQuote {
  readonly unit: number;
  readonly role: StringRole;
  readonly tree: Tree;
}

/** The cursor is at the quote. `opener` is the opening quote of the string. */
export function endsAtMismatchedQuote(cursor: Cursor, tree: Tree, role: StringRole, opener: number): LookaheadVerdict {
  const ahead = cursor.ahead();
  ahead.skip();
  // What looks like a comment here is text.
  if (/\S/.test(ahead.text.slice(cursor.at + 1, ahead.at))) return 'no';
  const ends = endsAfter({ unit: cursor.unit, role, tree }, ahead, skipClosers(tree, ahead, 0));
  // If opening and closing quotes differ, the next one proves nothing.
  return ends === 'yes' && closersOf(opener)?.[0] === opener ? endsBeforeNext(cursor.ahead(), opener) : ends;
}

/** Whether the next quote like the opening one shows that the string has already ended. */
function endsBeforeNext(ahead: Lookahead, quote: number): LookaheadVerdict {
  let newline = false;
  for (; ahead.unit >= 0; ahead.at++) {
    const { unit } = ahead;
    if (unit === lineFeed || unit === carriageReturn) newline = true;
    if (unit === backslash) ahead.at++;
    if (unit !== quote) continue;
    const ends = ahead.endsString();
    if (ahead.unit !== FAR) return opposite(ends);
  }
  if (ahead.unit === MORE) return 'more';
  // If it is too far away to see, the double quote of valid JSON is trusted, but not beyond the end of the line.
  return ahead.unit === END || quote !== doubleQuote || newline ? 'yes' : 'no';
}

function opposite(verdict: LookaheadVerdict): LookaheadVerdict {
  return verdict === 'yes' ? 'no' : verdict === 'no' ? 'yes' : 'more';
}

/** Whether what follows the quote and its closing brackets shows that the string has ended. */
function endsAfter(quote: MismatchedQuote, ahead: Lookahead, closers: number): LookaheadVerdict {
  const { tree } = quote;
  const unit = ahead.skip();
  if (unit === MORE) return 'more';
  const container = tree.frames.at(-1 - closers);
  if (closers > 0 && (unit === END || (container === undefined && ahead.newline))) return 'yes';
  if (container === undefined || unit === closeRound) return closers > 0 ? onlyClosersFollow(ahead) : 'no';
  if (!isSeparator(unit)) return 'no';
  ahead.at++;
  const next = ahead.skip();
  if (next === MORE) return 'more';
  if (closesFrame(tree.frames, next, closers)) return endsAfter(quote, ahead, skipClosers(tree, ahead, closers));
  if (container.node.kind === 'object') return keyFollows(quote, ahead, container);
  if (closers === 0 || next !== openCurly) return itemFollows(quote, ahead);
  ahead.at++;
  ahead.skip();
  return keyFollows(quote, ahead, tree.frame as ContainerFrame);
}

/** Skips the brackets that close open containers. Returns the total number of closed ones. */
function skipClosers(tree: Tree, ahead: Lookahead, passed: number): number {
  let closers = passed;
  while (closesFrame(tree.frames, ahead.skip(), closers)) {
    ahead.newline = false;
    ahead.at++;
    closers++;
  }
  return closers;
}

/** Whether a key follows that is written like the other keys of the object. */
function keyFollows({ role }: MismatchedQuote, ahead: Lookahead, container: ContainerFrame): LookaheadVerdict {
  const next = ahead.unit;
  const key = ahead.key();
  if (key === 'more') return 'more';
  if (container.quotedKeys === 0) return key === 'bare-key' ? 'yes' : 'no';
  // A different character for the colon may be part of a text.
  if (container.colons > 0 && canonical(ahead.text.charCodeAt(ahead.at - 1)) !== colon) return 'no';
  return key === 'key' && (role === 'item' || next === Math.abs(container.keyQuote)) ? 'yes' : 'no';
}

/** Whether an item follows in the same quotes that would end this one. */
function itemFollows(quote: MismatchedQuote, ahead: Lookahead): LookaheadVerdict {
  const next = ahead.unit;
  if (next !== quote.unit || !ahead.quoted(next)) return ahead.unit === MORE ? 'more' : 'no';
  const unit = ahead.skip();
  return unit === MORE ? 'more' : isSeparator(unit) || unit === closeSquare ? 'yes' : 'no';
}

/** Whether only brackets and a semicolon follow. */
function onlyClosersFollow(ahead: Lookahead): LookaheadVerdict {
  for (;;) {
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit === END || ahead.newline) return 'yes';
    if (!isClosing(unit) && unit !== closeRound && unit !== semicolon) return 'no';
    ahead.at++;
  }
}
