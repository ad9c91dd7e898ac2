// Decides what a closing bracket closes, and what a missing one means. A bracket may close the innermost container or
// another one, be superfluous, or come too early.

import { chooseRemedy } from './bracket-remedy.ts';
import { code, isDigit, isOpening } from './character.ts';
import type { Cursor } from './cursor.ts';
import { MORE, type LookaheadVerdict } from './lookahead.ts';
import { isNumeric } from './scalar.ts';
import { afterValue, expectChild, type State, type Transition } from './state.ts';
import { doubledCurly, type ContainerFrame } from './frame.ts';
import type { Tree } from './tree.ts';

const { closeCurly, comma, minus, openRound, openSquare } = code;

/** Grouping the last items of an array reports the entire array again, so it is limited. */
const maxGatheredItems = 1000;

/** How many of the innermost containers are considered for a mismatched bracket. */
const maxMismatchDepth = 16;

export class BracketCloser {
  readonly #cursor: Cursor;
  readonly #tree: Tree;

  constructor(cursor: Cursor, tree: Tree) {
    this.#cursor = cursor;
    this.#tree = tree;
  }

  /** Handles `}` and `]`. */
  close(unit: number): Transition {
    const frame = this.#tree.frame as ContainerFrame;
    const kind = unit === closeCurly ? 'object' : 'array';
    if (frame.node.kind !== kind) return this.#closeMismatch(frame, kind);
    const early = kind === 'object' ? this.#closeEarly(frame) : this.#closeEarlyArray(frame);
    if (early !== 'no') return early;
    const isDoubled = frame.open === doubledCurly && isDoubledAround(this.#tree);
    const next = isDoubled ? this.#cursor.unitAt(1) : undefined;
    if (next === MORE) return 'more';
    if (frame.afterComma && frame.count > 0) this.#tree.mark('fixed-trailing-comma');
    if (next === closeCurly) this.#drop();
    if (isSet(frame)) this.#tree.turnIntoArray(frame);
    return this.#closeFrame();
  }

  /** Handles `)`. */
  closeRound(): Transition {
    const frame = this.#tree.frame as ContainerFrame;
    if (frame.node.kind !== 'array') return this.#drop();
    if (frame.open !== openRound) this.#tree.mark('fixed-brackets');
    return this.#closeFrame();
  }

  /** The closing bracket of the innermost container is missing before the cursor. */
  closeMissing(): State {
    this.#tree.mark('inserted-brackets');
    this.#tree.close();
    return afterValue(this.#tree);
  }

  /** `{` where a key is expected: either `{{`, or the previous object was not closed. */
  openForKey(): Transition {
    const frame = this.#tree.frame as ContainerFrame;
    if (frame.count > 0 || frame.afterComma) return this.closeMissing();
    frame.open = doubledCurly;
    return this.#drop();
  }

  /** The text, the fence or the thinking has ended, so everything open is closed. */
  closeAll(): State {
    const { frames, lastChange } = this.#tree;
    // A string that the text ended in has set this mark already.
    if (frames.length > 0 && lastChange !== 'closed-truncated') this.#tree.mark('closed-truncated');
    for (const { node } of frames) node.isCut = true;
    // A truncated tuple is an array, but parentheses around the entire value only group it.
    while (frames.length > 1) this.#tree.close();
    if (frames.length > 0) this.#endFrame();
    return 'prose';
  }

  #closeFrame(): State {
    this.#cursor.at++;
    this.#endFrame();
    return afterValue(this.#tree);
  }

  #endFrame(): void {
    const frame = this.#tree.frame as ContainerFrame;
    if (frame.open === openRound && isGroup(frame)) this.#tree.closeGroup();
    else this.#tree.close();
  }

  #drop(): Transition {
    this.#tree.mark('dropped-bracket');
    this.#cursor.at++;
    return 'same';
  }

  /**
   * The bracket does not match the innermost container: it is superfluous or mistyped, or others before it are missing.
   */
  #closeMismatch(frame: ContainerFrame, kind: 'object' | 'array'): Transition {
    const { frames } = this.#tree;
    const depth = kind === 'object' ? frame.nearestObject : frame.nearestArray;
    if (depth === -1) return this.#closeStray(frame);
    const remedy = chooseRemedy(frames.slice(-maxMismatchDepth), this.#cursor.ahead(0));
    if (remedy === 'more') return 'more';
    if (remedy.isGuess) this.#tree.mark('guessed-structure');
    if (remedy.kind === 'drop') return this.#drop();
    if (remedy.kind === 'replace') {
      this.#tree.mark('fixed-brackets');
      return this.#closeFrame();
    }
    this.#tree.mark('inserted-brackets');
    while (frames.length > depth + 1) this.#tree.close();
    return this.#closeFrame();
  }

  /** No open container has this bracket: it is mistyped, or superfluous if the top-level container continues. */
  #closeStray(frame: ContainerFrame): Transition {
    const early = this.#closeEarly(frame);
    if (early !== 'no') return early;
    this.#tree.mark('fixed-brackets');
    return this.#closeFrame();
  }

  /** Drops the bracket if the content of the outermost container continues after it. */
  #closeEarly(frame: ContainerFrame): Transition | 'no' {
    const continues = isOutermost(this.#tree) ? this.#containerContinues(frame) : 'no';
    return continues === 'yes' ? this.#drop() : continues;
  }

  /** Reopens an array that is a member if its items continue where a key is expected. */
  #closeEarlyArray(frame: ContainerFrame): Transition | 'no' {
    const isMember = this.#tree.frames.at(-2)?.node.kind === 'object';
    const continues = isMember ? this.#arrayContinues() : 'no';
    return continues === 'yes' ? this.#reopenArray(frame) : continues;
  }

  /** Whether a comma and another child of the container follow. */
  #containerContinues(frame: ContainerFrame): LookaheadVerdict {
    const ahead = this.#cursor.ahead();
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit !== comma) return 'no';
    ahead.at++;
    const start = ahead.at;
    const key = ahead.key();
    if (key === 'more' || key === 'key') return key === 'more' ? 'more' : frame.node.kind === 'object' ? 'yes' : 'no';
    ahead.at = start;
    if (frame.node.kind === 'object') return ahead.pair();
    const value = key === 'none' ? ahead.valueStart() : 'none';
    return value === 'more' ? 'more' : value === 'value' ? 'yes' : 'no';
  }

  /** Whether a comma and an array, an object or a number follow. None of these can be a key. */
  #arrayContinues(): LookaheadVerdict {
    const ahead = this.#cursor.ahead();
    const separator = ahead.skip();
    if (separator !== comma) return separator === MORE ? 'more' : 'no';
    ahead.at++;
    const unit = ahead.skip();
    if (unit === MORE || (unit === openSquare && ahead.unitAt(1) === MORE)) return 'more';
    return isOpening(unit) || isDigit(unit) || unit === minus ? 'yes' : 'no';
  }

  /**
   * `["a"], ["b"]` where a key is expected: the second array continues the first, unless that is an array of arrays.
   */
  #reopenArray(frame: ContainerFrame): Transition {
    const ahead = this.#cursor.ahead();
    ahead.skip();
    ahead.at++;
    const items = frame.node.value as unknown[];
    const isSecond = ahead.skip() === openSquare && !Array.isArray(items.at(-1));
    if (!isSecond) return this.#drop();
    const isOfLists = Array.isArray(items[0]) && ahead.unitAt(1) !== openSquare;
    if (isOfLists && items.length <= maxGatheredItems) return this.#gatherItems(frame, items);
    this.#drop();
    this.#cursor.at = ahead.at + 1;
    return expectChild(this.#tree, frame);
  }

  /** `[["a"], "b", "c"], ["d"]`: the bracket that opens the array of the last items is missing. */
  #gatherItems(frame: ContainerFrame, items: readonly unknown[]): State {
    this.#cursor.at++;
    this.#tree.gather(frame, items.findLastIndex((item) => Array.isArray(item)) + 1);
    return afterValue(this.#tree);
  }
}

/**
 * An array where the schema wants none, while the enclosing array wants one: a closing bracket is missing in between.
 */
export function isNextArray({ frame, frames }: Tree): boolean {
  if (frame?.expect === undefined || frame.count === 0 || frame.expect.item()?.wantsArray !== false) return false;
  const outer = frames.at(-2);
  return outer?.node.kind === 'array' && outer.expect?.item()?.wantsArray === true;
}

/** Whether nothing encloses the container, except parentheses. */
function isOutermost({ frames }: Tree): boolean {
  return frames.length === 1 || (frames.length === 2 && frames[0]?.open === openRound);
}

/** Whether the enclosing object, if there is one, also has doubled braces: `{{…}}`. */
function isDoubledAround({ frames }: Tree): boolean {
  const around = frames.at(-2)?.nearestObject ?? -1;
  return around === -1 || frames[around]?.open === doubledCurly;
}

/** Quoted names or numbers without values are the items of a set, unless the schema wants an object. */
function isSet({ valued, colons, quotedKeys, expect, node }: ContainerFrame): boolean {
  if (node.kind !== 'object' || valued > 0 || colons > 0) return false;
  if (quotedKeys === 0) return node.keys.length > 0 && node.keys.every(isNumeric);
  return expect?.wantsObject !== true || expect.wantsArray;
}

/** In Python a comma makes a tuple, and without one parentheses only group. If the schema wants an array, it is one. */
function isGroup({ node, count, afterComma, leadingComma, expect }: ContainerFrame): boolean {
  if (count !== 1 || afterComma || leadingComma) return false;
  return Array.isArray((node.value as unknown[])[0]) || expect?.wantsArray !== true;
}
