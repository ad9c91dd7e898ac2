// Changes to the values that a damaged text may be healed to. Pure functions on JSON values; they know no text.

import type { JsonValue } from '../../core/json.ts';

export type ValuePath = readonly (string | number)[];

/** Stands for a member or an item that may be left out. */
export const absent = Symbol('absent');
export type Alternative = JsonValue | typeof absent;

/** The value once for each alternative, standing at `path`. */
export function alternativesAt(value: JsonValue, path: ValuePath, alternatives: readonly Alternative[]): JsonValue[] {
  return alternatives.map((alternative) => withValueAt(value, path, alternative));
}

export function withValueAt(value: JsonValue, path: ValuePath, next: Alternative): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return next === absent ? null : next;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const index = key as number;
    if (rest.length === 0 && next === absent) return items.filter((_, place) => place !== index);
    return [...items.slice(0, index), withValueAt(items[index] ?? null, rest, next), ...items.slice(index + 1)];
  }
  const members = entriesOf(value);
  if (rest.length === 0 && next === absent) return fromEntries(members.filter(([name]) => name !== key));
  const at = members.findIndex(([name]) => name === key);
  const member = [String(key), withValueAt(members[at]?.[1] ?? null, rest, next)] as const;
  return fromEntries(at === -1 ? [...members, member] : members.with(at, member));
}

/** Only what `isKept` says of the value's parts; the whole always stays. */
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

/** `Object.fromEntries` makes own data of every key, also of `__proto__`. */
function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonValue {
  return Object.fromEntries(entries);
}
