// Reads a stretch of plain text, down into containers and out of them, without making anything of it, and then has
// JSON.parse make the values of all of it at once: several times as fast as making them one by one.
// Invariants:
//   1. A stretch is JSON without duplicate keys, and every token in it is one that the plain reader would take too.
//   2. What it leaves behind, values and frames, is what the plain reader would have left.
//   3. A stretch that was not worth its price is read again by the plain reader, once.

import { code, isDigit } from './character.ts';
import type { Cursor } from './cursor.ts';
import type { Frame } from './frame.ts';
import { letterF, letterN, letterT, spaceEnd, unitAt, type PlainProbe } from './plain-probe.ts';
import type { Expected } from './plain-reader.ts';
import type { Tree } from './tree.ts';

/** Fewer values are made quicker one by one. */
const fewestValues = 4;

/** After each look in vain the next is so much further away: where every value is damaged, none is worth its price. */
const rest = 32;

/** Each key is compared with those before it, so a stretch ends before an object gets more. */
const mostKeys = 32;

/** A container in the stretch: the one it begins in, or one that was opened in it. */
class Level {
  isObject = false;
  start = 0;
  /** How many of its children are complete. */
  done = 0;
  keyOpen = 0;
  keyEnd = 0;
  /** Where its keys begin among the keys of all. */
  firstKey = 0;
}

export class PlainStretch {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #probe: PlainProbe;
  /** Kept and used again; only the first `#depth + 1` count. */
  readonly #levels: Level[] = [new Level()];
  #depth = 0;
  #level = this.#levels[0] as Level;
  /** Where the keys of the open objects open, and what tells most of them apart. */
  readonly #keys: number[] = [];
  readonly #traits: number[] = [];
  #keyCount = 0;
  #expected: Expected = 'value';
  #at = 0;
  /** Behind the last value, or the last bracket that opened one. */
  #cut = 0;
  #values = 0;
  /** Up to here the text has been looked at in vain. */
  #passed = 0;
  /** How often in a row. */
  #vain = 0;

  constructor(cursor: Cursor, tree: Tree, probe: PlainProbe) {
    this.#cursor = cursor;
    this.#tree = tree;
    this.#probe = probe;
  }

  /** What is expected behind the stretch; nothing when there is none here that is worth it. */
  read(expected: Expected, frame: Frame): Expected | undefined {
    const isObject = frame.node.kind === 'object';
    if (expected !== (isObject ? 'key' : 'value') || frame.open === code.openRound) return undefined;
    const cursor = this.#cursor;
    // What stands in quotes of its own has to be seen to end.
    if (cursor.position < this.#passed || cursor.position === this.#tree.quotedAt) return undefined;
    const from = cursor.at;
    this.#begin(isObject, from);
    while (this.#passChild(cursor.text));
    if (this.#values >= fewestValues && this.#make(frame, from)) {
      this.#vain = 0;
      return this.#expected;
    }
    this.#vain++;
    this.#passed = cursor.position + this.#at - from + rest * this.#vain;
    return undefined;
  }

  #begin(isObject: boolean, from: number): void {
    this.#depth = 0;
    const level = this.#levels[0] as Level;
    this.#level = level;
    level.isObject = isObject;
    level.done = 0;
    level.firstKey = 0;
    this.#keyCount = 0;
    this.#expected = isObject ? 'key' : 'value';
    this.#at = from;
    this.#cut = from;
    this.#values = 0;
  }

  /** Passes a child, with its key and the comma behind it, or the bracket that opens it. False: there is a doubt in it. */
  #passChild(text: string): boolean {
    const level = this.#level;
    let start = spaceEnd(text, this.#at);
    let unit = unitAt(text, start);
    if (level.isObject) {
      if (unit === code.closeCurly) return this.#close(text, start);
      if (unit !== code.doubleQuote || !this.#passKey(text, start)) return false;
      start = spaceEnd(text, this.#at);
      unit = unitAt(text, start);
    }
    if (unit === code.doubleQuote) return this.#passString(text, start);
    if (unit === code.openCurly || unit === code.openSquare) return this.#open(start, unit === code.openCurly);
    if (unit === code.closeSquare && !level.isObject) return this.#close(text, start);
    return this.#passWord(text, start, unit);
  }

  #passKey(text: string, open: number): boolean {
    const probe = this.#probe;
    if (!probe.isKey(open, false)) return false;
    const level = this.#level;
    const end = probe.keyEnd;
    const trait = traitOf(text, open, end);
    if (this.#keyCount - level.firstKey >= mostKeys || this.#isDuplicate(text, open, trait)) return false;
    this.#keys[this.#keyCount] = open;
    this.#traits[this.#keyCount++] = trait;
    level.keyOpen = open;
    level.keyEnd = end;
    this.#at = probe.colon + 1;
    this.#expected = 'value';
    return true;
  }

  #isDuplicate(text: string, open: number, trait: number): boolean {
    const traits = this.#traits;
    for (let index = this.#level.firstKey; index < this.#keyCount; index++) {
      if (traits[index] !== trait) continue;
      if (text.startsWith(text.slice(open, this.#probe.keyEnd + 1), this.#keys[index])) return true;
    }
    return false;
  }

  #passString(text: string, start: number): boolean {
    const quote = this.#probe.stringEnd(start, !this.#level.isObject, false);
    return quote !== -1 && this.#complete(text, quote + 1);
  }

  #passWord(text: string, start: number, unit: number): boolean {
    const probe = this.#probe;
    let at = -1;
    if (isDigit(unit) || unit === code.minus) at = probe.digitsEnd(start);
    else if (unit === letterT || unit === letterF || unit === letterN) at = probe.literalEnd(start, unit);
    const end = at === -1 ? -1 : probe.wordEnd(at, !this.#level.isObject);
    return end !== -1 && this.#complete(text, end);
  }

  /** A child is complete: passes the brackets that close its containers, and the comma behind it. */
  #complete(text: string, end: number): boolean {
    for (let at = end; ;) {
      const level = this.#level;
      level.done++;
      this.#values++;
      this.#cut = at;
      this.#at = at;
      this.#expected = 'next';
      const next = spaceEnd(text, at);
      const unit = unitAt(text, next);
      if (unit === code.comma) {
        this.#at = next + 1;
        this.#expected = level.isObject ? 'key' : 'value';
        return true;
      }
      if (unit !== (level.isObject ? code.closeCurly : code.closeSquare) || !this.#leave(next)) return false;
      at = next + 1;
    }
  }

  #open(start: number, isObject: boolean): boolean {
    if (this.#tree.frames.length + this.#depth >= this.#tree.maxDepth) return false;
    this.#depth++;
    const level = (this.#levels[this.#depth] ??= new Level());
    this.#level = level;
    level.isObject = isObject;
    level.start = start;
    level.done = 0;
    level.firstKey = this.#keyCount;
    this.#at = start + 1;
    this.#cut = this.#at;
    this.#expected = isObject ? 'key' : 'value';
    return true;
  }

  /** An empty container ends here. */
  #close(text: string, at: number): boolean {
    return this.#level.done === 0 && this.#leave(at) && this.#complete(text, at + 1);
  }

  /** Whether the bracket here closes the innermost container. The one the stretch begins in is not closed in it. */
  #leave(at: number): boolean {
    const level = this.#level;
    if (this.#depth === 0) return false;
    const parent = this.#levels[this.#depth - 1] as Level;
    if (!level.isObject && parent.isObject && !this.#probe.endsMemberList(at + 1)) return false;
    this.#keyCount = level.firstKey;
    this.#depth--;
    this.#level = parent;
    return true;
  }

  /** Makes the values, and opens the frames of the containers that are still open. False: a key was there before. */
  #make(frame: Frame, from: number): boolean {
    const content = this.#parse(from);
    if (!this.#tree.absorb(frame, content)) return false;
    let value: unknown = content;
    let open = frame;
    for (let depth = 0; ; depth++) {
      const level = this.#levels[depth] as Level;
      this.#settle(open, level, depth === this.#depth);
      if (depth === this.#depth) break;
      const next = this.#levels[depth + 1] as Level;
      value = level.isObject ? (value as Record<string, unknown>)[open.key] : (value as unknown[]).at(-1);
      this.#cursor.at = next.start;
      open = this.#tree.adoptContainer(next.isObject ? 'object' : 'array', value);
    }
    this.#cursor.at = this.#at;
    this.#tree.last = undefined;
    return true;
  }

  #parse(from: number): unknown {
    let closers = '';
    for (let depth = this.#depth; depth >= 0; depth--) closers += (this.#levels[depth] as Level).isObject ? '}' : ']';
    const opener = (this.#levels[0] as Level).isObject ? '{' : '[';
    return JSON.parse(opener + this.#cursor.text.slice(from, this.#cut) + closers) as unknown;
  }

  /** What the frame of a container remembers of the stretch. */
  #settle(frame: Frame, level: Level, isInnermost: boolean): void {
    const expected = isInnermost ? this.#expected : 'child';
    frame.count += expected === 'child' ? level.done + 1 : level.done;
    frame.valued += level.done;
    // Nothing but a comma stands between a child and the next.
    if (level.done > 0 || expected === 'child') frame.afterComma = expected === 'key' || expected === 'value';
    if (level.isObject) this.#settleKeys(frame, level, expected);
    else frame.index = expected === 'value' ? frame.count : frame.count - 1;
    frame.place = expected === 'key' ? 'itself' : 'child';
  }

  #settleKeys(frame: Frame, level: Level, expected: Expected | 'child'): void {
    const isPending = expected === 'value' || expected === 'child';
    const keys = level.done + (isPending ? 1 : 0);
    if (keys === 0) return;
    frame.quotedKeys += keys;
    frame.colons += keys;
    frame.keyQuote = code.doubleQuote;
    frame.key = this.#cursor.text.slice(level.keyOpen + 1, level.keyEnd);
  }
}

/** Differs for most keys that differ: by the length, the first and the last character. */
function traitOf(text: string, open: number, end: number): number {
  return ((end - open) << 14) ^ (unitAt(text, open + 1) << 7) ^ unitAt(text, end - 1);
}
