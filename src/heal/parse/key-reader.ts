// Reads unquoted keys, and the colon after any key. Also handles keys found in the wrong container: in an array, or in
// an object inside their own.

import { canonical, code, ellipsis, isOpening, isQuote, isSeparator, isSpace } from './character.ts';
import { maxKeyLength, type Cursor } from './cursor.ts';
import type { GapReader } from './gap-reader.ts';
import { END, MORE, type LookaheadVerdict } from './lookahead.ts';
import type { Node } from './node.ts';
import { addMissingValue, type State, type Transition } from './state.ts';
import { decodeHtml, isPrefixed, skipEllipsis, unescape } from './stray-token.ts';
import type { ContainerFrame } from './frame.ts';
import type { Tree } from './tree.ts';

const {
  ampersand,
  backslash,
  closeCurly,
  closeRound,
  closeSquare,
  colon,
  comma,
  dot,
  equals,
  greater,
  lineFeed,
  minus,
  openSquare,
  plus,
  semicolon,
  singleQuote,
  star,
} = code;

const endsKey = /^ *[:=]/;

/** A single word that can be a name. */
const name = /^[\w$-]+$/;

export class KeyReader {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #gaps: GapReader;

  constructor(cursor: Cursor, tree: Tree, gaps: GapReader) {
    this.#cursor = cursor;
    this.#tree = tree;
    this.#gaps = gaps;
  }

  /** The character is not a quote, a comma or a brace. */
  read(): Transition {
    const cursor = this.#cursor;
    const tree = this.#tree;
    const { unit } = cursor;
    if (unit === backslash || unit === dot || unit === minus) {
      const next = cursor.unitAt(1);
      if (next === MORE) return 'more';
      if (unit === dot && next === dot) return skipEllipsis(cursor, tree, 2);
      if (unit === backslash && isQuote(next)) return unescape(cursor, tree);
    }
    if (unit === ampersand) {
      const entity = cursor.isQuoteEntity();
      if (entity !== 'no') return entity === 'yes' ? decodeHtml(cursor, tree) : 'more';
    }
    if (unit === colon) return this.#colonForKey();
    if (unit === ellipsis) return skipEllipsis(cursor, tree, 1);
    const isMark = this.#isMark(unit);
    if (isMark === 'no') return this.#readBare();
    if (isMark === 'more') return 'more';
    tree.mark('dropped-text');
    cursor.at++;
    return 'same';
  }

  /** A list or emphasis marker, a Python string prefix, or a stray bracket or plus. */
  #isMark(unit: number): LookaheadVerdict {
    switch (unit) {
      case star:
      case openSquare:
      case closeRound:
      case plus:
        return 'yes';
      case minus:
        return isSpace(this.#cursor.unitAt(1)) ? 'yes' : 'no';
      default:
        return isPrefixed(this.#cursor);
    }
  }

  /** A colon without a key. Without a value either, it is dropped. */
  #colonForKey(): Transition {
    const next = this.#cursor.ahead().skip();
    if (next === MORE) return 'more';
    this.#tree.mark('dropped-text');
    if (next !== closeCurly && !isSeparator(next)) return setKey(this.#tree, '');
    this.#cursor.at++;
    return 'same';
  }

  /** Reads up to the colon. Words without a colon are not a key. */
  #readBare(): Transition {
    const { text, at: start, ended } = this.#cursor;
    let at = start;
    for (; at < text.length && at - start < maxKeyLength; at++) {
      const unit = canonical(text.charCodeAt(at));
      if (unit === colon || unit === equals) return this.#endBare(at);
      if (isOpening(unit)) return this.#endBare(at);
      // After more than one word, a semicolon ends a statement.
      const mayBeColon = unit === semicolon && name.test(text.slice(start, at).trim());
      const isColon = mayBeColon ? this.#cursor.ahead(at - start).semicolonAsColon() : 'no';
      if (isColon !== 'no') return isColon === 'yes' ? this.#endBare(at) : 'more';
      const isApostrophe =
        unit === singleQuote && !isSpace(text.charCodeAt(at - 1)) && !endsKey.test(text.slice(at + 1, at + 9));
      if (isQuote(unit) && !isApostrophe) return this.#endBare(at);
      if (unit === comma || unit === closeCurly || unit === closeSquare || unit === lineFeed) {
        return this.#dropWords(at);
      }
    }
    // If the text may continue, what follows the words matters too.
    return at < text.length || ended ? this.#dropWords(at) : 'more';
  }

  #endBare(at: number): Transition {
    const cursor = this.#cursor;
    const key = cursor.text.slice(cursor.at, at).trim().replace(/\*+$/, '');
    let end = at;
    if (isQuote(cursor.text.charCodeAt(at))) {
      // Words before a quoted key are not part of it.
      const next = cursor.ahead(at - cursor.at).key();
      if (next === 'more') return 'more';
      if (next === 'key') return this.#dropWords(at);
      // `a": 1`: the opening quote of the key is missing.
      const ahead = cursor.ahead(at - cursor.at + 1);
      const unit = ahead.skip();
      if (unit === MORE) return 'more';
      if (unit === colon) end = ahead.at;
    }
    this.#tree.mark('unquoted-key', { end: cursor.position + at - cursor.at }, { field: key });
    cursor.at = end;
    return setKey(this.#tree, key);
  }

  /** Words where a key is expected: a flag without a value, or stray prose. */
  #dropWords(at: number): Transition {
    const cursor = this.#cursor;
    const words = cursor.text.slice(cursor.at, at).trim();
    cursor.at = at;
    const isFlag = name.test(words) && (cursor.unit === comma || cursor.unit === closeCurly);
    if (!isFlag) {
      this.#tree.mark('dropped-text', undefined, { found: words.slice(0, 40) });
      return 'same';
    }
    setKey(this.#tree, words);
    return addMissingValue(this.#tree);
  }

  readColon(): Transition {
    if (!this.#gaps.skip('colon')) return 'more';
    const cursor = this.#cursor;
    if (cursor.unit === star) this.#tree.mark('dropped-text');
    while (cursor.unit === star) cursor.at++;
    if (!this.#gaps.skip('colon')) return 'more';
    const { unit } = cursor;
    if (unit === END || unit === comma || unit === closeCurly) return addMissingValue(this.#tree);
    const isColon = unit === semicolon ? cursor.ahead(0).semicolonAsColon() : 'no';
    if (isColon === 'more') return 'more';
    if (unit === colon) {
      (this.#tree.frame as ContainerFrame).colons++;
      cursor.at++;
    } else if (isColon === 'yes') {
      this.#tree.mark('fixed-colon');
      cursor.at++;
    } else {
      const arrow = unit === equals ? cursor.unitAt(1) : undefined;
      if (arrow === MORE) return 'more';
      this.#tree.mark('fixed-colon');
      if (arrow !== undefined) cursor.at += arrow === greater ? 2 : 1;
    }
    this.#gaps.newLine = false;
    return 'value';
  }
}

/** Starts the member with this key. */
export function setKey(tree: Tree, key: string): State {
  if (isOuterField(tree, key)) {
    tree.mark('inserted-brackets');
    tree.close();
  }
  tree.setKey(tree.frame as ContainerFrame, key);
  return 'colon';
}

/** A field of the enclosing object, but not of this one: the closing bracket in between is missing. */
function isOuterField({ frame, frames }: Tree, key: string): boolean {
  if (frame?.expect?.knows(key) !== false) return false;
  const outer = frames.at(-2);
  if (outer?.node.kind !== 'object' || outer.expect?.knows(key) !== true) return false;
  return !Object.hasOwn(outer.node.value as object, key);
}

/** `["a", "b", "key": 1`: either the array has ended, or the opening brace of an object in it is missing. */
export function takeKeyInArray(tree: Tree, frame: ContainerFrame, node: Node): State {
  const outer = tree.frames.at(-2);
  const [first] = frame.node.value as unknown[];
  const key = node.value as string;
  const isOwn = typeof first === 'object' && first !== null && Object.hasOwn(first, key);
  const isDone = frame.leadingComma || (frame.count > 1 && !isOwn);
  if (outer?.node.kind === 'object' && (isDone || outer.expect?.knows(key) === true)) {
    tree.turnIntoOuterKey(frame, node);
  } else tree.turnIntoKey(frame, node);
  return 'colon';
}

/** `"key": 1, …` at the top level: the braces are missing. */
export function takeRootKey(tree: Tree, node: Node): State {
  tree.turnRootIntoKey(node);
  (tree.frame as ContainerFrame).quotedKeys++;
  return 'colon';
}
