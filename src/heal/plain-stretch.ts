// Reads a stretch of plain text, down into containers and out of them, without making anything of it, and then has the
// values of all of it made at once: several times as fast as making them one by one.
// Invariants:
//   1. A stretch is JSON without duplicate keys, but for the beginnings of the containers it began in and has left, and
//      every token in it is one that the plain reader would take too.
//   2. A stretch that was not worth its price is read again by the plain reader, once.

import { code, isDigit, isOpening } from './character.ts';
import type { Cursor } from './cursor.ts';
import { closesAlone, type Frame } from './frame.ts';
import { byteAt, literalEnd, nameEnd, numberEnd, plainEnd, spaceEnd } from './plain-bytes.ts';
import { reach, startsItem, type PlainProbe } from './plain-probe.ts';
import type { Expected } from './plain-reader.ts';
import { Level, StretchMaker } from './stretch-maker.ts';
import type { Tree } from './tree.ts';

const { closeCurly, closeSquare, colon, comma, doubleQuote, minus, openCurly, openRound } = code;

/** Fewer values are made quicker one by one. */
const fewestValues = 3;

/** After each look in vain the next is so much further away: where every value is damaged, none is worth its price. */
const rest = 32;

/** Each key is compared with those before it, so a stretch ends before an object gets more. */
const mostKeys = 32;

// What a stretch needs while it is read, and nobody afterwards: kept and used again by all, one after the other.

const outermost = new Level();
const levels: Level[] = [outermost];
const keys: number[] = [];
/** What tells most keys apart. */
const traits: number[] = [];
const left: number[] = [];

export class PlainStretch {
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #probe: PlainProbe;
  readonly #maker: StretchMaker;
  #depth = 0;
  #level = outermost;
  #keyCount = 0;
  #leftCount = 0;
  /** Where the string of the last member opens, if it is not certain that it ended; and what was before that member. */
  #heldOpen = -1;
  #memberAt = 0;
  #cutBefore = 0;
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
    this.#maker = new StretchMaker(cursor, tree);
  }

  /** What is expected behind the stretch; nothing when there is none here that is worth it. */
  read(expected: Expected, frame: Frame): Expected | undefined {
    const isObject = frame.node.kind === 'object';
    if (expected !== (isObject ? 'key' : 'value') || frame.open === openRound) return undefined;
    if (this.#probe.width === 2) return undefined;
    const cursor = this.#cursor;
    // What stands in quotes of its own has to be seen to end.
    if (cursor.position < this.#passed || cursor.position === this.#tree.quotedAt) return undefined;
    const from = cursor.at;
    this.#begin(isObject, from);
    while (this.#passChild(cursor.text));
    if (this.#values >= fewestValues && this.#make(from)) {
      this.#vain = 0;
      return this.#expected;
    }
    this.#vain++;
    this.#passed = cursor.position + this.#at - from + rest * this.#vain;
    return undefined;
  }

  #make(from: number): boolean {
    return this.#maker.make({
      from,
      at: this.#at,
      cut: this.#cut,
      expected: this.#expected,
      levels,
      depth: this.#depth,
      keys,
      keyCount: this.#keyCount,
      left,
      leftCount: this.#leftCount,
    });
  }

  #begin(isObject: boolean, from: number): void {
    this.#depth = 0;
    this.#level = outermost;
    this.#enter(isObject, 0);
    this.#leftCount = 0;
    this.#heldOpen = -1;
    this.#expected = isObject ? 'key' : 'value';
    this.#at = from;
    this.#cut = from;
    this.#values = 0;
  }

  /** Goes on in a container that was open before the stretch. */
  #enter(isObject: boolean, done: number): void {
    const level = this.#level;
    level.isObject = isObject;
    level.done = done;
    level.firstKey = 0;
    this.#keyCount = 0;
  }

  /** Passes a child, with its key and the comma behind it, or the bracket that opens it. False: there is a doubt in it. */
  #passChild(text: string): boolean {
    const { isObject } = this.#level;
    let start = spaceEnd(this.#at);
    let unit = byteAt(start);
    if (isObject) {
      if (unit === closeCurly) return this.#close(start);
      if (unit !== doubleQuote || !this.#passKey(text, start)) return this.#takeBack();
      start = spaceEnd(this.#at);
      unit = byteAt(start);
    }
    if (unit === doubleQuote) return this.#passString(start);
    if (isOpening(unit)) return this.#open(start, unit === openCurly);
    if (unit === closeSquare && !isObject) return this.#close(start);
    const end = isDigit(unit) || unit === minus ? numberEnd(start) : literalEnd(start);
    return end !== -1 && this.#passWord(end);
  }

  #passKey(text: string, open: number): boolean {
    const end = nameEnd(open + 1);
    if (end === open + 1 || byteAt(end) !== doubleQuote) return false;
    const sign = spaceEnd(end + 1);
    if (byteAt(sign) !== colon || this.#probe.hasTag(open, end)) return false;
    // The quote that ends the string before it stands right before the cut.
    if (this.#heldOpen !== -1 && sign - this.#cut + 1 >= reach) return false;
    const count = this.#keyCount;
    const trait = traitOf(open, end);
    if (count - this.#level.firstKey >= mostKeys || this.#isDuplicate(text, trait, open, end)) return false;
    keys[count] = open;
    traits[count] = trait;
    this.#keyCount = count + 1;
    this.#memberAt = this.#at;
    this.#at = sign + 1;
    this.#expected = 'value';
    this.#heldOpen = -1;
    return true;
  }

  #isDuplicate(text: string, trait: number, open: number, end: number): boolean {
    for (let index = this.#level.firstKey; index < this.#keyCount; index++) {
      if (traits[index] !== trait) continue;
      if (text.startsWith(text.slice(open, end + 1), keys[index])) return true;
    }
    return false;
  }

  #passString(open: number): boolean {
    const { isObject } = this.#level;
    const quote = plainEnd(open + 1);
    // Mostly there is nothing in it, and a comma and the next child behind it.
    if (byteAt(quote) === doubleQuote && byteAt(quote + 1) === comma) {
      const next = spaceEnd(quote + 2);
      const unit = byteAt(next);
      const isNext = isObject ? unit === doubleQuote : next - quote < reach && startsItem(unit);
      if (isNext && !this.#probe.hasTag(open, quote)) {
        if (isObject) this.#hold(open);
        return this.#pass(quote + 1, next);
      }
    }
    if (byteAt(quote) === doubleQuote && byteAt(quote + 1) !== doubleQuote && !this.#probe.hasTag(open, quote))
      return this.#probe.endsPlain(quote, !isObject) && this.#complete(quote + 1);
    const end = this.#probe.stringEnd(open, !isObject, false);
    return end !== -1 && this.#complete(end + 1);
  }

  /** The string of a member is complete only if what follows is a key. */
  #hold(open: number): void {
    this.#heldOpen = open;
    this.#cutBefore = this.#cut;
  }

  /** A child is complete, and a comma stands behind it. `next`: behind that. */
  #pass(end: number, next: number): true {
    const level = this.#level;
    level.done++;
    this.#values++;
    this.#cut = end;
    this.#at = next;
    this.#expected = level.isObject ? 'key' : 'value';
    return true;
  }

  /** What follows the string of the last member is none that the stretch takes: it may have no end where it seemed to. */
  #takeBack(): false {
    const open = this.#heldOpen;
    this.#heldOpen = -1;
    if (open === -1 || this.#probe.stringEnd(open, false, false) !== -1) return false;
    this.#level.done--;
    this.#values--;
    this.#keyCount--;
    this.#cut = this.#cutBefore;
    this.#at = this.#memberAt;
    return false;
  }

  #passWord(at: number): boolean {
    const { isObject } = this.#level;
    const unit = byteAt(at);
    if (unit === comma) {
      // Mostly a comma and the next child stand behind it. A digit behind the comma may belong to the number.
      const next = byteAt(at + 1);
      if (next !== 0 && !(isObject && isDigit(next))) return this.#pass(at, at + 1);
    }
    const isEnd = unit === (isObject ? closeCurly : closeSquare);
    const end = isEnd ? at : this.#probe.wordEnd(at, !isObject);
    return end !== -1 && this.#complete(end);
  }

  /** A child is complete: passes the brackets that close its containers, and the comma behind it. */
  #complete(end: number): boolean {
    for (let at = end; ;) {
      const level = this.#level;
      level.done++;
      this.#values++;
      this.#cut = at;
      this.#at = at;
      this.#expected = 'next';
      const next = spaceEnd(at);
      const unit = byteAt(next);
      if (unit === comma) {
        this.#at = next + 1;
        this.#expected = level.isObject ? 'key' : 'value';
        return true;
      }
      if (unit !== (level.isObject ? closeCurly : closeSquare) || !this.#leave(next)) return false;
      at = next + 1;
    }
  }

  #open(start: number, isObject: boolean): boolean {
    if (this.#tree.frames.length + this.#depth >= this.#tree.maxDepth) return false;
    this.#depth++;
    const level = (levels[this.#depth] ??= new Level());
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
  #close(at: number): boolean {
    return this.#level.done === 0 && this.#depth > 0 && this.#leave(at) && this.#complete(at + 1);
  }

  /** Whether the bracket here closes the innermost container. */
  #leave(at: number): boolean {
    const level = this.#level;
    if (this.#depth === 0) return this.#leaveFrame(at);
    const parent = levels[this.#depth - 1] as Level;
    if (!level.isObject && parent.isObject && !this.#probe.endsMemberList(at + 1)) return false;
    this.#keyCount = level.firstKey;
    this.#depth--;
    this.#level = parent;
    return true;
  }

  /** Whether it closes the innermost container that was open before the stretch. */
  #leaveFrame(at: number): boolean {
    const { frames, quotedAt } = this.#tree;
    if (this.#leftCount >= frames.length - 1) return false;
    const index = frames.length - 1 - this.#leftCount;
    const [frame, parent] = [frames[index] as Frame, frames[index - 1] as Frame];
    if (frame.node.start === quotedAt) return false;
    if (!closesAlone(frame, parent, this.#level.done) || !this.#probe.endsContainer(frame, parent, at + 1))
      return false;
    left[this.#leftCount++] = at;
    // The one that ends here began before the stretch, and will be counted as soon as it ends.
    this.#enter(parent.node.kind === 'object', -1);
    return true;
  }
}

/** Differs for most keys that differ: by the length, the first and the last character. */
function traitOf(open: number, end: number): number {
  return ((end - open) << 14) ^ (byteAt(open + 1) << 7) ^ byteAt(end - 1);
}
