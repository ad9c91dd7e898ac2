// Members of a response that one wire has and `StreamEvent` does not. They are kept while a response is decoded, so that
// a client of the same wire still receives them when the response is encoded again.

import { isRecord } from '../core/json.ts';
import type { WireExtra } from '../core/message.ts';
import { unknownMembers } from './json-field.ts';

/** Returns undefined if there are none. Null members are ignored. */
export function responseExtra(
  wire: string,
  ...parts: readonly (Record<string, unknown> | undefined)[]
): WireExtra | undefined {
  const members: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(part ?? {}))
      if (value !== null && value !== undefined) members[name] = value;
  }
  return Object.keys(members).length === 0 ? undefined : { wire, members };
}

export function unknownIn(value: unknown, known: ReadonlySet<string>): Record<string, unknown> | undefined {
  return isRecord(value) ? unknownMembers(value, known) : undefined;
}

/** The members of `extra` that belong to this wire. */
export function membersFor(extra: WireExtra | undefined, wire: string): Readonly<Record<string, unknown>> {
  return extra?.wire === wire ? extra.members : {};
}

/** The `cost` member of the usage. Without a known cost, the one that the provider reported stays. */
export function costMember(cost: number | undefined): { readonly cost?: number } {
  return cost === undefined ? {} : { cost };
}
