// The tree a text was read as: what was written where, before anyone asked what it was meant to be.

import type { ValuePath } from '../report/value-path.ts';

export type NodeKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'missing';

export interface Node {
  /** Changes only where brackets turn out to mean something else. */
  kind: NodeKind;
  readonly path: ValuePath | undefined;
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
  /** For containers that keep them; an object's `keys` run along. A later child of the same key replaces the earlier. */
  readonly children: Node[];
  readonly keys: string[];
  /** The keys as they are compared with similar names, as far as that was needed. */
  similar: string[] | undefined;
  /** For a text that grows: what was added since its viewer last looked; nothing when it did not only grow. */
  added: string | undefined;
  /** For whoever listens to the machine. */
  listenerData: unknown;
}

/** What is known of a node when it begins. */
export interface NodeContent {
  readonly value: unknown;
  /** The characters as written, for a word without quotes. */
  readonly raw?: string;
}

/** Most nodes have none: scalars, and containers of which the value is enough. */
const nothing: readonly never[] = Object.freeze([]);

export function createNode(
  kind: NodeKind,
  start: number,
  { value, raw }: NodeContent,
  { path, keepsChildren = false }: { readonly path?: ValuePath | undefined; readonly keepsChildren?: boolean } = {},
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
    raw: raw ?? '',
    children: isParent ? [] : (nothing as never[]),
    // Names without values may be those of a set.
    keys: isParent || kind === 'object' ? [] : (nothing as never[]),
    similar: undefined,
    added: '',
    listenerData: undefined,
  };
}

/** Assigns as data, whatever the key: `__proto__` is a name like any other. */
export function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}
