// What a partial value took back from one state to the next, and the likely cause.

import type { Patch, PathKey } from '../../src/heal/index.ts';
import { contradictionOf } from '../../src/heal/stream/growth.ts';

export interface Withdrawal {
  readonly path: readonly PathKey[];
  readonly cause: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** `undefined` if the value has only grown. `patches` led from one state to the next. */
export function withdrawalOf(before: unknown, after: unknown, patches: readonly Patch[]): Withdrawal | undefined {
  const path = contradictionOf(before, after);
  if (path === undefined) return undefined;
  const [was, is] = [partAt(before, path), partAt(after, path)];
  const isNew = patches.some((patch) => patch.path.length === 0 && patch.op === 'set' && patch.state === 'incomplete');
  const cause = isNew ? 'another value began' : causeOf(path, was, is);
  return { path, before: was, after: is, cause };
}

function causeOf(path: readonly PathKey[], was: unknown, is: unknown): string {
  if (path.length === 0) return is === undefined ? 'the whole value was withdrawn' : 'the whole value was replaced';
  if (is === undefined) return typeof path.at(-1) === 'number' ? 'an item was dropped' : 'a member was dropped';
  if (typeof was !== 'string' || typeof is !== 'string') return 'a part was replaced';
  return was.startsWith(is) ? 'a string was cut back' : 'a string was replaced';
}

function partAt(value: unknown, path: readonly PathKey[]): unknown {
  return path.reduce((part, key) => (part as Record<PathKey, unknown> | undefined)?.[key], value);
}
