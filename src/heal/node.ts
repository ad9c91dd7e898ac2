// The tree a text was read as: what was written where, before anyone asked what it was meant to be.

import type { Path } from './path.ts';

export type NodeKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'missing';

export interface Node {
  /** Changes only where brackets turn out to mean something else. */
  kind: NodeKind;
  readonly path: Path | undefined;
  /** Where in the text, end excluded. */
  readonly start: number;
  end: number;
  /** Nothing that follows can change it any more. */
  complete: boolean;
  /** What it is without a schema. Containers are filled as their children come. */
  value: unknown;
  /** A word without quotes. */
  readonly bare: boolean;
  /** For bare scalars: the characters as written. */
  readonly raw: string;
  /** For objects and arrays; an object's `keys` run along. A later child of the same key replaces the earlier. */
  readonly children: Node[];
  readonly keys: string[];
  /** For a text that grows: what was added since its viewer last looked; nothing when it did not only grow. */
  added: string | undefined;
  /** For whoever listens to the machine. */
  slot: unknown;
}

/** What is known of a node when it begins. */
export interface NodeContent {
  readonly value: unknown;
  /** The characters as written, for a word without quotes. */
  readonly raw?: string;
}

/** A scalar has none, and most nodes are scalars. */
const nothing: readonly never[] = Object.freeze([]);

export function createNode(kind: NodeKind, start: number, { value, raw }: NodeContent, path?: Path): Node {
  const isContainer = kind === 'object' || kind === 'array';
  return {
    kind,
    path,
    start,
    end: start,
    complete: false,
    value,
    bare: raw !== undefined,
    raw: raw ?? '',
    children: isContainer ? [] : (nothing as never[]),
    keys: isContainer ? [] : (nothing as never[]),
    added: '',
    slot: undefined,
  };
}

/** Assigns as data, whatever the key: `__proto__` is a name like any other. */
export function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}
