// How the value so far changes from one look to the next.

import type { PathKey } from '../report/flag.ts';
import type { Node } from '../parse/node.ts';
import { toKeys, type Path } from '../report/path.ts';
import { absent, type NodeState, type Shown } from './visibility.ts';

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

export interface Change {
  readonly before: Shown;
  readonly now: Shown;
  /** What it is shown of. */
  readonly node: Node | undefined;
}

/** What to tell of a change, if it is one. */
export function patchOf(place: Path | undefined, { before, now, node }: Change, state: NodeState): Patch | undefined {
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
function hasGrown(before: Shown, now: Shown, added: string): boolean {
  return typeof before === 'string' && typeof now === 'string' && before.length + added.length === now.length;
}
