// Makes the values of a stretch that has been passed, all at once with JSON.parse, and puts them into the tree.
// Invariant: what it leaves behind, values and frames, is what the plain reader would have left.

import { code } from './character.ts';
import type { Cursor } from './cursor.ts';
import type { Frame } from './frame.ts';
import { nameEnd } from './plain-bytes.ts';
import type { Expected } from './plain-reader.ts';
import type { Tree } from './tree.ts';

const { doubleQuote } = code;

/** A container in the stretch: the outermost that is not left, or one that was opened in it. */
export class Level {
  isObject = false;
  start = 0;
  /** How many of its children began in the stretch and are complete. */
  done = 0;
  /** Where its keys begin among the keys of all. */
  firstKey = 0;
}

/** What was passed. Of the lists only so many count as are told. */
export interface Passed {
  readonly from: number;
  readonly at: number;
  /** Behind the last value, or the last bracket that opened one. */
  readonly cut: number;
  /** What is expected behind it. */
  readonly expected: Expected;
  /** From the outermost container that is not left in, down to this depth. */
  readonly levels: readonly Level[];
  readonly depth: number;
  /** Where the keys of the open objects open. */
  readonly keys: readonly number[];
  readonly keyCount: number;
  /** Where the brackets stand that close what was open before the stretch, the innermost first. */
  readonly left: readonly number[];
  readonly leftCount: number;
}

export class StretchMaker {
  readonly #cursor: Cursor;
  readonly #tree: Tree;

  constructor(cursor: Cursor, tree: Tree) {
    this.#cursor = cursor;
    this.#tree = tree;
  }

  /** Closes the frames that were left, and opens those of the containers still open. False: a key was there before. */
  make(passed: Passed): boolean {
    const tree = this.#tree;
    const { left, leftCount } = passed;
    const contents = this.#parse(passed);
    for (let index = 0; index <= leftCount; index++) {
      if (!tree.canAbsorb(this.#frameAt(index), contents[index] as object)) return false;
    }
    for (let index = 0; index <= leftCount; index++) {
      tree.absorb(contents[index] as object, index > 0);
      if (index === leftCount) break;
      this.#cursor.at = (left[index] as number) + 1;
      tree.close();
    }
    this.#openFrames(passed, contents[leftCount] as object);
    return true;
  }

  /** The frame so many outwards from the innermost. */
  #frameAt(outwards: number): Frame {
    const { frames } = this.#tree;
    return frames[frames.length - 1 - outwards] as Frame;
  }

  /** What the stretch adds to each container that was open before it, the innermost first. */
  #parse({ from, cut, levels, depth, leftCount }: Passed): object[] {
    let closers = '';
    for (let level = depth; level >= 0; level--) closers += (levels[level] as Level).isObject ? '}' : ']';
    let openers = '';
    for (let index = 0; index <= leftCount; index++) {
      const isObject = this.#frameAt(index).node.kind === 'object';
      // What was left began before: it stands first, in an object without a name, as no plain key can.
      openers = (isObject ? '{' : '[') + (isObject && index > 0 ? '"":' : '') + openers;
    }
    let content = JSON.parse(openers + this.#cursor.text.slice(from, cut) + closers) as object;
    const contents = Array<object>(leftCount + 1);
    for (let index = leftCount; ; index--) {
      contents[index] = content;
      if (index === 0) return contents;
      content = (Array.isArray(content) ? content[0] : (content as Record<string, unknown>)['']) as object;
    }
  }

  #openFrames(passed: Passed, content: object): void {
    const tree = this.#tree;
    let value: unknown = content;
    let open = tree.frame as Frame;
    for (let depth = 0; ; depth++) {
      this.#settle(open, passed, depth);
      if (depth === passed.depth) break;
      const next = passed.levels[depth + 1] as Level;
      value = open.node.kind === 'object' ? (value as Record<string, unknown>)[open.key] : (value as unknown[]).at(-1);
      this.#cursor.at = next.start;
      open = tree.adoptContainer(next.isObject ? 'object' : 'array', value);
    }
    this.#cursor.at = passed.at;
    tree.last = undefined;
  }

  /** What the frame of a container remembers of the stretch. */
  #settle(frame: Frame, passed: Passed, depth: number): void {
    const { done, isObject } = passed.levels[depth] as Level;
    const expected = depth === passed.depth ? passed.expected : 'child';
    frame.count += expected === 'child' ? done + 1 : done;
    frame.valued += done;
    // Nothing but a comma stands between a child and the next.
    const hasChild = done > 0 || expected === 'child' || (depth === 0 && passed.leftCount > 0);
    if (hasChild) frame.afterComma = expected === 'key' || expected === 'value';
    const keys = expected === 'value' || expected === 'child' ? done + 1 : done;
    if (isObject && keys > 0) {
      frame.quotedKeys += keys;
      frame.colons += keys;
      frame.keyQuote = doubleQuote;
      frame.key = this.#lastKey(passed, depth);
    }
    if (!isObject) frame.index = expected === 'value' ? frame.count : frame.count - 1;
    frame.place = expected === 'key' ? 'itself' : 'child';
  }

  #lastKey({ levels, depth: innermost, keys, keyCount }: Passed, depth: number): string {
    const count = depth === innermost ? keyCount : (levels[depth + 1] as Level).firstKey;
    const start = (keys[count - 1] as number) + 1;
    return this.#cursor.text.slice(start, nameEnd(start));
  }
}
