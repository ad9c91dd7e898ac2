// Edits the values that healing a damaged text may return. Pure functions on JSON values.

import type { JsonValue } from '../../core/json.ts';

export type ValuePath = readonly (string | number)[];

/** A member or an item that is left out. */
export const absent = Symbol('absent');
export type Alternative = JsonValue | typeof absent;

/** One copy of the value for each alternative at `path`. */
export function alternativesAt(value: JsonValue, path: ValuePath, alternatives: readonly Alternative[]): JsonValue[] {
  return alternatives.map((alternative) => withValueAt(value, path, alternative));
}

export function withValueAt(value: JsonValue, path: ValuePath, next: Alternative): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return next === absent ? null : next;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const index = key as number;
    if (rest.length === 0 && next === absent) return items.filter((_, other) => other !== index);
    return [...items.slice(0, index), withValueAt(items[index] ?? null, rest, next), ...items.slice(index + 1)];
  }
  const members = entriesOf(value);
  if (rest.length === 0 && next === absent) return fromEntries(members.filter(([name]) => name !== key));
  const at = members.findIndex(([name]) => name === key);
  const member = [String(key), withValueAt(members[at]?.[1] ?? null, rest, next)] as const;
  return fromEntries(at === -1 ? [...members, member] : members.with(at, member));
}

/** Removes the parts of the value for which `isKept` is false. The root always stays. */
export function prune(value: JsonValue, isKept: (path: ValuePath) => boolean, path: ValuePath = []): JsonValue {
  const keep = (key: string | number): boolean => isKept([...path, key]);
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return items.flatMap((item, index) => (keep(index) ? [prune(item, isKept, [...path, index])] : []));
  }
  if (typeof value !== 'object' || value === null) return value;
  return fromEntries(
    entriesOf(value).flatMap(([key, member]) =>
      keep(key) ? [[key, prune(member, isKept, [...path, key])] as const] : [],
    ),
  );
}

export function isEmpty(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function entriesOf(value: JsonValue): (readonly [string, JsonValue])[] {
  return Object.entries(value as Readonly<Record<string, JsonValue>>);
}

/** `Object.fromEntries` creates an own property for every key, also for `__proto__`. */
function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonValue {
  return Object.fromEntries(entries);
}
