// An open container, with what the machine has to remember until it closes.

import { code } from './character.ts';
import type { Node } from './node.ts';
import type { LinkedPath } from '../report/linked-path.ts';

const { closeCurly, closeSquare, openCurly, openRound } = code;

/** What a schema says about a value. */
export interface Expectation {
  /** Whether the object has this field; `undefined` if any name is allowed. */
  knows(key: string): boolean | undefined;
  member(key: string): Expectation | undefined;
  item(): Expectation | undefined;
  /** Only a string can match. */
  readonly wantsString: boolean;
  readonly wantsArray: boolean;
  readonly wantsObject: boolean;
}

/** Value of `open` for an object that began with two braces. */
export const doubledCurly = 2 * openCurly;

export interface ContainerFrame {
  readonly node: Node;
  readonly expect: Expectation | undefined;
  /** The bracket that opened it; 0 if there was none. */
  open: number;
  /** Stack index of the nearest object and array, including this one but not parentheses; -1 if there is none. */
  readonly nearestObject: number;
  readonly nearestArray: number;
  /** What is being read: the container itself, as before a key, or the child named by `key` or `index`. */
  reading: 'itself' | 'child';
  key: string;
  index: number;
  /** Number of children. */
  count: number;
  /** Whether a comma precedes the next child. */
  afterComma: boolean;
  /** Whether a comma precedes the first child. */
  leadingComma: boolean;
  quotedKeys: number;
  /** The opening quote of the last key; negative if it was doubled. */
  keyQuote: number;
  /** Number of members with a value, and with a colon. */
  valued: number;
  colons: number;
}

export function createFrame(
  node: Node,
  expect: Expectation | undefined,
  {
    open,
    depth,
    parent,
  }: { readonly open: number; readonly depth: number; readonly parent: ContainerFrame | undefined },
): ContainerFrame {
  const { kind } = node;
  return {
    node,
    expect,
    open,
    nearestObject: kind === 'object' ? depth : (parent?.nearestObject ?? -1),
    nearestArray: kind === 'array' && open !== openRound ? depth : (parent?.nearestArray ?? -1),
    reading: 'itself',
    key: '',
    index: 0,
    count: 0,
    afterComma: false,
    leadingComma: false,
    quotedKeys: 0,
    keyQuote: 0,
    valued: 0,
    colons: 0,
  };
}

/** Whether a matching bracket closes exactly this container. */
export function closesAlone(frame: ContainerFrame, parent: ContainerFrame | undefined): boolean {
  if (frame.open === openRound || parent?.open === openRound || frame.open === doubledCurly) return false;
  if (frame.node.kind !== 'object') return true;
  // Names without a colon may be a set.
  return frame.quotedKeys <= frame.colons && (frame.colons > 0 || frame.count === 0);
}

/** Whether the bracket closes the container at this distance from the innermost. */
export function closesFrame(frames: readonly ContainerFrame[], unit: number, distance: number): boolean {
  const kind = frames.at(-1 - distance)?.node.kind;
  return (unit === closeCurly && kind === 'object') || (unit === closeSquare && kind === 'array');
}

/** The expectation for the child being read. */
export function expectationOf(frame: ContainerFrame): Expectation | undefined {
  return frame.node.kind === 'object' ? frame.expect?.member(frame.key) : frame.expect?.item();
}

/** The path of what is being read. */
export function pathIn(frame: ContainerFrame | undefined): LinkedPath | undefined {
  if (frame === undefined || frame.reading === 'itself') return frame?.node.path;
  return { parent: frame.node.path, key: frame.node.kind === 'array' ? frame.index : frame.key };
}
