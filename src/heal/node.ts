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
  /** For whoever listens to the machine. */
  slot: unknown;
}

/** Assigns as data, whatever the key: `__proto__` is a name like any other. */
export function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}
