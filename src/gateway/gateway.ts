// The whole of the configured providers as one provider: a request's model name chooses who answers. What is
// handed a gateway cannot tell it from a single model.

import type { CallContext, Observer } from '../core/call.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { compact } from '../core/json.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { didYouMean } from '../core/suggest.ts';
import type { Usage } from '../core/usage.ts';
import { createHttpTransport, type ProxySettings } from '../providers/http.ts';
import type { Timeouts } from '../providers/remote.ts';
import { loadScript } from '../providers/simulated/load-script.ts';
import type { Transport } from '../providers/transport.ts';
import { createVendorProvider } from '../providers/vendor-provider.ts';
import { vendorNamed, vendors } from '../providers/vendors.ts';
import { reportCall } from './call-report.ts';
import { withGatewayCache, type CacheSettings } from './configured-cache.ts';
import { withHealing, type HealingSettings } from './heal.ts';
import { PriceBook, type Answer, type PriceSettings } from './price.ts';
import { resolveModel, type ResolveSettings, type Target } from './resolve.ts';
import { isTelemetryRegistered, withTelemetry } from './telemetry.ts';
import { withStructuredOutput } from './structured.ts';
import type { ProviderSettings } from './target.ts';

export interface GatewaySettings extends ResolveSettings {
  /** For requests that set no limit of their own. */
  readonly maxTokens?: number;
  readonly timeouts?: Partial<Timeouts>;
  readonly proxy?: ProxySettings;
  /** How tool-call arguments are healed. */
  readonly healing?: HealingSettings;
  /** By `provider/model`; they go before those we know. */
  readonly prices?: Readonly<Record<string, PriceSettings>>;
  readonly cache?: CacheSettings;
}

export interface Gateway extends Provider {
  /** Who would answer, without asking. */
  resolve(model?: string): Target;
  /** What an answer of it cost, in US dollars; nothing when a price or the tokens are not known. */
  costOf(answer: Answer): number | undefined;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Carries the bytes instead of the network. */
  readonly transport?: Transport;
  /** Is told what happens to every call. */
  readonly observer?: Observer;
}

export function createGateway(settings: GatewaySettings, options: GatewayOptions = {}): Gateway {
  return withGatewayCache(new ConfiguredGateway(settings, options), settings);
}

class ConfiguredGateway implements Gateway {
  readonly name = 'gateway';
  readonly #settings: GatewaySettings;
  readonly #transport: Transport;
  readonly #providers = new Map<string, Promise<Provider>>();
  readonly #prices: PriceBook;
  readonly #observer: Observer | undefined;

  constructor(settings: GatewaySettings, options: GatewayOptions) {
    this.#settings = settings;
    this.#prices = new PriceBook(settings);
    this.#observer = options.observer;
    const { proxy, timeouts } = settings;
    this.#transport = options.transport ?? createHttpTransport(compact({ proxy, connectTimeout: timeouts?.connect }));
  }

  resolve(model?: string): Target {
    return resolveModel(model, this.#settings);
  }

  async open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const own = this.#observer;
    const observer = isTelemetryRegistered() ? await withTelemetry(own) : own;
    if (observer === undefined && context === undefined) return this.#ask(request, signal);
    const { provider, model } = this.resolve(request.model);
    // A call that names no model is told with the one it comes to.
    const asked = request.model === '' ? { ...request, model: `${provider.name}/${model}` } : request;
    const ask = (made: CallContext) => this.#ask(request, signal, made);
    const costOf = (target: string, usage: Usage) => this.costOf({ target, model, usage });
    return reportCall(asked, ask, { costOf, ...compact({ observer, context }) });
  }

  async #ask(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const { provider, model } = this.resolve(request.model);
    const { maxTokens } = this.#settings;
    const limited = request.maxTokens === undefined && maxTokens !== undefined ? { ...request, maxTokens } : request;
    // Read while the provider thinks about its answer. An answer without a price is still one.
    const prices = this.#prices.load().catch(() => undefined);
    const stream = await (await this.#providerOf(provider)).open({ ...limited, model }, signal, context);
    await prices;
    return stream;
  }

  costOf(answer: Answer): number | undefined {
    return this.#prices.costOf(answer);
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
  const tools = settings.healTools ?? vendorNamed(settings.type)?.validArguments !== true;
  return withHealing(await createProvider(settings, common, transport), { ...common.healing, tools });
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
