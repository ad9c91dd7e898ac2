// Which transport the settings ask for. `fetch` is enough unless something is configured that it cannot do: a proxy,
// certificates, how connections are made. A server always gets undici.

import type { ProviderSettings } from '../gateway/target.ts';
import type { NetworkSettings, ProxySettings, Timeouts, Transport } from '../providers/remote.ts';
import { createFetchTransport } from '../transport/fetch.ts';
import { createUndiciTransport } from '../transport/lazy-undici.ts';
import type { UndiciOptions } from '../transport/undici.ts';
import { compact } from '../core/json.ts';

/** The part of the settings that is about connections. */
export interface TransportSettings {
  readonly timeouts?: Partial<Timeouts>;
  readonly proxy?: ProxySettings;
  readonly network?: NetworkSettings;
  readonly providers?: readonly ProviderSettings[];
}

export function createTransport(settings: TransportSettings): Transport {
  return needsUndici(settings) ? createUndiciTransport(toOptions(settings)) : createFetchTransport();
}

/** Rejects with a `configuration` error when the settings name certificates that cannot be used. */
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
    providers.some((provider) => provider.timeouts?.connect !== undefined)
  );
}

function toOptions({ timeouts = {}, proxy, network }: TransportSettings): UndiciOptions {
  return compact({ ...network, proxy, connectTimeout: timeouts.connect });
}
