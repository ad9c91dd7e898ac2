// Fast path for the plain parts of a text, which are most of it even if it is damaged: no quote needs a lookahead
// there. Without it, typed healing of damaged text takes twice as long and is slower than jsonrepair with zod.
// Invariants:
//   1. It reads only what the machine would read the same way, and stops before anything else.
//   2. The machine reads on from where it stops, so that no character is examined more than a few times.

import { code, isDigit, letterF, letterN, letterT } from './character.ts';
import { isNextArray } from './bracket-closer.ts';
import type { Cursor } from './cursor.ts';
import type { NodeKind } from './node.ts';
import { closesAlone, type ContainerFrame } from './frame.ts';
import {
  byteAt,
  closerOf,
  isLoaded,
  literalEnd,
  load,
  maxTextLength,
  numberEnd,
  numberIn,
  spaceEnd,
} from './plain-bytes.ts';
import { PlainProbe } from './plain-probe.ts';
import type { Tree } from './tree.ts';

const { closeCurly, closeSquare, comma, doubleQuote, minus, openCurly, openSquare } = code;

/** What is expected next inside a container. */
export type Expected = 'key' | 'value' | 'next';

export class PlainReader {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #probe: PlainProbe;
  /** What it loaded last. Another reader may have replaced it since. */
  #loaded = -1;
  #ticket = 0;

  constructor(cursor: Cursor, tree: Tree) {
    this.#cursor = cursor;
    this.#tree = tree;
    this.#probe = new PlainProbe(cursor);
  }

  /**
   * Reads as far as there is no doubt. Returns what is expected there, or `prose` if the text ended with the value.
   * While `thinking`, a tag may end everything.
   */
  read(expected: Expected, thinking: boolean): Expected | 'prose' {
    if (!this.#load()) return expected;
    this.#probe.begin(thinking);
    let now: Expected | undefined = expected;
    let last = expected;
    while (now !== undefined) {
      last = now;
      now = this.#tree.isDoubled ? undefined : this.#step(now, this.#tree.frame as ContainerFrame);
    }
    return this.#tree.frame === undefined ? 'prose' : last;
  }

  /** Returns false if the text is too long to be loaded. */
  #load(): boolean {
    const { text, length, changes } = this.#cursor;
    if (length > maxTextLength) return false;
    if (this.#loaded === changes && isLoaded(this.#ticket)) return true;
    this.#loaded = changes;
    this.#ticket = load(text);
    return true;
  }

  #step(expected: Expected, frame: ContainerFrame): Expected | undefined {
    const cursor = this.#cursor;
    const start = spaceEnd(cursor.at);
    const unit = byteAt(start);
    if (expected === 'key') {
      if (this.#probe.isKey(start, frame.quotedKeys === 0)) return this.#key(frame, start);
      return unit === closeCurly && !frame.afterComma ? this.#close(frame, unit, start) : undefined;
    }
    if (expected === 'value') return this.#value(frame, unit, start);
    if (unit === comma) {
      cursor.at = start + 1;
      frame.afterComma = true;
      return this.#expectChild(frame);
    }
    // The text after the comma may not have been an item.
    const isCloser = (unit === closeCurly || unit === closeSquare) && !frame.afterComma;
    return isCloser ? this.#close(frame, unit, start) : undefined;
  }

  #expectChild(frame: ContainerFrame): Expected {
    this.#tree.expectChild(frame);
    return frame.node.kind === 'object' ? 'key' : 'value';
  }

  #key(frame: ContainerFrame, open: number): Expected | undefined {
    const { text } = this.#cursor;
    const quote = text.charCodeAt(open);
    const isBare = closerOf(byteAt(open)) === 0;
    const { keyEnd, colonAt } = this.#probe;
    const key = text.slice(isBare ? open : open + 1, keyEnd);
    // It may be a field of the enclosing object.
    if (frame.expect?.knows(key) === false) return undefined;
    this.#cursor.at = open;
    if (isBare) this.#tree.mark('unquoted-key', { end: this.#cursor.position + key.length }, { field: key });
    else {
      if (quote !== doubleQuote) this.#tree.mark('fixed-quotes');
      this.#tree.setKeyQuote(frame, quote, false);
    }
    frame.colons++;
    this.#tree.setKey(frame, key);
    this.#cursor.at = colonAt + 1;
    return 'value';
  }

  #value(frame: ContainerFrame, unit: number, start: number): Expected | undefined {
    if (closerOf(unit) !== 0) return this.#string(frame, start);
    switch (unit) {
      case openCurly:
      case openSquare:
        if (unit === openSquare && (isMixed(frame) || isNextArray(this.#tree))) return undefined;
        this.#cursor.at = start;
        this.#tree.openContainer(unit === openCurly ? 'object' : 'array', unit);
        this.#cursor.at++;
        return this.#expectChild(this.#tree.frame as ContainerFrame);
      case closeSquare:
        return frame.node.kind === 'array' && !frame.afterComma ? this.#close(frame, unit, start) : undefined;
      case letterT:
      case letterF:
      case letterN:
        return this.#literal(frame, unit, start);
      default:
        return isDigit(unit) || unit === minus ? this.#number(frame, start) : undefined;
    }
  }

  #string(frame: ContainerFrame, open: number): Expected | undefined {
    const end = this.#probe.stringEnd(open, frame.node.kind === 'array', frame.quotedKeys === 0);
    if (end === -1) return undefined;
    const { text } = this.#cursor;
    const value = this.#probe.hasEscape ? unescape(text.slice(open, end + 1)) : text.slice(open + 1, end);
    return this.#addString(frame, value, open, end + 1);
  }

  #number(frame: ContainerFrame, start: number): Expected | undefined {
    const at = numberEnd(start);
    const end = at === -1 ? -1 : this.#probe.wordEnd(at, frame.node.kind === 'array');
    if (end === -1) return undefined;
    const value = numberIn(start, at);
    const raw = this.#tree.keepsNodes ? this.#cursor.text.slice(start, at) : '';
    return this.#addWord(frame, { kind: 'number', value, raw }, start, end);
  }

  #literal(frame: ContainerFrame, unit: number, start: number): Expected | undefined {
    const at = literalEnd(start);
    const end = at === -1 ? -1 : this.#probe.wordEnd(at, frame.node.kind === 'array');
    if (end === -1) return undefined;
    return this.#addWord(frame, plainLiterals[unit as keyof typeof plainLiterals], start, end);
  }

  /** Like the machine: a string is added to its container when it begins, a word when it ends. */
  #addString(frame: ContainerFrame, value: string, start: number, end: number): 'next' {
    const [cursor, tree] = [this.#cursor, this.#tree];
    cursor.at = start;
    const node = tree.keepsNodes ? tree.open('string', cursor.position, { value }) : tree.put(frame, value);
    if (byteAt(start) !== doubleQuote) tree.mark('fixed-quotes');
    cursor.at = end;
    if (node !== undefined) tree.complete(node);
    return 'next';
  }

  #addWord(frame: ContainerFrame, word: PlainWord, start: number, end: number): 'next' {
    const [cursor, tree] = [this.#cursor, this.#tree];
    cursor.at = end;
    if (tree.keepsNodes) tree.add(word.kind, cursor.position - (end - start), word);
    else tree.put(frame, word.value);
    return 'next';
  }

  /** Closes the innermost container, if the bracket closes exactly that one. */
  #close(frame: ContainerFrame, unit: number, at: number): Expected | undefined {
    const { frames } = this.#tree;
    const isObject = frame.node.kind === 'object';
    if (isObject !== (unit === closeCurly)) return undefined;
    if (frames.length < 2) return this.#closeOutermost(frame, at);
    const parent = frames[frames.length - 2] as ContainerFrame;
    if (!closesAlone(frame, parent) || !this.#probe.endsContainer(frame, parent, at + 1)) return undefined;
    this.#cursor.at = at + 1;
    this.#tree.close();
    return 'next';
  }

  /** If more than white space follows, the machine decides what it means. */
  #closeOutermost(frame: ContainerFrame, at: number): undefined {
    const { length, ended } = this.#cursor;
    if (!ended || !closesAlone(frame, undefined) || spaceEnd(at + 1) < length) return;
    this.#cursor.at = at + 1;
    this.#tree.close();
    this.#cursor.at = length;
  }
}

/** An array after another kind of item. If the schema wants none, a bracket may be missing. */
function isMixed({ expect, node, count }: ContainerFrame): boolean {
  if (expect === undefined || count === 0 || node.kind !== 'array') return false;
  return typeof (node.value as unknown[])[count - 1] !== 'object';
}

interface PlainWord {
  readonly kind: NodeKind;
  readonly value: unknown;
  readonly raw: string;
}

/** By first letter. */
const plainLiterals = {
  [letterT]: { kind: 'boolean', value: true, raw: 'true' },
  [letterF]: { kind: 'boolean', value: false, raw: 'false' },
  [letterN]: { kind: 'null', value: null, raw: 'null' },
} as const satisfies Record<number, PlainWord>;

/** Decodes a string with JSON escapes. In quotes other than JSON's, double quotes may be unescaped. */
function unescape(quoted: string): string {
  if (quoted.charCodeAt(0) === doubleQuote) return JSON.parse(quoted) as string;
  const inside = quoted.slice(1, -1).replaceAll(/\\.|"/g, (found) => (found === '"' ? '\\"' : found));
  return JSON.parse(`"${inside}"`) as string;
}
