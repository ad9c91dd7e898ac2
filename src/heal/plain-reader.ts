// Reads the parts of a text that are plain, as the probe says. Most of a damaged text is, and going through it without
// asking at each quote what it could mean makes healing several times as fast.
// Invariants:
//   1. It reads only what the machine would read the same way, and stops before anything else.
//   2. What it stops before is read by the machine, so that no character is looked at more than a few times.

import { code, isDigit } from './character.ts';
import { isNextList } from './closer.ts';
import type { Cursor } from './cursor.ts';
import type { NodeKind } from './node.ts';
import { doubledCurly, type Frame } from './frame.ts';
import { breaksJson } from './json-break.ts';
import { closerOf, letterF, letterN, letterT, openSmart, PlainProbe, spaceEnd, unitAt } from './plain-probe.ts';
import { PlainStretch } from './plain-stretch.ts';
import type { Tree } from './tree.ts';

/** What is expected next inside a container. */
export type Expected = 'key' | 'value' | 'next';

export class PlainReader {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #probe: PlainProbe;
  /** Only where values are enough. */
  readonly #stretch: PlainStretch | undefined;
  /** Whether what it stopped before first proves that a text which begins with its value is no JSON. */
  breaksJson: boolean | undefined;

  constructor(cursor: Cursor, tree: Tree) {
    this.#cursor = cursor;
    this.#tree = tree;
    this.#probe = new PlainProbe(cursor);
    this.#stretch = tree.keepsNodes ? undefined : new PlainStretch(cursor, tree, this.#probe);
  }

  /** Reads on as long as there is no doubt, and tells what is expected where it stopped. `thinking`: a tag may end it all. */
  read(expected: Expected, thinking: boolean): Expected {
    this.#probe.begin(thinking);
    let now: Expected | undefined = expected;
    let last = expected;
    while (now !== undefined) {
      last = now;
      const frame = this.#tree.frame as Frame;
      now = this.#stretch?.read(now, frame) ?? this.#step(now, frame);
    }
    this.breaksJson ??= this.#cursor.ended && this.#provesDamage(last);
    return last;
  }

  /** All it read is JSON but for what it marked. */
  #provesDamage(expected: Expected): boolean {
    const { frame, frames, root } = this.#tree;
    if (frame === undefined || root?.marks.some(({ kind }) => kind !== 'duplicate-key') === true) return true;
    const { text, at } = this.#cursor;
    const { node, afterComma } = frame;
    return breaksJson(text, at, {
      expected,
      isObject: node.kind === 'object',
      isOutermost: frames.length === 1,
      afterComma,
    });
  }

  #step(expected: Expected, frame: Frame): Expected | undefined {
    const cursor = this.#cursor;
    const { text } = cursor;
    const start = spaceEnd(text, cursor.at);
    const unit = unitAt(text, start);
    if (expected === 'key') {
      if (this.#probe.isKey(start, frame.quotedKeys === 0)) return this.#key(frame, start);
      return unit === code.closeCurly && !frame.afterComma ? this.#close(frame, unit, start) : undefined;
    }
    if (expected === 'value') return this.#value(frame, unit, start);
    if (unit === code.comma) {
      cursor.at = start + 1;
      frame.afterComma = true;
      return this.#expectChild(frame);
    }
    // What was begun behind the comma may have been none.
    const isCloser = (unit === code.closeCurly || unit === code.closeSquare) && !frame.afterComma;
    return isCloser ? this.#close(frame, unit, start) : undefined;
  }

  #expectChild(frame: Frame): Expected {
    this.#tree.expectChild(frame);
    return frame.node.kind === 'object' ? 'key' : 'value';
  }

  #key(frame: Frame, open: number): Expected | undefined {
    const quote = unitAt(this.#cursor.text, open);
    const isBare = closerOf(quote) === 0;
    const key = this.#cursor.text.slice(isBare ? open : open + 1, this.#probe.keyEnd);
    // It may be a field of the object around this one.
    if (frame.expect?.knows(key) === false) return undefined;
    this.#cursor.at = open;
    if (isBare) this.#tree.mark('unquoted-key', { end: this.#cursor.position + key.length }, { field: key });
    else {
      if (quote !== code.doubleQuote) this.#tree.mark('fixed-quotes');
      frame.quotedKeys++;
      frame.keyQuote = quote;
    }
    frame.colons++;
    this.#tree.setKey(frame, key);
    this.#cursor.at = this.#probe.colon + 1;
    return 'value';
  }

  #value(frame: Frame, unit: number, start: number): Expected | undefined {
    switch (unit) {
      case code.doubleQuote:
      case code.singleQuote:
      case openSmart:
        return this.#string(frame, start);
      case code.openCurly:
      case code.openSquare:
        if (unit === code.openSquare && (isMixed(frame) || isNextList(this.#tree))) return undefined;
        this.#cursor.at = start;
        this.#tree.openContainer(unit === code.openCurly ? 'object' : 'array', unit);
        this.#cursor.at++;
        return this.#expectChild(this.#tree.frame as Frame);
      case code.closeSquare:
        return frame.node.kind === 'array' && !frame.afterComma ? this.#close(frame, unit, start) : undefined;
      case letterT:
      case letterF:
      case letterN:
        return this.#literal(frame, unit, start);
      default:
        return isDigit(unit) || unit === code.minus ? this.#number(frame, start) : undefined;
    }
  }

  #string(frame: Frame, open: number): Expected | undefined {
    const end = this.#probe.stringEnd(open, frame.node.kind === 'array', frame.quotedKeys === 0);
    if (end === -1) return undefined;
    const { text } = this.#cursor;
    const value = this.#probe.hasEscape ? unescape(text.slice(open, end + 1)) : text.slice(open + 1, end);
    return this.#addString(frame, value, open, end + 1);
  }

  #number(frame: Frame, start: number): Expected | undefined {
    const at = this.#probe.digitsEnd(start);
    const end = at === -1 ? -1 : this.#probe.wordEnd(at, frame.node.kind === 'array');
    if (end === -1) return undefined;
    const raw = this.#cursor.text.slice(start, at);
    return this.#addWord(frame, { kind: 'number', value: Number(raw), raw }, start, end);
  }

  #literal(frame: Frame, unit: number, start: number): Expected | undefined {
    const at = this.#probe.literalEnd(start, unit);
    const end = at === -1 ? -1 : this.#probe.wordEnd(at, frame.node.kind === 'array');
    if (end === -1) return undefined;
    return this.#addWord(frame, plainLiterals[unit as keyof typeof plainLiterals], start, end);
  }

  /** As the machine does: a string is in its container when it begins, a word when it has ended. */
  #addString(frame: Frame, value: string, start: number, end: number): 'next' {
    const [cursor, tree] = [this.#cursor, this.#tree];
    cursor.at = start;
    const node = tree.keepsNodes ? tree.open('string', cursor.position, { value }) : tree.put(frame, value);
    if (unitAt(cursor.text, start) !== code.doubleQuote) tree.mark('fixed-quotes');
    cursor.at = end;
    if (node !== undefined) tree.complete(node);
    return 'next';
  }

  #addWord(frame: Frame, word: PlainWord, start: number, end: number): 'next' {
    const [cursor, tree] = [this.#cursor, this.#tree];
    cursor.at = end;
    if (tree.keepsNodes) tree.add(word.kind, cursor.position - (end - start), word);
    else tree.put(frame, word.value);
    return 'next';
  }

  /** Whether the bracket that stands here closes the innermost container, and it alone. */
  #close(frame: Frame, unit: number, at: number): Expected | undefined {
    const { frames } = this.#tree;
    const isObject = frame.node.kind === 'object';
    const parent = frames[frames.length - 2];
    if (isObject !== (unit === code.closeCurly) || parent === undefined) return undefined;
    if (frame.open === code.openRound || parent.open === code.openRound || frame.open === doubledCurly)
      return undefined;
    // Names without a colon may be a set.
    const isNamesOnly = frame.quotedKeys > frame.colons || (frame.colons === 0 && frame.count > 0);
    const isEnd = parent.node.kind === 'array' || this.#probe.endsMemberList(at + 1);
    if (isObject ? isNamesOnly : !isEnd) return undefined;
    this.#cursor.at = at + 1;
    this.#tree.close();
    return 'next';
  }
}

/** A list behind another item: where the schema wants none, a bracket may be missing. */
function isMixed({ expect, node, count }: Frame): boolean {
  if (expect === undefined || count === 0 || node.kind !== 'array') return false;
  return typeof (node.value as unknown[])[count - 1] !== 'object';
}

interface PlainWord {
  readonly kind: NodeKind;
  readonly value: unknown;
  readonly raw: string;
}

/** By their first letter. */
const plainLiterals = {
  [letterT]: { kind: 'boolean', value: true, raw: 'true' },
  [letterF]: { kind: 'boolean', value: false, raw: 'false' },
  [letterN]: { kind: 'null', value: null, raw: 'null' },
} as const satisfies Record<number, PlainWord>;

/** The text of a string with escapes of JSON. In other quotes than JSON's, those may stand in it as they are. */
function unescape(quoted: string): string {
  if (quoted.charCodeAt(0) === code.doubleQuote) return JSON.parse(quoted) as string;
  const inside = quoted.slice(1, -1).replaceAll(/\\.|"/g, (found) => (found === '"' ? '\\"' : found));
  return JSON.parse(`"${inside}"`) as string;
}
