// The entry point for Node: clients and gateways with files, the environment and transports with options. The simulated
// model is loaded when a gateway first uses it.

import { resolve } from 'node:path';
import { createClient as createPortableClient, type Client } from './client/client.ts';
import type { ClientOptions } from './client/options.ts';
import type { PromptInput } from './client/request.ts';
import type { ClientRuntime } from './client/runtime.ts';
import { createCredentialHost } from './config/credential-host.ts';
import { processEnvironment } from './config/environment.ts';
import { loadSettings } from './config/load.ts';
import { createTransport } from './config/transport.ts';
import { watchConfigFile } from './config/watch.ts';
import type { Sha256 } from './core/hash.ts';
import { omitUndefined } from './core/json.ts';
import type { Provider } from './core/provider.ts';
import { withCache as withPortableCache, type CachedProvider, type CacheOptions } from './gateway/cache/cache.ts';
import {
  createGateway as createPortableGateway,
  type Gateway,
  type GatewayOptions,
  type GatewaySettings,
} from './gateway/gateway.ts';
import type { ProviderSettings } from './gateway/provider-settings.ts';
import type { McpTools, McpToolsOptions } from './mcp/mcp-tools.ts';

/** Loads the crypto module on first use, because only caches need it. */
const sha256: Sha256 = (text) => process.getBuiltinModule('node:crypto').hash('sha256', text);

const runtime: ClientRuntime = {
  loadSettings,
  sha256,
  createTransport,
  createSimulated,
  credentialHost: createCredentialHost,
  watchFile: (path, changed) => watchConfigFile(resolve(path), changed),
};

/** Nothing is read or connected before the first call, so a mistake in a file is reported there. */
export function createClient(options: ClientOptions = {}): Client {
  return createPortableClient(options, runtime);
}

export function createGateway(settings: GatewaySettings, options: GatewayOptions = {}): Gateway {
  return createPortableGateway(settings, {
    simulated: createSimulated,
    credentialHost: createCredentialHost,
    sha256,
    ...options,
  });
}

/** Answers equal requests from a cache. */
export function withCache(
  provider: Provider,
  options: Omit<CacheOptions, 'sha256'> & Partial<Pick<CacheOptions, 'sha256'>>,
): CachedProvider {
  return withPortableCache(provider, { sha256, ...options });
}

/**
 * Connects to MCP servers and resolves to their tools. A server that fails is a notice; its tools appear when it works.
 * Throws `configuration` for invalid settings.
 */
export async function mcpTools(options: McpToolsOptions): Promise<McpTools> {
  const [{ openMcpTools }, { toServerEnvironment }] = await Promise.all([
    import('./mcp/mcp-tools.ts'),
    import('./mcp/environment.ts'),
  ]);
  const mcp = openMcpTools({ environment: toServerEnvironment(processEnvironment()), ...options });
  await mcp.ready();
  return mcp;
}

/** The short form: one provider and its key. */
export class SimpleAgentsClient implements Pick<Client, 'complete' | 'stream' | 'close'> {
  readonly complete: Client['complete'];
  readonly stream: Client['stream'];
  readonly close: Client['close'];

  constructor(provider: string, apiKey: string, options: Omit<ClientOptions, 'provider' | 'apiKey'> = {}) {
    const client = createClient({ ...options, provider, ...(apiKey === '' ? {} : { apiKey }) });
    // The overloads follow from the request, which the compiler cannot see here.
    this.complete = ((input: PromptInput, model?: string) => client.complete(input, model)) as Client['complete'];
    this.stream = ((input: PromptInput, model?: string) => client.stream(input, model)) as Client['stream'];
    this.close = () => client.close();
  }
}

export async function createSimulated({ name, seed, script }: ProviderSettings): Promise<Provider> {
  const [{ createSimulatedProvider }, { loadScript }] = await Promise.all([
    import('./testing/model/provider.ts'),
    import('./testing/model/load-script.ts'),
  ]);
  return createSimulatedProvider(
    omitUndefined({ name, seed, script: script === undefined ? undefined : await loadScript(script) }),
  );
}
