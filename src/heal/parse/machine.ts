// The lenient parser: reads text that was meant to be JSON, in chunks split anywhere, and builds a tree. One machine
// serves one-shot and streaming healing. This file decides which part reads next in each state; the parts do not know
// the machine.
// Invariants:
//   1. Every decision depends on the state and on a bounded window of text that has fully arrived (or on the end of the
//      text), never on where a chunk was split.
//   2. Work is linear in the text: the position only moves forward, except for one bounded step back per string.
//   3. Nothing recurses with the depth of the input.

import { code, ellipsis, isOpening, isQuote, isSeparator } from './character.ts';
import { BracketCloser, isNextArray } from './bracket-closer.ts';
import { Cursor, maxKeyLength } from './cursor.ts';
import { GapReader } from './gap-reader.ts';
import { KeyReader, takeKeyInArray } from './key-reader.ts';
import { LeafReader } from './leaf-reader.ts';
import { END, MORE, type LookaheadVerdict } from './lookahead.ts';
import type { Node } from './node.ts';
import { maxTextLength } from './plain-bytes.ts';
import { PlainReader } from './plain-reader.ts';
import { Prose } from './prose.ts';
import { expectChild, addMissingValue, type State, type Transition } from './state.ts';
import {
  decodeHtml,
  endsEmphasis,
  isEllipsis,
  isPrefixed,
  isQuotedObject,
  openQuoted,
  skipComma,
  skipEllipsis,
  unescape,
} from './stray-token.ts';
import type { Expectation, ContainerFrame } from './frame.ts';
import type { Root } from './root.ts';
import { Tree, type NodeListener } from './tree.ts';

const {
  ampersand,
  backslash,
  backtick,
  closeCurly,
  closeRound,
  closeSquare,
  colon,
  dot,
  doubleQuote,
  equals,
  greater,
  less,
  openCurly,
  openRound,
  openSquare,
  plus,
  semicolon,
  star,
} = code;

export interface MachineOptions {
  /** The text is the content of an object without its braces: lines of keys and values. */
  readonly isObject?: boolean;
  /** Deeper values throw `too-deep`. */
  readonly maxDepth?: number;
  readonly expect?: Expectation | undefined;
  readonly listener?: NodeListener | undefined;
  /** Only the values of roots are needed, not their nodes. */
  readonly valuesOnly?: boolean;
}

/** Longer chunks are read in pieces that the plain reader can load. */
const maxPieceLength = maxTextLength / 2;

/** The plain reader is not used for shorter text. */
const minPlainLength = 16;

export class LenientMachine {
  readonly prose: Prose;
  readonly #cursor = new Cursor();
  readonly #tree: Tree;
  readonly #plain: PlainReader;
  readonly #gaps: GapReader;
  readonly #keys: KeyReader;
  readonly #leaf: LeafReader;
  readonly #closer: BracketCloser;
  #state: State = 'prose';

  constructor(options: MachineOptions = {}) {
    const { expect, listener, isObject = false, maxDepth = Number.POSITIVE_INFINITY, valuesOnly = false } = options;
    const cursor = this.#cursor;
    this.prose = new Prose(cursor, expect, !valuesOnly);
    const tree = new Tree({ cursor, expect, listener, maxDepth, keepsNodes: !valuesOnly, around: this.prose });
    this.#tree = tree;
    this.#plain = new PlainReader(cursor, tree);
    this.#gaps = new GapReader(cursor, tree);
    this.#keys = new KeyReader(cursor, tree, this.#gaps);
    this.#leaf = new LeafReader(cursor, tree, this.prose);
    this.#closer = new BracketCloser(cursor, tree);
    if (!isObject) return;
    tree.openContainer('object', 0);
    tree.mark('inserted-brackets');
    this.#state = 'key';
  }

  /** The text is escaped one time too many from some point on, so positions are not offsets into it. */
  get isDecoded(): boolean {
    return this.#cursor.isDecoded;
  }

  push(chunk: string): void {
    for (let at = 0; at < chunk.length; at += maxPieceLength) {
      this.#cursor.push(chunk.slice(at, at + maxPieceLength), this.#leaf.needed);
      this.#run();
    }
  }

  /** Decides the end of the current string by the text so far. Ends nothing else. */
  settle(): void {
    this.#cursor.settling = true;
    this.#run();
  }

  /**
   * `rest` is the text that has not been pushed yet. Its end is decided once, because it is known that nothing follows.
   */
  end(rest = ''): void {
    const last = rest.length - (rest.length % maxPieceLength || maxPieceLength);
    if (last > 0) this.push(rest.slice(0, last));
    this.#cursor.push(rest.slice(last), this.#leaf.needed);
    this.#cursor.end();
    this.#run();
    this.#take(this.#leaf.finish());
    // A string without an end may be read again from where it should have ended. So may the strings after it.
    while (this.#cursor.unit !== END) {
      this.#run();
      this.#take(this.#leaf.finish());
    }
    if (this.#tree.frames.length > 0) this.#take(this.#closer.closeAll());
  }

  /** The values found, in order. The last one may be open. */
  get roots(): readonly Root[] {
    return this.#tree.roots;
  }

  /** Number of values found. */
  get found(): number {
    return this.#tree.roots.length + this.#tree.dropped;
  }

  /** The value being read, if any. */
  get open(): Root | undefined {
    return this.#tree.root;
  }

  /** Does not change while a string only grows. */
  get changes(): number {
    return this.#tree.changes;
  }

  /** The containers being read, outermost first. */
  get openPath(): readonly Node[] {
    return this.#tree.path;
  }

  /** The innermost node being read, if any. */
  get leaf(): Node | undefined {
    return this.#leaf.node ?? this.#tree.frame?.node;
  }

  /** The part of the current string from `start` on that can no longer change. */
  settledFrom(start: number): string {
    return this.#leaf.settledFrom(start);
  }

  #run(): void {
    while (this.#take(this.#step()));
    this.#leaf.show();
  }

  /** Returns false if more text is needed. */
  #take(step: Transition): boolean {
    if (step !== 'same' && step !== 'more') this.#state = step;
    return step !== 'more';
  }

  #step(): Transition {
    // Alternates between the plain reader and gaps that only the machine can skip.
    while (this.#readPlain() && this.#gaps.skip(this.#state) && this.#gaps.foundNonJson);
    switch (this.#state) {
      case 'prose':
        return this.#readProse();
      case 'key':
        return this.#readKey();
      case 'colon':
        return this.#keys.readColon();
      case 'value':
        return this.#readValue();
      case 'next':
        return this.#readNext();
      case 'string':
        return this.#readString();
      case 'word':
        return this.#leaf.readWord();
      case 'block':
        return this.#leaf.readBlock();
    }
  }

  /** Lets the plain reader read as far as it can. Returns false if it does not apply here. */
  #readPlain(): boolean {
    const state = this.#state;
    if (state !== 'key' && state !== 'value' && state !== 'next') return false;
    if (this.#gaps.inComment || this.#leaf.inCall) return false;
    const { at, length } = this.#cursor;
    // Small chunks rarely contain a complete token.
    if (length - at < minPlainLength) return false;
    // Where quotes are escaped, nothing is plain.
    if (this.#cursor.before === backslash) return false;
    this.#state = this.#plain.read(state, this.prose.thinking);
    // The plain reader stops before a value only right after its colon.
    if (this.#cursor.at !== at) this.#gaps.newLine = false;
    return true;
  }

  #readProse(): Transition {
    const found = this.prose.read();
    if (found === 'more') return 'more';
    if (this.#cursor.unit === backslash) return unescape(this.#cursor, this.#tree);
    const step = found === 'string' ? this.#leaf.startString('root') : this.#openContainer(this.#cursor.unit);
    if (step !== 'more') this.prose.leave();
    return step;
  }

  /** Whether the text, the fence or the thinking ends here, which closes everything open. */
  #isOver(): LookaheadVerdict {
    const cursor = this.#cursor;
    if (cursor.unit === END) return 'yes';
    if (cursor.unit === backtick) return cursor.isFence;
    if (cursor.unit !== less) return 'no';
    const tag = cursor.thinkTag;
    if (tag === 'more' || tag === 'none') return tag === 'more' ? 'more' : 'no';
    return this.prose.thinking || !tag.opens ? 'yes' : 'no';
  }

  #openContainer(open: number): State {
    this.#tree.openContainer(open === openCurly ? 'object' : 'array', open);
    this.#cursor.at++;
    return expectChild(this.#tree, this.#tree.frame as ContainerFrame);
  }

  #readKey(): Transition {
    if (!this.#gaps.skip('key')) return 'more';
    const over = this.#isOver();
    if (over !== 'no') return over === 'yes' ? this.#closer.closeAll() : 'more';
    const { unit } = this.#cursor;
    if (unit === closeCurly || unit === closeSquare) return this.#closer.close(unit);
    if (isSeparator(unit)) return skipComma(this.#cursor, this.#tree);
    if (unit === openCurly) return this.#closer.openForKey();
    return isQuote(unit) ? this.#leaf.startString('key') : this.#keys.read();
  }

  #readValue(): Transition {
    if (!this.#gaps.skip('value')) return 'more';
    const cursor = this.#cursor;
    const tree = this.#tree;
    const isItem = tree.frame?.node.kind === 'array';
    const over = this.#isOver();
    if (over !== 'no') return over === 'yes' ? this.#atOver(isItem) : 'more';
    const { unit } = cursor;
    if (unit === openSquare && isItem && isNextArray(tree)) return this.#closer.closeMissing();
    if (isOpening(unit) || unit === openRound) return this.#openContainer(unit);
    if (unit === closeCurly || unit === closeSquare || (unit === closeRound && isItem))
      return isItem ? this.#close(unit) : addMissingValue(tree);
    if (isSeparator(unit)) return isItem ? skipComma(cursor, tree) : addMissingValue(tree);
    if (unit === colon || unit === equals || unit === greater) {
      tree.mark('fixed-colon');
      cursor.at++;
      return 'same';
    }
    return this.#readScalar(unit, isItem);
  }

  /** The end where a value is expected. A fence on the same line as the key is the value. */
  #atOver(isItem: boolean): Transition {
    const { unit } = this.#cursor;
    if (unit === backtick && !isItem && !this.#gaps.newLine) return this.#leaf.startBlock('```');
    if (unit === END && !isItem) addMissingValue(this.#tree);
    return this.#closer.closeAll();
  }

  /** Starts a scalar, or skips a stray token before it. */
  #readScalar(unit: number, isItem: boolean): Transition {
    const cursor = this.#cursor;
    const tree = this.#tree;
    if (unit === doubleQuote) {
      const quoted = isQuotedObject(cursor);
      if (quoted !== 'no') return quoted === 'yes' ? openQuoted(cursor, tree) : 'more';
    }
    if (unit === backslash || unit === dot) {
      const next = cursor.unitAt(1);
      if (next === MORE) return 'more';
      if (unit === dot && next === dot) {
        const replacesValue = isItem ? 'yes' : isEllipsis(cursor);
        if (replacesValue !== 'no') return replacesValue === 'yes' ? skipEllipsis(cursor, tree, 2) : 'more';
      }
      if (unit === backslash && isQuote(next)) return unescape(cursor, tree);
    }
    if (unit === ellipsis && isItem) return skipEllipsis(cursor, tree, 1);
    const entity = unit === ampersand && isItem ? cursor.isQuoteEntity() : 'no';
    if (entity !== 'no') return entity === 'yes' ? decodeHtml(cursor, tree) : 'more';
    const emphasised = unit === star && !isItem ? endsEmphasis(cursor) : 'no';
    if (emphasised === 'more') return 'more';
    if (emphasised === 'yes') {
      tree.mark('dropped-text');
      cursor.at += 2;
      return 'same';
    }
    const prefixed = isPrefixed(cursor);
    if (prefixed === 'more') return 'more';
    if (prefixed === 'yes') {
      tree.mark('fixed-quotes');
      cursor.at++;
    }
    return this.#leaf.start(isItem);
  }

  #readNext(): Transition {
    if (!this.#gaps.skip('next')) return 'more';
    const over = this.#isOver();
    if (over !== 'no') return over === 'yes' ? this.#closer.closeAll() : 'more';
    const cursor = this.#cursor;
    const tree = this.#tree;
    const frame = tree.frame as ContainerFrame;
    const isObject = frame.node.kind === 'object';
    const { unit } = cursor;
    if (isSeparator(unit)) {
      if (unit === semicolon) tree.mark('fixed-separator');
      frame.afterComma = true;
      cursor.at++;
      return expectChild(tree, frame);
    }
    if (unit === closeCurly || unit === closeSquare || unit === closeRound) return this.#close(unit);
    if (unit === doubleQuote && tree.last?.start === tree.quotedAt) {
      tree.quotedAt = -1;
      cursor.at++;
      return 'same';
    }
    const text = tree.last?.kind === 'string' ? tree.last : undefined;
    if (unit === plus && text !== undefined) return this.#leaf.join(text);
    if (isObject && unit === openCurly) return this.#closer.closeMissing();
    const mayBeKey = !isObject && unit === colon && text !== undefined;
    if (mayBeKey && (text.value as string).length <= maxKeyLength) return takeKeyInArray(tree, frame, text);
    if (unit !== dot && unit !== ellipsis) tree.mark('inserted-comma');
    return expectChild(tree, frame);
  }

  #close(unit: number): Transition {
    if (unit !== closeRound) return this.#closer.close(unit);
    return this.#leaf.inCall ? this.#leaf.leaveCall() : this.#closer.closeRound();
  }

  #readString(): Transition {
    const step = this.#leaf.readString();
    return step === 'interrupted' ? this.#closer.closeAll() : step;
  }
}
