// Takes back the defaults that were filled in for missing fields.

import type { HealResult } from '../option.ts';
import { setMember } from '../parse/node.ts';
import type { PathKey } from '../report/flag.ts';

/** The result without any default that was filled in; `undefined` if there is none. */
export function withoutDefaults(result: HealResult): HealResult | undefined {
  const defaults = result.flags.filter(({ kind }) => kind === 'used-default-value');
  if (defaults.length === 0) return undefined;
  const flags = result.flags.filter(({ kind }) => kind !== 'used-default-value');
  const paths = defaults.map(({ path }) => path);
  return { ...result, flags, value: withoutMembers(result.value, paths) };
}

type Container = unknown[] | Record<string, unknown>;

/** A copy without the members at the paths. Each container on a path is copied once; the others are shared. */
function withoutMembers(value: unknown, paths: readonly (readonly PathKey[])[]): unknown {
  if (!isContainer(value)) return value;
  const copies = new Map<Container, Container>();
  const copyOf = (container: Container): Container => {
    let copy = copies.get(container);
    if (copy === undefined)
      copies.set(container, (copy = Array.isArray(container) ? [...container] : { ...container }));
    return copy;
  };
  for (const path of paths) removeMember(value, path, copyOf);
  return copyOf(value);
}

function removeMember(root: Container, path: readonly PathKey[], copyOf: (original: Container) => Container): void {
  let [original, copy] = [root, copyOf(root)];
  for (const key of path.slice(0, -1)) {
    const child: unknown = Object.hasOwn(original, key) ? Reflect.get(original, key) : undefined;
    if (!isContainer(child)) return;
    const childCopy = copyOf(child);
    if (Array.isArray(copy)) copy[key as number] = childCopy;
    else setMember(copy, String(key), childCopy);
    [original, copy] = [child, childCopy];
  }
  Reflect.deleteProperty(copy, path.at(-1) ?? '');
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}
