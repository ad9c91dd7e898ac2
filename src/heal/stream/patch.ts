// How the value so far changes from one look to the next.

import type { PathKey } from '../report/flag.ts';
import type { Node } from '../parse/node.ts';
import { toKeys, type ValuePath } from '../report/value-path.ts';
import { absent, type NodeState, type VisibleValue } from './visibility.ts';

/**
 * One change of the value so far. `set` puts a value at the path, `append` adds to the text there, `remove` takes
 * back what is there. Applied in order to a copy of the value before, they give the value now.
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
  /** What it is shown of. */
  readonly node: Node | undefined;
}

/** What to tell of a change, if it is one. */
export function patchOf(
  place: ValuePath | undefined,
  { before, now, node }: ValueChange,
  state: NodeState,
): Patch | undefined {
  if (before === now) return undefined;
  const path = toKeys(place);
  const added = node?.added;
  if (now === absent) return { path, op: 'remove', state };
  if (added !== undefined && added !== '' && hasGrown(before, now, added)) {
    return { path, op: 'append', value: added, state };
  }
  return { path, op: 'set', value: now, state };
}

/** By their lengths: looking into a text that grows would copy it each time. */
function hasGrown(before: VisibleValue, now: VisibleValue, added: string): boolean {
  return typeof before === 'string' && typeof now === 'string' && before.length + added.length === now.length;
}
