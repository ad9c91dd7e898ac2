// A container that is open: what the machine has to remember of it until it closes.

import { code } from './character.ts';
import type { Node } from './node.ts';
import type { ValuePath } from '../report/value-path.ts';

const { openCurly, openRound } = code;

/** What a schema can tell about a place. */
export interface Expectation {
  /** Whether the object here has this field; nothing when any name will do. */
  knows(key: string): boolean | undefined;
  member(key: string): Expectation | undefined;
  item(): Expectation | undefined;
  /** A text is wanted, and nothing else. */
  readonly wantsText: boolean;
  readonly wantsArray: boolean;
  readonly wantsObject: boolean;
}

/** How an object is open that began with two braces. */
export const doubledCurly = 2 * openCurly;

/** A container that is open. */
export interface ContainerFrame {
  readonly node: Node;
  readonly expect: Expectation | undefined;
  /** The bracket that opened it; 0 when there was none. */
  open: number;
  /** The nearest object and array in the stack, itself included, round brackets left out; -1 for none. */
  readonly nearestObject: number;
  readonly nearestArray: number;
  /** Where what is read now belongs: nowhere in it, as before a key, or to the member or item named here. */
  place: 'itself' | 'child';
  key: string;
  index: number;
  /** How many children it has. */
  count: number;
  /** Whether a comma stands before what comes now. */
  afterComma: boolean;
  /** Whether one stood before its first child. */
  leadingComma: boolean;
  quotedKeys: number;
  /** The quote its last key began with; below 0 if it stood there twice. */
  keyQuote: number;
  /** How many of its members have a value, and how many a colon. */
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
    place: 'itself',
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

/** Whether a bracket that fits closes just this container. */
export function closesAlone(frame: ContainerFrame, parent: ContainerFrame | undefined): boolean {
  if (frame.open === openRound || parent?.open === openRound || frame.open === doubledCurly) return false;
  if (frame.node.kind !== 'object') return true;
  // Names without a colon may be a set.
  return frame.quotedKeys <= frame.colons && (frame.colons > 0 || frame.count === 0);
}

/** What is expected of the child that is read now. */
export function expectationOf(frame: ContainerFrame): Expectation | undefined {
  return frame.node.kind === 'object' ? frame.expect?.member(frame.key) : frame.expect?.item();
}

/** The path of what is read now. */
export function pathIn(frame: ContainerFrame | undefined): ValuePath | undefined {
  if (frame === undefined || frame.place === 'itself') return frame?.node.path;
  return { parent: frame.node.path, key: frame.node.kind === 'array' ? frame.index : frame.key };
}
