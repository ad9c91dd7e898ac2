// Reads the current scalar: a string, an unquoted word, or a block. Adds it to the tree when it is complete. Strings
// joined by a plus are one string, and a string before a colon is a key.

import { blockStart, BlockReader } from './block-reader.ts';
import { code, isJsonSpace, isQuote } from './character.ts';
import type { Cursor } from './cursor.ts';
import { setKey, takeRootKey } from './key-reader.ts';
import { END, MORE } from './lookahead.ts';
import type { Node } from './node.ts';
import { readStringOpening } from './string-opening.ts';
import type { Prose } from './prose.ts';
import type { StringRole } from './quote.ts';
import { afterValue, type State, type Transition } from './state.ts';
import { StringReader } from './string-reader.ts';
import type { ContainerFrame } from './frame.ts';
import type { Tree } from './tree.ts';
import { WordReader } from './word-reader.ts';

const { colon, openRound, plus } = code;

export class LeafReader {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #prose: Prose;
  #string: StringReader | undefined;
  #word: WordReader | undefined;
  #block: BlockReader | undefined;
  /** Number of open calls such as `Decimal(`. */
  #calls = 0;

  constructor(cursor: Cursor, tree: Tree, prose: Prose) {
    this.#cursor = cursor;
    this.#tree = tree;
    this.#prose = prose;
  }

  get node(): Node | undefined {
    return this.#string?.node ?? this.#block?.node;
  }

  /** The earliest position that parsing may go back to, if that is before the cursor. */
  get needed(): number | undefined {
    return this.#string?.needed;
  }

  /** The part of the string from `start` on that can no longer change. */
  settledFrom(start: number): string {
    return this.#string?.settledFrom(start) ?? '';
  }

  /** Updates the node of the string to the text read so far. */
  show(): void {
    const string = this.#string;
    if (string?.node !== undefined) this.#tree.show(string.node, string.text, string.takeAdded());
  }

  /** Whether the current value is an argument of a call. */
  get inCall(): boolean {
    return this.#calls > 0;
  }

  /** At the parenthesis that ends the call. */
  leaveCall(): Transition {
    this.#calls--;
    this.#cursor.at++;
    return 'same';
  }

  /** Starts a value that is not a container. */
  start(isItem: boolean): Transition {
    if (!isQuote(this.#cursor.unit)) return this.#startWord(isItem);
    return this.startString(this.inCall ? 'call' : isItem ? 'item' : 'member');
  }

  startString(role: StringRole): Transition {
    const cursor = this.#cursor;
    const opening = readStringOpening(cursor, role, this.#tree.isDoubled);
    if (opening === 'more') return 'more';
    if (opening === 'block') return this.startBlock(String.fromCharCode(cursor.unit).repeat(3));
    const node = role === 'key' ? undefined : this.#tree.open('string', cursor.position, { value: '' });
    this.#string = new StringReader(cursor, this.#tree, { role, opening, node, thinking: this.#prose.thinking });
    return 'string';
  }

  /** Returns `interrupted` if the enclosing thinking has ended, which closes everything open. */
  readString(): Transition | 'interrupted' {
    const string = this.#string as StringReader;
    const done = string.read();
    if (done === 'more') return 'more';
    if (done === 'interrupted') string.cut();
    if (string.role === 'root' && string.node !== undefined) {
      this.#tree.show(string.node, string.text);
      const ahead = this.#cursor.ahead(0);
      const next = ahead.skip();
      ahead.at++;
      if (next === plus && isQuote(ahead.skip())) return this.join(string.node);
      if (next === colon) return this.#turnIntoKey(string.node);
    } else if (string.node !== undefined && this.#isPlusNext()) {
      // Joined before it is complete, because each completion scores the entire string.
      this.#tree.show(string.node, string.text, string.takeAdded());
      return this.join(string.node);
    }
    const next = this.#finishString(string, false);
    return done === 'interrupted' ? 'interrupted' : next;
  }

  #turnIntoKey(node: Node): State {
    this.#string = undefined;
    return takeRootKey(this.#tree, node);
  }

  /** Whether a plus and another string follow. */
  #isPlusNext(): boolean {
    const cursor = this.#cursor;
    let offset = 0;
    while (isJsonSpace(cursor.unitAt(offset))) offset++;
    return cursor.unitAt(offset) === plus && isQuote(cursor.ahead(offset + 1).skip());
  }

  /** `"a" + "b"`: the string continues. */
  join(node: Node): Transition {
    const cursor = this.#cursor;
    const ahead = cursor.ahead(0);
    ahead.skip();
    ahead.at++;
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (!isQuote(unit)) {
      cursor.at++;
      return 'same';
    }
    node.complete = false;
    cursor.at = ahead.at;
    this.#tree.mark('joined-strings');
    const kind = this.#tree.frame?.node.kind;
    const role = kind === undefined ? 'root' : kind === 'array' ? 'item' : 'member';
    const { thinking } = this.#prose;
    this.#string = new StringReader(cursor, this.#tree, { role, opening: 'plain', node, thinking });
    return 'string';
  }

  #finishString(string: StringReader, isCut: boolean): State {
    this.#string = undefined;
    if (string.node !== undefined) {
      this.#tree.show(string.node, string.text);
      this.#tree.complete(string.node);
      return afterValue(this.#tree);
    }
    const frame = this.#tree.frame as ContainerFrame;
    this.#tree.setKeyQuote(frame, string.quote, string.isDoubled);
    // A truncated key is dropped.
    return isCut ? 'key' : setKey(this.#tree, string.text);
  }

  startBlock(fence: string): Transition {
    const cursor = this.#cursor;
    const start = blockStart(cursor, fence);
    if (start === 'more') return 'more';
    this.#block = new BlockReader(cursor, fence, this.#tree.open('string', cursor.position, { value: '' }));
    this.#tree.mark('fixed-quotes');
    cursor.at = start;
    return 'block';
  }

  readBlock(): Transition {
    const block = this.#block as BlockReader;
    return block.read() === 'more' ? 'more' : this.#finishBlock(block);
  }

  #finishBlock(block: BlockReader): State {
    this.#block = undefined;
    this.#tree.show(block.node, block.text);
    this.#tree.complete(block.node);
    return afterValue(this.#tree);
  }

  #startWord(isItem: boolean): Transition {
    const inRound = this.inCall || this.#tree.frame?.open === openRound;
    this.#word = new WordReader(this.#cursor, this.#tree, { isItem, inRound, thinking: this.#prose.thinking });
    return 'word';
  }

  readWord(): Transition {
    const done = (this.#word as WordReader).read();
    if (done === 'more') return 'more';
    this.#word = undefined;
    if (done === 'done') return afterValue(this.#tree);
    this.#calls++;
    return 'value';
  }

  /** The text has ended inside a string or a block. */
  finish(): Transition {
    if (this.#string !== undefined) {
      this.#string.cut();
      return this.#finishString(this.#string, this.#cursor.unit === END);
    }
    if (this.#block === undefined) return 'same';
    this.#tree.mark('closed-truncated');
    return this.#finishBlock(this.#block);
  }
}
