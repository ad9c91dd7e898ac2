// Selects the transport for the settings: `fetch`, or undici if something is configured that `fetch` does not support (a
// proxy, certificates, connection options). A server always uses undici.

import type { ProviderSettings } from '../gateway/provider-settings.ts';
import type { NetworkSettings, ProxySettings, Timeouts, Transport } from '../providers/remote.ts';
import { createFetchTransport } from '../transport/fetch.ts';
import { createUndiciTransport } from '../transport/lazy-undici.ts';
import type { UndiciOptions } from '../transport/undici.ts';
import { omitUndefined } from '../core/json.ts';

/** The settings that concern connections. */
export interface TransportSettings {
  readonly timeouts?: Partial<Timeouts>;
  readonly proxy?: ProxySettings;
  readonly network?: NetworkSettings;
  readonly providers?: readonly ProviderSettings[];
}

export function createTransport(settings: TransportSettings): Transport {
  return needsUndici(settings) ? createUndiciTransport(toOptions(settings)) : createFetchTransport();
}

/** Rejects with a `configuration` error if the settings name certificates that cannot be used. */
export async function openServerTransport(settings: TransportSettings): Promise<Transport> {
  const { openUndiciTransport } = await import('../transport/undici.ts');
  return openUndiciTransport(toOptions(settings));
}

function needsUndici({ timeouts = {}, proxy = {}, network = {}, providers = [] }: TransportSettings): boolean {
  const { httpProxy = '', httpsProxy = '' } = proxy;
  const { http2, ...connections } = network;
  return (
    httpProxy !== '' ||
    httpsProxy !== '' ||
    http2 === true ||
    Object.values(connections).some((value) => value !== undefined) ||
    timeouts.connect !== undefined ||
    providers.some((provider) => provider.timeouts?.connect !== undefined || isBlockedByFetch(provider.baseUrl))
  );
}

/** Ports above 1023 that `fetch` blocks to protect other protocols: fetch.spec.whatwg.org, 2.9. */
const blockedPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

/** All ports below 1024 count as blocked because most of them are. */
function isBlockedByFetch(baseUrl = ''): boolean {
  const port = Number(URL.parse(baseUrl)?.port ?? '');
  return blockedPorts.has(port) || (port > 0 && port < 1024);
}

function toOptions({ timeouts = {}, proxy, network }: TransportSettings): UndiciOptions {
  return omitUndefined({ ...network, proxy, connectTimeout: timeouts.connect });
}
