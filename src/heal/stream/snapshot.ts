// Copies a value that is still growing. Open containers are copied and completed ones shared, so the cost depends only
// on the size of the open containers.

import { setMember } from '../parse/node.ts';

/** `open` are the containers that may still change. At most one child of each is open. */
export function copyOpen(value: unknown, open: ReadonlySet<unknown>): unknown {
  const holder: Record<string, unknown> = { value };
  let [parent, key]: [object, string | undefined] = [holder, isOpen(value, open) ? 'value' : undefined];
  while (key !== undefined) {
    const copy = copyOf((parent as Record<string, unknown>)[key] as object);
    setMember(parent as Record<string, unknown>, key, copy);
    parent = copy;
    key = openKey(copy, open);
  }
  return holder['value'];
}

function copyOf(container: object): object {
  return Array.isArray(container) ? (container as unknown[]).slice() : { ...container };
}

/** Searches from the end, because the last child is usually the open one. */
function openKey(container: object, open: ReadonlySet<unknown>): string | undefined {
  return Object.keys(container).findLast((key) => isOpen((container as Record<string, unknown>)[key], open));
}

/** A `{ value, state }` pair is not a container of the text, but may hold one. */
function isOpen(value: unknown, open: ReadonlySet<unknown>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return open.has(value) || ('state' in value && 'value' in value && open.has(value.value));
}
