// The whole of the configured providers as one provider: a request's model name chooses who answers. What is
// handed a gateway cannot tell it from a single model.

import type { CallContext } from '../core/call.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { compact } from '../core/json.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { didYouMean } from '../core/suggest.ts';
import { createHttpTransport, type ProxySettings } from '../providers/http.ts';
import type { Timeouts } from '../providers/remote.ts';
import { loadScript } from '../providers/simulated/load-script.ts';
import type { Transport } from '../providers/transport.ts';
import { createVendorProvider } from '../providers/vendor-provider.ts';
import { vendorNamed, vendors } from '../providers/vendors.ts';
import { withGatewayCache, type CacheSettings } from './configured-cache.ts';
import { withHealing, type HealingSettings } from './heal.ts';
import { resolveModel, type ResolveSettings, type Target } from './resolve.ts';
import { withStructuredOutput } from './structured.ts';
import type { ProviderSettings } from './target.ts';

export interface GatewaySettings extends ResolveSettings {
  /** For requests that set no limit of their own. */
  readonly maxTokens?: number;
  readonly timeouts?: Partial<Timeouts>;
  readonly proxy?: ProxySettings;
  /** How tool-call arguments are healed. */
  readonly healing?: HealingSettings;
  readonly cache?: CacheSettings;
}

export interface Gateway extends Provider {
  /** Who would answer, without asking. */
  resolve(model?: string): Target;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Carries the bytes instead of the network. */
  readonly transport?: Transport;
}

export function createGateway(settings: GatewaySettings, options: GatewayOptions = {}): Gateway {
  return withGatewayCache(new ConfiguredGateway(settings, options), settings);
}

class ConfiguredGateway implements Gateway {
  readonly name = 'gateway';
  readonly #settings: GatewaySettings;
  readonly #transport: Transport;
  readonly #providers = new Map<string, Promise<Provider>>();

  constructor(settings: GatewaySettings, options: GatewayOptions) {
    this.#settings = settings;
    const { proxy, timeouts } = settings;
    this.#transport = options.transport ?? createHttpTransport(compact({ proxy, connectTimeout: timeouts?.connect }));
  }

  resolve(model?: string): Target {
    return resolveModel(model, this.#settings);
  }

  async open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const { provider, model } = this.resolve(request.model);
    const { maxTokens } = this.#settings;
    const limited = request.maxTokens === undefined && maxTokens !== undefined ? { ...request, maxTokens } : request;
    return (await this.#providerOf(provider)).open({ ...limited, model }, signal, context);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  #providerOf(settings: ProviderSettings): Promise<Provider> {
    let provider = this.#providers.get(settings.name);
    if (provider === undefined) {
      provider = createTarget(settings, this.#settings, this.#transport);
      this.#providers.set(settings.name, provider);
      // What was missing may be there the next time.
      provider.catch(() => this.#providers.delete(settings.name));
    }
    return provider;
  }
}

/** A configured provider, with what the gateway does around every one. */
async function createTarget(
  settings: ProviderSettings,
  common: GatewaySettings,
  transport: Transport,
): Promise<Provider> {
  return withHealing(await createProvider(settings, common, transport), common.healing);
}

async function createProvider(
  settings: ProviderSettings,
  { timeouts }: GatewaySettings,
  transport: Transport,
): Promise<Provider> {
  const { name, type, apiKey, baseUrl, headers } = settings;
  if (type === 'simulated') return createSimulated(settings);
  const vendor = vendorNamed(type);
  if (vendor === undefined) {
    const hint = didYouMean(type, [...vendors.map((row) => row.name), 'simulated']);
    throw new SimpleAgentsError('configuration', `there is no provider type "${type}"${hint}`);
  }
  if (vendor.needsKey && apiKey === undefined) {
    const variable = settings.keyEnv ?? vendor.keyEnv;
    throw new SimpleAgentsError('auth', `${vendor.label} needs an API key: set ${variable}`, { target: name });
  }
  const own = compact({ apiKey, baseUrl, headers });
  const options = { name, ...own, timeouts: { ...timeouts, ...settings.timeouts }, transport };
  return withStructuredOutput(createVendorProvider(vendor, options), vendor.capabilities);
}

async function createSimulated({ name, seed, script }: ProviderSettings): Promise<Provider> {
  const { createSimulatedProvider } = await import('../providers/simulated/provider.ts');
  return createSimulatedProvider(
    compact({ name, seed, script: script === undefined ? undefined : await loadScript(script) }),
  );
}
