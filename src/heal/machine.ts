// The lenient machine: reads text that was meant to be JSON, in chunks cut anywhere, and builds the tree of what
// it says. One machine serves one-shot and streaming; `end()` after one `push` is one-shot.
// Invariants:
//   1. Every decision depends on the state and on a bounded window of text that has fully arrived (or on the end),
//      never on where a chunk was cut.
//   2. Work is linear in the text: the position only moves forward, except for one bounded step back per string.
//   3. Nothing recurses by the depth of the input.

import { blockStart, BlockReader } from './block-reader.ts';
import {
  canonical,
  code,
  ellipsis,
  isDigit,
  isJsonSpace,
  isOddSpace,
  isPythonPrefix,
  isQuote,
  isSeparator,
  isSpace,
} from './character.ts';
import { Cursor, longestRun, type Answer } from './cursor.ts';
import { END, isEscapedSpace, MORE } from './lookahead.ts';
import type { Node } from './node.ts';
import { chooseRemedy } from './bracket.ts';
import { PlainReader } from './plain-reader.ts';
import { Prose } from './prose.ts';
import type { Place } from './quote.ts';
import { readOpening, StringReader } from './string-reader.ts';
import { doubledCurly, Tree, type Expectation, type Frame, type NodeListener, type Root } from './tree.ts';
import { isNumeric } from './scalar.ts';
import { WordReader } from './word-reader.ts';

export interface MachineOptions {
  /** The text is the inside of an object without its brackets: lines of keys and values. */
  readonly isObject?: boolean;
  /** Deeper values are refused. */
  readonly maxDepth?: number;
  readonly expect?: Expectation;
  readonly listener?: NodeListener;
  /** Nobody will look at the nodes inside a root, only at its value. */
  readonly valuesOnly?: boolean;
}

/** What is expected next. */
type State = 'prose' | 'key' | 'colon' | 'value' | 'next' | 'string' | 'word' | 'block';

/** Words without a colon, and texts in a list, are given up as a key after so many characters. */
export const longestKey = 128;

/** Gathering the last items of a list has the whole of it shown anew. */
const longestGathered = 1000;

const endsKey = /^ *[:=]/;

export class LenientMachine {
  readonly prose: Prose;
  readonly #cursor = new Cursor();
  readonly #tree: Tree;
  readonly #plain: PlainReader;
  #state: State = 'prose';
  #string: StringReader | undefined;
  #word: WordReader | undefined;
  #block: BlockReader | undefined;
  #comment: '\n' | '*/' | undefined;
  /** A line has ended since the last colon. */
  #newLine = false;
  /** How many calls such as `Decimal(` are open. */
  #calls = 0;

  constructor(options: MachineOptions = {}) {
    const { expect, listener, isObject = false, maxDepth = Number.POSITIVE_INFINITY, valuesOnly = false } = options;
    this.prose = new Prose(this.#cursor, expect);
    const surroundings = () => ({ fenced: this.prose.fenced, afterThink: this.prose.thinks });
    this.#tree = new Tree({ cursor: this.#cursor, expect, listener, maxDepth, keepsNodes: !valuesOnly, surroundings });
    this.#plain = new PlainReader(this.#cursor, this.#tree);
    if (!isObject) return;
    this.#tree.openContainer('object', 0);
    this.#tree.mark('inserted-brackets');
    this.#state = 'key';
  }

  push(chunk: string): void {
    this.#cursor.push(chunk, this.#string?.needed);
    this.#run();
  }

  /** Takes what has arrived as all there is to know of a string's end, without ending anything else. */
  settle(): void {
    this.#cursor.settling = true;
    this.#run();
  }

  end(): void {
    this.#cursor.end();
    this.#run();
    // A string that never ended may have to be read again from where it should have.
    if (this.#finishLeaf()) this.#run();
    this.#finishLeaf();
    if (this.#tree.frames.length > 0) this.#closeAll();
  }

  /** The values found, in order; the last may be open. */
  get roots(): readonly Root[] {
    return this.#tree.roots;
  }

  /** The value being read, if any. */
  get open(): Root | undefined {
    return this.#tree.root;
  }

  /** The containers being read, from the outermost in. */
  get openPath(): readonly Node[] {
    return this.#tree.path;
  }

  /** The innermost node being read, if any. */
  get leaf(): Node | undefined {
    return this.#string?.node ?? this.#block?.node ?? this.#tree.frame?.node;
  }

  /** As much of the string being read, from a place on, as can no longer change. */
  settledFrom(start: number): string {
    return this.#string?.settledFrom(start) ?? '';
  }

  #run(): void {
    while (this.#step());
    const string = this.#string;
    if (string?.node !== undefined) this.#tree.show(string.node, string.text, string.takeAdded());
  }

  /** False: more text is needed. */
  #step(): boolean {
    this.#readPlain();
    switch (this.#state) {
      case 'prose':
        return this.#readProse();
      case 'key':
        return this.#readKey();
      case 'colon':
        return this.#readColon();
      case 'value':
        return this.#readValue();
      case 'next':
        return this.#readNext();
      case 'string':
        return this.#readString();
      case 'word':
        return this.#readWord();
      case 'block':
        return this.#readBlock();
    }
  }

  /** Reads what is beyond doubt, where values are expected. */
  #readPlain(): void {
    const state = this.#state;
    if (state !== 'key' && state !== 'value' && state !== 'next') return;
    if (this.#comment !== undefined || this.#calls > 0 || this.prose.thinking) return;
    const { at } = this.#cursor;
    this.#state = this.#plain.read(state);
    // Where it stopped, nothing but a colon can stand before a value that has not begun.
    if (this.#cursor.at !== at) this.#newLine = false;
  }

  #readProse(): boolean {
    const found = this.prose.read();
    if (found === 'more') return false;
    if (this.#cursor.unit === code.backslash) return this.#unescape();
    const began = found === 'string' ? this.#startString('root') : this.#openContainer(this.#cursor.unit);
    if (began) this.prose.leave();
    return began;
  }

  /** Passes white space and comments. False: more text is needed. */
  #skip(): boolean {
    const cursor = this.#cursor;
    for (;;) {
      if (this.#comment !== undefined) {
        if (!this.#passComment(this.#comment)) return false;
        continue;
      }
      const { unit } = cursor;
      if (unit < 0) return unit === END;
      if (isSpace(unit)) {
        if (isOddSpace(unit)) this.#tree.mark('fixed-whitespace');
        if (unit === code.lineFeed) this.#newLine = true;
        cursor.at++;
      } else if (unit === code.backslash) {
        if (cursor.unitAt(1) === MORE) return false;
        if (!isEscapedSpace(cursor.unitAt(1))) return true;
        this.#tree.mark('fixed-whitespace');
        cursor.at += 2;
      } else if (unit === code.slash || unit === code.hash) {
        const starts = this.#startsComment(unit);
        if (starts !== 'yes') return starts === 'no';
      } else return true;
    }
  }

  #startsComment(unit: number): Answer {
    const cursor = this.#cursor;
    const next = cursor.unitAt(1);
    if (next === MORE) return 'more';
    if (unit === code.slash && next !== code.slash && next !== code.star) return 'no';
    // `#fff` is a value; `# so` is a comment.
    if (unit === code.hash && this.#state === 'value' && !isSpace(next) && next !== code.hash) return 'no';
    this.#comment = next === code.star && unit === code.slash ? '*/' : '\n';
    cursor.at += unit === code.slash ? 2 : 1;
    this.#tree.mark('stripped-comment');
    return 'yes';
  }

  #passComment(end: '\n' | '*/'): boolean {
    const cursor = this.#cursor;
    const at = cursor.text.indexOf(end, cursor.at);
    if (at === -1) {
      // The last character may be the first half of the end.
      cursor.at = Math.max(cursor.at, cursor.text.length - (cursor.ended ? 0 : end.length - 1));
      if (cursor.ended) this.#comment = undefined;
      return cursor.ended;
    }
    cursor.at = at + end.length;
    this.#comment = undefined;
    return true;
  }

  /** Whether the text, the fence or the thinking ends here, and with it everything that is open. */
  #isOver(): Answer {
    const cursor = this.#cursor;
    if (cursor.unit === END) return 'yes';
    if (cursor.unit === code.backtick) return cursor.isFence;
    if (cursor.unit !== code.less) return 'no';
    const tag = cursor.thinkTag;
    if (tag === 'more' || tag === 'none') return tag === 'more' ? 'more' : 'no';
    return this.prose.thinking || !tag.opens ? 'yes' : 'no';
  }

  #closeAll(): boolean {
    const { frames, root } = this.#tree;
    // The string the text ended in has told so already.
    if (frames.length > 0 && root?.marks.at(-1)?.kind !== 'closed-truncated') this.#tree.mark('closed-truncated');
    // A tuple that was cut off is one; round brackets around everything are not.
    while (frames.length > 1) this.#tree.close();
    if (frames.length > 0) this.#endFrame();
    this.#state = 'prose';
    return this.#cursor.unit >= 0;
  }

  /** The text ended in a string or a block. True when there is text left to read. */
  #finishLeaf(): boolean {
    const string = this.#string;
    if (string !== undefined) {
      string.cut();
      this.#finishString(string, this.#cursor.unit === END);
    }
    const block = this.#block;
    if (block !== undefined) {
      this.#tree.mark('closed-truncated');
      this.#finishBlock(block);
    }
    return this.#cursor.unit !== END;
  }

  #openContainer(open: number): boolean {
    const kind = open === code.openCurly ? 'object' : 'array';
    this.#tree.openContainer(kind, open);
    this.#cursor.at++;
    return this.#expectChild(this.#tree.frame as Frame);
  }

  #expectChild(frame: Frame): boolean {
    this.#tree.expectChild(frame);
    this.#state = frame.node.kind === 'object' ? 'key' : 'value';
    return true;
  }

  /** A value is complete. */
  #goOn(): boolean {
    this.#state = this.#tree.frame === undefined ? 'prose' : 'next';
    return true;
  }

  #readKey(): boolean {
    if (!this.#skip()) return false;
    const over = this.#isOver();
    if (over !== 'no') return over === 'yes' && this.#closeAll();
    const cursor = this.#cursor;
    const frame = this.#tree.frame as Frame;
    const { unit } = cursor;
    if (unit === code.closeCurly || unit === code.closeSquare) return this.#close(unit);
    if (unit === code.comma || unit === code.semicolon) return this.#extraComma(frame);
    if (unit === code.openCurly) return this.#braceForKey(frame);
    if (unit === code.backslash || unit === code.dot || unit === code.minus) {
      if (cursor.unitAt(1) === MORE) return false;
      if (unit === code.dot && cursor.unitAt(1) === code.dot) return this.#passEllipsis();
      if (unit === code.backslash && isQuote(cursor.unitAt(1))) return this.#unescape();
    }
    if (isQuote(unit)) return this.#startString('key');
    if (unit === code.colon) return this.#colonForKey(frame);
    if (unit === ellipsis) return this.#passEllipsis(1);
    const isBullet = unit === code.minus && isSpace(cursor.unitAt(1));
    const prefixed = isPythonPrefix(unit) ? this.#isPrefixed() : 'no';
    if (prefixed === 'more') return false;
    if (unit === code.star || isBullet || prefixed === 'yes') {
      this.#tree.mark('dropped-text');
      cursor.at++;
      return true;
    }
    if (unit === code.openSquare || unit === code.closeRound || unit === code.plus) {
      this.#tree.mark('dropped-text');
      cursor.at++;
      return true;
    }
    return this.#readBareKey(frame);
  }

  /** A colon without a key: with no value either there is nothing to keep. */
  #colonForKey(frame: Frame): boolean {
    const next = this.#cursor.ahead().skip();
    if (next === MORE) return false;
    this.#tree.mark('dropped-text');
    if (next !== code.closeCurly && !isSeparator(next)) return this.#setKey(frame, '');
    this.#cursor.at++;
    return true;
  }

  /** A quote behind a backslash where structure is expected: the whole text is escaped. */
  #unescape(): boolean {
    this.#tree.mark('fixed-escape');
    // Where other quotes were plain, it is only this string.
    const isAlone = this.#cursor.isUnescaped || (this.#tree.frame?.quotedKeys ?? 0) > 0;
    if (isAlone) this.#cursor.at++;
    else this.#cursor.unescape();
    return true;
  }

  #extraComma(frame: Frame): boolean {
    this.#tree.mark(frame.count === 0 ? 'fixed-leading-comma' : 'fixed-trailing-comma');
    frame.leadingComma ||= frame.count === 0;
    frame.afterComma = true;
    this.#cursor.at++;
    return true;
  }

  /** A letter before a quote says how Python is to read the string: `u'…'`. */
  #isPrefixed(): Answer {
    const next = this.#cursor.unitAt(1);
    return isQuote(next) || next === MORE ? this.#cursor.ahead(0).isPrefixed : 'no';
  }

  #passEllipsis(length = 2): boolean {
    const cursor = this.#cursor;
    while (length < longestRun && cursor.unitAt(length) === code.dot) length++;
    if (length < longestRun && cursor.unitAt(length) === MORE) return false;
    cursor.at += length;
    this.#tree.mark('stripped-ellipsis');
    return true;
  }

  /** `{{`, or an object whose end is missing before the next one. */
  #braceForKey(frame: Frame): boolean {
    if (frame.count > 0 || frame.afterComma) return this.#closeMissing();
    frame.open = doubledCurly;
    return this.#dropBracket();
  }

  /** `{{…}}` all over: the object around it, if there is one, has two braces as well. */
  #isDoubledBrace(): boolean {
    const { frames } = this.#tree;
    const around = frames.at(-2)?.nearestObject ?? -1;
    return around === -1 || frames[around]?.open === doubledCurly;
  }

  #closeMissing(): boolean {
    this.#tree.mark('inserted-brackets');
    this.#tree.close();
    return this.#goOn();
  }

  #setKey(frame: Frame, key: string): boolean {
    const outer = this.#tree.frames.at(-2);
    // A field that is not this object's but the one's around it: the bracket between them is missing.
    if (frame.expect?.knows(key) === false && outer?.node.kind === 'object' && outer.expect?.knows(key) === true) {
      if (!Object.hasOwn(outer.node.value as object, key)) {
        this.#tree.mark('inserted-brackets');
        this.#tree.close();
        this.#tree.setKey(outer, key);
        this.#state = 'colon';
        return true;
      }
    }
    this.#tree.setKey(frame, key);
    this.#state = 'colon';
    return true;
  }

  /** Reads up to the colon. Words with no colon behind them are no key. */
  #readBareKey(frame: Frame): boolean {
    const { text, at: start, ended } = this.#cursor;
    let at = start;
    for (; at < text.length && at - start < longestKey; at++) {
      const unit = canonical(text.charCodeAt(at));
      if (unit === code.colon || unit === code.equals) return this.#endBareKey(frame, at);
      if (unit === code.openCurly || unit === code.openSquare) return this.#endBareKey(frame, at);
      const isApostrophe =
        unit === code.singleQuote && !isSpace(text.charCodeAt(at - 1)) && !endsKey.test(text.slice(at + 1, at + 9));
      if (isQuote(unit) && !isApostrophe) return this.#endBareKey(frame, at);
      if (unit === code.comma || unit === code.closeCurly || unit === code.closeSquare || unit === code.lineFeed) {
        return this.#dropWords(frame, at);
      }
    }
    return at - start >= longestKey || ended ? this.#dropWords(frame, at) : false;
  }

  #endBareKey(frame: Frame, at: number): boolean {
    const cursor = this.#cursor;
    const key = cursor.text.slice(cursor.at, at).trim().replace(/\*+$/, '');
    let end = at;
    if (isQuote(cursor.text.charCodeAt(at))) {
      // Words before a quoted key are none of it.
      const next = cursor.ahead(at - cursor.at).key();
      if (next === 'more') return false;
      if (next === 'key') return this.#dropWords(frame, at);
      // `a": 1`: the quote that opened the key is missing.
      const ahead = cursor.ahead(at - cursor.at + 1);
      const unit = ahead.skip();
      if (unit === MORE) return false;
      if (unit === code.colon) end = ahead.at;
    }
    this.#tree.mark('unquoted-key', { field: key, end: cursor.position + at - cursor.at });
    cursor.at = end;
    return this.#setKey(frame, key);
  }

  /** Words where a key should be: a flag without a value, or prose that strayed in. */
  #dropWords(frame: Frame, at: number): boolean {
    const cursor = this.#cursor;
    const words = cursor.text.slice(cursor.at, at).trim();
    cursor.at = at;
    const isFlag = /^[\w$-]+$/.test(words) && (cursor.unit === code.comma || cursor.unit === code.closeCurly);
    if (!isFlag) {
      this.#tree.mark('dropped-text', { found: words.slice(0, 40) });
      return true;
    }
    this.#setKey(frame, words);
    return this.#missingValue();
  }

  #readColon(): boolean {
    if (!this.#skip()) return false;
    const cursor = this.#cursor;
    if (cursor.unit === code.star) this.#tree.mark('dropped-text');
    while (cursor.unit === code.star) cursor.at++;
    if (!this.#skip()) return false;
    const { unit } = cursor;
    if (unit === END || unit === code.comma || unit === code.closeCurly) return this.#missingValue();
    if (unit === code.colon) {
      (this.#tree.frame as Frame).colons++;
      cursor.at++;
    } else {
      const arrow = unit === code.equals ? cursor.unitAt(1) : undefined;
      if (arrow === MORE) return false;
      this.#tree.mark('fixed-colon');
      if (arrow !== undefined) cursor.at += arrow === code.greater ? 2 : 1;
    }
    this.#state = 'value';
    this.#newLine = false;
    return true;
  }

  #missingValue(): boolean {
    this.#tree.mark('missing-value');
    this.#tree.add('missing', this.#cursor.position, { value: null });
    return this.#goOn();
  }

  #readValue(): boolean {
    if (!this.#skip()) return false;
    const cursor = this.#cursor;
    const frame = this.#tree.frame as Frame;
    const isItem = frame.node.kind === 'array';
    const over = this.#isOver();
    if (over === 'more') return false;
    if (over === 'yes') return this.#atOver(isItem);
    const { unit } = cursor;
    if (unit === code.openSquare && isItem && this.#isNextList(frame)) return this.#closeMissing();
    if (unit === code.openCurly || unit === code.openSquare || unit === code.openRound)
      return this.#openContainer(unit);
    if (unit === code.closeCurly || unit === code.closeSquare || (unit === code.closeRound && isItem)) {
      return isItem ? this.#close(unit) : this.#missingValue();
    }
    if (unit === code.comma || unit === code.semicolon) return isItem ? this.#extraComma(frame) : this.#missingValue();
    if (unit === code.colon || unit === code.equals || unit === code.greater) {
      this.#tree.mark('fixed-colon');
      cursor.at++;
      return true;
    }
    if (unit === code.backslash || unit === code.dot) {
      if (cursor.unitAt(1) === MORE) return false;
      if (unit === code.dot && cursor.unitAt(1) === code.dot) {
        const stands = isItem ? 'yes' : this.#isEllipsis();
        if (stands !== 'no') return stands === 'yes' && this.#passEllipsis();
      }
      if (unit === code.backslash && isQuote(cursor.unitAt(1))) return this.#unescape();
    }
    if (unit === ellipsis && isItem) return this.#passEllipsis(1);
    const prefixed = isPythonPrefix(unit) ? this.#isPrefixed() : 'no';
    if (prefixed === 'more') return false;
    if (prefixed === 'yes') {
      this.#tree.mark('fixed-quotes');
      cursor.at++;
    }
    return isQuote(cursor.unit) ? this.#startString(this.#placeIn(isItem)) : this.#startWord(frame, isItem);
  }

  /** A list where none is wanted, but one is in the list around: the bracket between them is missing. */
  #isNextList({ expect, count }: Frame): boolean {
    if (expect === undefined || count === 0 || expect.item()?.wantsArray !== false) return false;
    const outer = this.#tree.frames.at(-2);
    return outer?.node.kind === 'array' && outer.expect?.item()?.wantsArray === true;
  }

  /** Whether dots, and nothing else, stand for the value. */
  #isEllipsis(): Answer {
    const ahead = this.#cursor.ahead(0);
    while (ahead.unit === code.dot) ahead.at++;
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    return isSeparator(unit) || unit === code.closeCurly ? 'yes' : 'no';
  }

  /** The end where a value should be. A fence on the line of its key is the value. */
  #atOver(isItem: boolean): boolean {
    const cursor = this.#cursor;
    if (cursor.unit === code.backtick && !isItem && !this.#newLine) return this.#startBlock('```');
    if (cursor.unit === END && !isItem) this.#missingValue();
    return this.#closeAll();
  }

  #placeIn(isItem: boolean): Place {
    return this.#calls > 0 ? 'call' : isItem ? 'item' : 'member';
  }

  #readNext(): boolean {
    if (!this.#skip()) return false;
    const over = this.#isOver();
    if (over !== 'no') return over === 'yes' && this.#closeAll();
    const cursor = this.#cursor;
    const frame = this.#tree.frame as Frame;
    const isObject = frame.node.kind === 'object';
    const { unit } = cursor;
    if (unit === code.comma || unit === code.semicolon) {
      if (unit === code.semicolon) this.#tree.mark('fixed-separator');
      frame.afterComma = true;
      cursor.at++;
      return this.#expectChild(frame);
    }
    if (unit === code.closeCurly || unit === code.closeSquare || unit === code.closeRound) return this.#close(unit);
    if (unit === code.plus && this.#tree.last?.kind === 'string') return this.#joinString(this.#tree.last);
    if (isObject && unit === code.openCurly) return this.#closeMissing();
    const { last } = this.#tree;
    const mayBeKey = !isObject && unit === code.colon && last?.kind === 'string';
    if (mayBeKey && (last.value as string).length <= longestKey) return this.#keyInList(frame, last);
    if (unit !== code.dot && unit !== ellipsis) this.#tree.mark('inserted-comma');
    return this.#expectChild(frame);
  }

  /** `["a", "b", "key": 1`: either the list has ended, or the bracket of an object in it is missing. */
  #keyInList(frame: Frame, node: Node): boolean {
    const outer = this.#tree.frames.at(-2);
    const [first] = frame.node.value as unknown[];
    const key = node.value as string;
    const isOwn = typeof first === 'object' && first !== null && Object.hasOwn(first, key);
    const isDone = frame.leadingComma || (frame.count > 1 && !isOwn);
    if (outer?.node.kind === 'object' && (isDone || outer.expect?.knows(key) === true)) {
      this.#tree.turnIntoOuterKey(frame, node);
    } else this.#tree.turnIntoKey(frame, node);
    this.#state = 'colon';
    return true;
  }

  #close(unit: number): boolean {
    const frame = this.#tree.frame as Frame;
    if (unit === code.closeRound) return this.#closeRound(frame);
    const kind = unit === code.closeCurly ? 'object' : 'array';
    if (frame.node.kind !== kind) return this.#closeMismatch(frame, kind);
    // Closed too early: members of the outermost object follow, or items of a list where a key should be.
    const isMember = this.#tree.frames.at(-2)?.node.kind === 'object';
    if (kind === 'object' ? this.#isOutermost : isMember) {
      const goesOn = kind === 'object' ? this.#goesOn(frame) : this.#listGoesOn();
      if (goesOn === 'more') return false;
      if (goesOn === 'yes') return kind === 'object' ? this.#dropBracket() : this.#reopenList(frame);
    }
    if (frame.afterComma && frame.count > 0) this.#tree.mark('fixed-trailing-comma');
    if (frame.open === doubledCurly && this.#isDoubledBrace()) {
      if (this.#cursor.unitAt(1) === MORE) return false;
      if (this.#cursor.unitAt(1) === code.closeCurly) this.#dropBracket();
    }
    if (kind === 'object' && frame.valued === 0 && frame.colons === 0 && this.#isSet(frame)) {
      this.#tree.turnIntoList(frame);
    }
    return this.#closeFrame();
  }

  /** Names in quotes or numbers, each without a value, are the items of a set, unless members are wanted. */
  #isSet({ quotedKeys, expect, node }: Frame): boolean {
    if (quotedKeys === 0) return node.keys.length > 0 && node.keys.every(isNumeric);
    return expect?.wantsObject !== true || expect.wantsArray;
  }

  #closeFrame(): boolean {
    this.#cursor.at++;
    this.#endFrame();
    return this.#goOn();
  }

  #endFrame(): void {
    const frame = this.#tree.frame as Frame;
    if (frame.open === code.openRound && isGroup(frame)) this.#tree.closeGroup();
    else this.#tree.close();
  }

  #dropBracket(): boolean {
    this.#tree.mark('dropped-bracket');
    this.#cursor.at++;
    return true;
  }

  #closeRound(frame: Frame): boolean {
    if (this.#calls > 0) {
      this.#calls--;
      this.#cursor.at++;
      return true;
    }
    if (frame.node.kind !== 'array') return this.#dropBracket();
    if (frame.open !== code.openRound) this.#tree.mark('fixed-brackets');
    return this.#closeFrame();
  }

  /** The bracket does not fit the innermost container: it is one too many, or miswritten, or others before it are missing. */
  #closeMismatch(frame: Frame, kind: 'object' | 'array'): boolean {
    const { frames } = this.#tree;
    const depth = kind === 'object' ? frame.nearestObject : frame.nearestArray;
    if (depth === -1) return this.#closeStray(frame);
    const ahead = this.#cursor.ahead(0);
    const remedy = chooseRemedy(frames.slice(-16), ahead);
    if (remedy === 'more') return false;
    if (remedy.isGuess) this.#tree.mark('guessed-structure');
    if (remedy.kind === 'drop') return this.#dropBracket();
    if (remedy.kind === 'replace') {
      this.#tree.mark('fixed-brackets');
      return this.#closeFrame();
    }
    this.#tree.mark('inserted-brackets');
    while (frames.length > depth + 1) this.#tree.close();
    return this.#closeFrame();
  }

  /** A bracket that nothing open could have: its own, miswritten, or at the top level one too many if it goes on. */
  #closeStray(frame: Frame): boolean {
    const goesOn = this.#isOutermost ? this.#goesOn(frame) : 'no';
    if (goesOn === 'more') return false;
    if (goesOn === 'yes') return this.#dropBracket();
    this.#tree.mark('fixed-brackets');
    return this.#closeFrame();
  }

  /** Nothing is open around the container, but for a round bracket. */
  get #isOutermost(): boolean {
    const { frames } = this.#tree;
    return frames.length === 1 || (frames.length === 2 && frames[0]?.open === code.openRound);
  }

  /** Whether a comma and a list, an object or a number follow, none of which can be a key. */
  #listGoesOn(): Answer {
    const ahead = this.#cursor.ahead();
    const comma = ahead.skip();
    if (comma !== code.comma) return comma === MORE ? 'more' : 'no';
    ahead.at++;
    const unit = ahead.skip();
    if (unit === MORE || (unit === code.openSquare && ahead.unitAt(1) === MORE)) return 'more';
    return unit === code.openSquare || unit === code.openCurly || isDigit(unit) || unit === code.minus ? 'yes' : 'no';
  }

  /** `["a"], ["b"]` where a key should be: the second list goes on with the first, unless that is a list of lists. */
  #reopenList(frame: Frame): boolean {
    const ahead = this.#cursor.ahead();
    ahead.skip();
    ahead.at++;
    const items = frame.node.value as unknown[];
    const isSecond = ahead.skip() === code.openSquare && !Array.isArray(items.at(-1));
    if (!isSecond) return this.#dropBracket();
    const isOfLists = Array.isArray(items[0]) && ahead.unitAt(1) !== code.openSquare;
    if (isOfLists && items.length <= longestGathered) return this.#gatherItems(frame, items);
    this.#dropBracket();
    this.#cursor.at = ahead.at + 1;
    return this.#expectChild(frame);
  }

  /** `[["a"], "b", "c"], ["d"]`: the bracket that opens the list of the last items is missing. */
  #gatherItems(frame: Frame, items: readonly unknown[]): boolean {
    this.#cursor.at++;
    this.#tree.gather(frame, items.findLastIndex((item) => Array.isArray(item)) + 1);
    return this.#goOn();
  }

  /** Whether a comma follows, and then what the container holds. */
  #goesOn(frame: Frame): Answer {
    const ahead = this.#cursor.ahead();
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit !== code.comma) return 'no';
    ahead.at++;
    const start = ahead.at;
    const key = ahead.key();
    if (key === 'more' || key === 'key') return key === 'more' ? 'more' : frame.node.kind === 'object' ? 'yes' : 'no';
    ahead.at = start;
    if (frame.node.kind === 'object') return ahead.pair();
    const value = key === 'none' ? ahead.valueStart() : 'none';
    return value === 'more' ? 'more' : value === 'value' ? 'yes' : 'no';
  }

  /** The last key stood in doubled quotes. */
  get #isDoubled(): boolean {
    const { frame, frames } = this.#tree;
    return frame !== undefined && (frames[frame.nearestObject]?.keyQuote ?? 0) < 0;
  }

  #startString(place: Place): boolean {
    const cursor = this.#cursor;
    const opening = readOpening(cursor, place, this.#isDoubled);
    if (opening === 'more') return false;
    if (opening === 'block') return this.#startBlock(String.fromCharCode(cursor.unit).repeat(3));
    const node = place === 'key' ? undefined : this.#tree.open('string', cursor.position, { value: '' });
    this.#string = new StringReader(cursor, this.#tree, { place, opening, node, thinking: this.prose.thinking });
    this.#state = 'string';
    return true;
  }

  #readString(): boolean {
    const string = this.#string as StringReader;
    const done = string.read();
    if (done === 'more') return false;
    if (done === 'interrupted') string.cut();
    if (string.place === 'root' && string.node !== undefined) {
      this.#tree.show(string.node, string.text);
      const next = this.#cursor.ahead(0).skip();
      if (next === code.plus) return this.#joinString(string.node);
      if (next === code.colon) return this.#rootKey(string.node);
    } else if (string.node !== undefined && this.#isPlusNext()) {
      // Joined before it is complete, for each completion measures the whole.
      this.#tree.show(string.node, string.text, string.takeAdded());
      return this.#joinString(string.node);
    }
    this.#finishString(string, false);
    return done === 'interrupted' ? this.#closeAll() : true;
  }

  /** Whether a plus, and behind it the rest of the string, stands here. */
  #isPlusNext(): boolean {
    const cursor = this.#cursor;
    let offset = 0;
    while (isJsonSpace(cursor.unitAt(offset))) offset++;
    return cursor.unitAt(offset) === code.plus && isQuote(cursor.ahead(offset + 1).skip());
  }

  #finishString(string: StringReader, isCut: boolean): void {
    this.#string = undefined;
    if (string.node !== undefined) {
      this.#tree.show(string.node, string.text);
      this.#tree.complete(string.node);
      this.#goOn();
      return;
    }
    const frame = this.#tree.frame as Frame;
    frame.quotedKeys++;
    frame.keyQuote = string.isDoubled ? -string.quote : string.quote;
    // Half a key is none.
    if (isCut) this.#state = 'key';
    else this.#setKey(frame, string.text);
  }

  /** `"key": 1, …` at the top level: the brackets are missing. */
  #rootKey(node: Node): boolean {
    this.#string = undefined;
    this.#tree.turnRootIntoKey(node);
    (this.#tree.frame as Frame).quotedKeys++;
    this.#state = 'colon';
    return true;
  }

  /** `"a" + "b"`: the string goes on. */
  #joinString(node: Node): boolean {
    const cursor = this.#cursor;
    const ahead = cursor.ahead(0);
    ahead.skip();
    ahead.at++;
    const unit = ahead.skip();
    if (unit === MORE) return false;
    if (!isQuote(unit)) {
      cursor.at++;
      return true;
    }
    node.complete = false;
    cursor.at = ahead.at;
    this.#tree.mark('joined-strings');
    const kind = this.#tree.frame?.node.kind;
    const place = kind === undefined ? 'root' : kind === 'array' ? 'item' : 'member';
    this.#string = new StringReader(cursor, this.#tree, {
      place,
      opening: 'plain',
      node,
      thinking: this.prose.thinking,
    });
    this.#state = 'string';
    return true;
  }

  #startBlock(fence: string): boolean {
    const cursor = this.#cursor;
    const start = blockStart(cursor, fence);
    if (start === 'more') return false;
    this.#block = new BlockReader(cursor, fence, this.#tree.open('string', cursor.position, { value: '' }));
    this.#tree.mark('fixed-quotes');
    cursor.at = start;
    this.#state = 'block';
    return true;
  }

  #readBlock(): boolean {
    const block = this.#block as BlockReader;
    if (block.read() === 'more') return false;
    this.#finishBlock(block);
    return true;
  }

  #finishBlock(block: BlockReader): void {
    this.#block = undefined;
    this.#tree.show(block.node, block.text);
    this.#tree.complete(block.node);
    this.#goOn();
  }

  #startWord(frame: Frame, isItem: boolean): boolean {
    const inRound = this.#calls > 0 || frame.open === code.openRound;
    this.#word = new WordReader(this.#cursor, this.#tree, { isItem, inRound, thinking: this.prose.thinking });
    this.#state = 'word';
    return true;
  }

  #readWord(): boolean {
    const done = (this.#word as WordReader).read();
    if (done === 'more') return false;
    this.#word = undefined;
    if (done === 'done') return this.#goOn();
    this.#calls++;
    this.#state = 'value';
    return true;
  }
}

/** In Python a comma makes a tuple; without one the brackets only group. Where a list is wanted it is one. */
function isGroup({ node, count, afterComma, leadingComma, expect }: Frame): boolean {
  if (count !== 1 || afterComma || leadingComma) return false;
  return Array.isArray((node.value as unknown[])[0]) || expect?.wantsArray !== true;
}
