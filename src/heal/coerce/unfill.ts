// Takes back the defaults that were filled in for missing fields.

import type { HealResult } from '../option.ts';
import type { PathKey } from '../report/flag.ts';
import { isRecord } from '../schema/keyword.ts';

/** The result without any default that was filled in; `undefined` if there is none. */
export function withoutDefaults(result: HealResult): HealResult | undefined {
  const defaults = result.flags.filter(({ kind }) => kind === 'used-default-value');
  if (defaults.length === 0) return undefined;
  const flags = result.flags.filter(({ kind }) => kind !== 'used-default-value');
  return { ...result, flags, value: defaults.reduce((value, { path }) => withoutMember(value, path), result.value) };
}

/** A copy of the value without the member at the path. */
function withoutMember(value: unknown, [key, ...rest]: readonly PathKey[]): unknown {
  if (Array.isArray(value) && typeof key === 'number' && key in value)
    return value.with(key, withoutMember(value[key], rest));
  if (!isRecord(value) || typeof key !== 'string' || !Object.hasOwn(value, key)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    rest.length === 0
      ? members.filter(([name]) => name !== key)
      : members.map(([name, member]) => [name, name === key ? withoutMember(member, rest) : member]),
  );
}
