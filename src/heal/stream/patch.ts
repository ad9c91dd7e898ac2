// Describes how the partial value changes from one update to the next.

import type { PathKey } from '../report/flag.ts';
import type { Node } from '../parse/node.ts';
import { toKeys, type LinkedPath } from '../report/linked-path.ts';
import { absent, type NodeState, type VisibleValue } from './visibility.ts';

/**
 * One change of the partial value. `set` puts a value at the path, `append` adds text to the string there, `remove`
 * deletes the value there. Applied in order to the previous value, patches give the current value.
 */
export interface Patch {
  readonly path: readonly PathKey[];
  readonly op: 'set' | 'append' | 'remove';
  readonly value?: unknown;
  readonly state: NodeState;
}

export interface ValueChange {
  readonly before: VisibleValue;
  readonly now: VisibleValue;
  /** The node whose value this is. */
  readonly node: Node | undefined;
}

/** Returns the patch for a change; `undefined` if nothing changed. */
export function patchOf(
  location: LinkedPath | undefined,
  { before, now, node }: ValueChange,
  state: NodeState,
): Patch | undefined {
  if (before === now) return undefined;
  const path = toKeys(location);
  const added = node?.added;
  if (now === absent) return { path, op: 'remove', state };
  if (added !== undefined && added !== '' && hasGrown(before, now, added)) {
    return { path, op: 'append', value: added, state };
  }
  return { path, op: 'set', value: now, state };
}

/** Compares lengths only, because reading a growing string would copy it each time. */
function hasGrown(before: VisibleValue, now: VisibleValue, added: string): boolean {
  return typeof before === 'string' && typeof now === 'string' && before.length + added.length === now.length;
}
