// The runtime of a client inside another engine: settings from the options, the host's environment and a file that the host
// reads; connections through the host.

import type { ClientRuntime } from '../client/runtime.ts';
import { readVariable, type Environment } from '../config/environment.ts';
import { parsePluggedConfig, toTier } from '../config/file-tier.ts';
import { resolveSettings, type Settings, type SettingsTier } from '../config/settings.ts';
import { SimpleAgentsError, toError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { CredentialHost } from '../providers/auth/credential-host.ts';
import { createSimulatedProvider } from '../testing/model/provider.ts';
import { parseScript } from '../testing/model/script.ts';
import { createFetchTransport } from '../transport/fetch.ts';
import { proxyFor } from '../transport/proxy.ts';
import type { Transport } from '../transport/transport.ts';
import type { HostRequests } from './host-fetch.ts';
import type { ConnectionOptions, EngineHost } from './host.ts';

export function createRuntime(host: EngineHost, requests: HostRequests): ClientRuntime {
  return {
    loadSettings: ({ path, overrides }) => loadSettings(host, path, overrides),
    sha256: (text) => host.sha256(text),
    createTransport: (settings) => openTransport(requests, settings),
    createSimulated: async ({ name, seed, script }) => {
      const parsed = script === undefined ? undefined : parseScript(JSON.parse(readText(host, script)));
      return createSimulatedProvider(omitUndefined({ name, seed, script: parsed }));
    },
    credentialHost: (transport) => createCredentialHost(host, transport),
    watchFile: () => Promise.reject(new SimpleAgentsError('configuration', 'watch: is not supported here; remove it')),
  };
}

/** The host makes the connections, so that metadata servers are reached in the same way. */
function createCredentialHost(host: EngineHost, transport: Transport): CredentialHost {
  const env = JSON.parse(host.environment()) as Environment;
  return {
    variable: (name) => readVariable(name, env),
    readText: async (path) => {
      try {
        return host.readText(path);
      } catch {
        return undefined;
      }
    },
    transport,
    direct: transport,
    now: () => Date.now(),
  };
}

async function loadSettings(host: EngineHost, path: string | false, code: SettingsTier): Promise<Settings> {
  const env = JSON.parse(host.environment()) as Environment;
  if (path === false) return resolveSettings({ env, code });
  const parsed = await parsePluggedConfig(readText(host, path), path, { isNamed: true });
  const file = toTier(parsed, (name) => (isAbsolute(name) ? name : `${folderOf(path)}${name}`));
  return { file: path, ...resolveSettings({ file, env, code }) };
}

function readText(host: EngineHost, path: string): string {
  try {
    return host.readText(path);
  } catch (error) {
    throw new SimpleAgentsError('configuration', `${path}: ${toError(error).message}`);
  }
}

function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path);
}

/** With its separator; empty for a file in the working directory. */
function folderOf(path: string): string {
  return /^.*[/\\]/.exec(path)?.[0] ?? '';
}

function openTransport(requests: HostRequests, settings: Settings): Transport {
  const fetch = requests.createFetch((url) => toConnection(url, settings));
  return createFetchTransport(omitUndefined({ fetch, connectTimeout: settings.timeouts.connect }));
}

function toConnection(url: URL, { timeouts, proxy, network }: Settings): ConnectionOptions {
  const { caFile, clientCertFile, clientKeyFile, localAddress, keepAlive } = network;
  const files = { caFile, clientCertFile, clientKeyFile };
  return omitUndefined({
    connectTimeout: timeouts.connect,
    proxy: proxyFor(url, proxy),
    localAddress,
    keepAlive,
    ...files,
  });
}
