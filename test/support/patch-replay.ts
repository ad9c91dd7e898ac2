// Applies the patches of a stream to a copy, as the receiver of a stream does.

import type { Patch } from '../../src/heal/index.ts';

export function replay(copy: unknown, patches: readonly Patch[]): unknown {
  let root = copy;
  for (const patch of patches) root = apply(root, patch);
  return root;
}

function apply(root: unknown, { path, op, value }: Patch): unknown {
  const last = path.at(-1);
  if (last === undefined) return op === 'append' ? String(root) + String(value) : structuredClone(value);
  let parent = root as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string | number, unknown>;
  if (op === 'append') put(parent, last, String(parent[last]) + String(value));
  else if (op === 'set') put(parent, last, structuredClone(value));
  else if (Array.isArray(parent)) parent.splice(last as number, 1);
  else delete parent[last];
  return root;
}

/** Assigns an own property, even for the key `__proto__`. */
function put(parent: Record<string | number, unknown>, key: string | number, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}
