// Members of an answer that one wire has and the hub does not: kept while the answer is decoded, so that a client of the
// same wire gets them although something on the way had to be changed.

import { isRecord } from '../core/json.ts';
import type { WireExtra } from '../core/message.ts';
import { unknownMembers } from './json-field.ts';

/** Nothing where there are none; members that are null say nothing. */
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

/** What `extra` has for this wire, as members of the answer. */
export function membersFor(extra: WireExtra | undefined, wire: string): Readonly<Record<string, unknown>> {
  return extra?.wire === wire ? extra.members : {};
}

/** A member of the usage. A provider that tells the cost itself keeps its own where we do not know it. */
export function costMember(cost: number | undefined): { readonly cost?: number } {
  return cost === undefined ? {} : { cost };
}
