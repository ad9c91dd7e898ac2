// Which version of its API a provider is called with. A client of the same format chooses it, as far as the provider has
// that version; then the provider judges the request. Otherwise the refusals of the client's version are ours.

import { entryOf } from '../core/json.ts';
import type { ChatRequest, ClientFormat, VersionRefusal } from '../core/request.ts';
import type { WireClient } from '../wire/wire.ts';

export interface VersionedProvider {
  readonly wire: Pick<WireClient, 'name' | 'versionHeader'>;
  /** The versions that it has, the oldest first. */
  readonly versions?: readonly string[] | undefined;
}

/** A version in the configuration is the only one. */
export function versionsOf(
  { versionHeader = '' }: Pick<WireClient, 'versionHeader'>,
  { versions, headers = {} }: { readonly versions?: readonly string[]; readonly headers?: Headers },
): readonly string[] | undefined {
  const configured = Object.keys(headers).find((name) => name.toLowerCase() === versionHeader);
  return configured === undefined ? versions : [entryOf(headers, configured) as string];
}

type Headers = Readonly<Record<string, string>>;

/** The newest version that is not newer than the client's. `undefined`: the provider's own. */
export function versionFor(
  { wire, versions = [] }: VersionedProvider,
  client: Pick<ClientFormat, 'wire' | 'version'> | undefined,
): string | undefined {
  const { version } = client ?? {};
  if (version === undefined || client?.wire !== wire.name) return undefined;
  return versions.findLast((known) => known <= version) ?? versions[0];
}

/** The header with the version; empty for the provider's own. */
export function versionHeaders(provider: VersionedProvider, client: ClientFormat | undefined): Headers {
  const { versionHeader } = provider.wire;
  const version = versionFor(provider, client);
  return version === undefined || versionHeader === undefined ? {} : { [versionHeader]: version };
}

/** What the client's version refuses, unless the provider is called with a version that refuses it itself. */
export function findVersionRefusal(
  provider: VersionedProvider | undefined,
  { client }: Pick<ChatRequest, 'client'>,
): VersionRefusal | undefined {
  const { refusal } = client ?? {};
  if (refusal === undefined || provider === undefined) return refusal;
  const sent = versionFor(provider, client);
  return sent !== undefined && sent >= refusal.since ? undefined : refusal;
}
