// A node of the tree that a text was parsed to, before any schema is applied.

import type { LinkedPath } from '../report/linked-path.ts';

export type NodeKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'missing';

export interface Node {
  /** Changes only if brackets turn out to mean something else. */
  kind: NodeKind;
  readonly path: LinkedPath | undefined;
  /** Range in the text; `end` is exclusive. */
  readonly start: number;
  end: number;
  /** Nothing that follows can change it. */
  complete: boolean;
  /** The value without a schema. Containers are filled as their children arrive. */
  value: unknown;
  /** An unquoted word. */
  readonly bare: boolean;
  /** A container that was written as a string without escaping its quotes. */
  readonly isQuoted: boolean;
  /** An array in round brackets. If they only group, it becomes its single item when it is complete. */
  isRound: boolean;
  /** A container that was still open at the end of the text. */
  isCut: boolean;
  /** A container with text in it that could not be read. */
  hasLostText: boolean;
  /** The text of an unquoted scalar. */
  readonly raw: string;
  /**
   * Children and, for objects, their keys. Empty if only values are kept. A later child with the same key replaces the
   * earlier one.
   */
  readonly children: Node[];
  readonly keys: string[];
  /** Normalised keys, computed on demand. */
  similar: string[] | undefined;
  /** For a growing string: the text added since the last update; `undefined` if it did not only grow. */
  added: string | undefined;
  /** Data of the node listener. */
  listenerData: unknown;
}

/** What is known about a node when it begins. */
export interface NodeContent {
  readonly value: unknown;
  /** The text of an unquoted word. */
  readonly raw?: string;
}

/** Where and how a node was found. */
interface NodeContext {
  readonly path?: LinkedPath | undefined;
  readonly keepsChildren?: boolean;
  readonly isQuoted?: boolean;
}

/** Shared by all nodes without children. */
const nothing: readonly never[] = Object.freeze([]);

export function createNode(
  kind: NodeKind,
  start: number,
  { value, raw }: NodeContent,
  { path, keepsChildren = false, isQuoted = false }: NodeContext = {},
): Node {
  const isParent = keepsChildren && (kind === 'object' || kind === 'array');
  return {
    kind,
    path,
    start,
    end: start,
    complete: false,
    value,
    bare: raw !== undefined,
    isQuoted,
    isRound: false,
    isCut: false,
    hasLostText: false,
    raw: raw ?? '',
    children: isParent ? [] : (nothing as never[]),
    // Names without values may be the items of a set.
    keys: isParent || kind === 'object' ? [] : (nothing as never[]),
    similar: undefined,
    added: '',
    listenerData: undefined,
  };
}

/** Assigns an own property, even for the key `__proto__`. */
export function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}
