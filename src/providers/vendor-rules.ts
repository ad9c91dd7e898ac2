// What a vendor's model refuses although the wire can express it, by the rules of its family and of the client's version.
// A request in the vendor's own format is not judged: the vendor does that.

import { omitUndefined } from '../core/json.ts';
import type { ChatRequest, VersionRefusal } from '../core/request.ts';
import { refuses } from '../wire/model-rules.ts';
import type { WireClient } from '../wire/wire.ts';
import { findVersionRefusal, versionsOf } from './api-version.ts';

/** A provider as it is configured. */
export interface RuledProvider {
  /** Absent for a provider without a format of its own, such as the simulated model. */
  readonly wire?: WireClient | undefined;
  /** Those of the vendor's row. */
  readonly versions?: readonly string[] | undefined;
  /** Those of the configuration. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `false`: nothing is refused. */
  readonly rules?: boolean | undefined;
}

/** What the client's version refuses and the provider would accept. */
export function findRefusedByVersion(provider: RuledProvider, request: ChatRequest): VersionRefusal | undefined {
  const { wire, versions, headers, rules } = provider;
  if (rules === false || request.client?.refusal === undefined) return undefined;
  const known = wire && { wire, versions: versionsOf(wire, omitUndefined({ versions, headers })) };
  return findVersionRefusal(known, request);
}

/** Whether the model refuses every request that forces a tool call. */
export function refusesForcedTool({ wire, rules }: RuledProvider, { model }: Pick<ChatRequest, 'model'>): boolean {
  return rules !== false && wire !== undefined && refuses(model, 'forced-tool');
}

export function isOwnFormat({ wire }: RuledProvider, { client }: Pick<ChatRequest, 'client'>): boolean {
  return wire !== undefined && wire.name === client?.wire;
}
