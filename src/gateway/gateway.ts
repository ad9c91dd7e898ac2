// All configured providers as one provider: the model name of a request decides which one is called. Code that uses a
// gateway cannot tell it from a single model. The policies around a call are in stack.ts.

import type { CallContext, Observer, OnCut } from '../core/call.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../core/embedding.ts';
import { SimpleAgentsError, toError, unsupportedField, type ErrorKind } from '../core/error.ts';
import type { ForwardRequest, ForwardResponse } from '../core/forward.ts';
import type { Sha256 } from '../core/hash.ts';
import { omitUndefined } from '../core/json.ts';
import type { ModelListing } from '../core/model-listing.ts';
import { unsafePath } from '../core/path-segment.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import type { BilledUsage } from '../core/usage.ts';
import { PriceBook, type PriceSettings } from '../prices/price.ts';
import { createFetchTransport, type Timeouts, type Transport } from '../providers/remote.ts';
import { isOwnFormat } from '../providers/vendor-rules.ts';
import { vendorOf } from '../providers/vendors.ts';
import type { CacheSettings } from './cache/configured-cache.ts';
import { isTelemetryRegistered, loadTelemetry, type Telemetry } from './observe/telemetry.ts';
import type { Guardrail } from './guardrail/guardrail.ts';
import type { PluginRegistry } from './plugin/registry.ts';
import { createEmbeddingStack, type EmbeddingStack } from './embedding/embedding-stack.ts';
import { withoutRefusedTool } from './output/forced-tool.ts';
import type { HealingSettings } from './output/healing.ts';
import type { BreakerSettings } from './resilience/breaker.ts';
import { LearnedState } from './learned-state.ts';
import type { RetrySettings } from './resilience/retry.ts';
import { resolveModel, withoutImplicit, type ResolveSettings, type Target } from './routing/resolve.ts';
import type { Strategy, StrategyName } from './routing/strategy.ts';
import { createStack, missingSha256, type Stack, type StackParts } from './stack.ts';
import { checkVersion, rulesOf } from './target-rules.ts';
import { createTargetProvider, LazyProviders, type TargetRuntime } from './target-provider.ts';
import { chooseForwardTarget } from './routing/forward-target.ts';
import { describeModel, listModels } from './routing/model-list.ts';
import { UpstreamModels, type ListProviderModels } from './routing/upstream-models.ts';

export interface GatewaySettings extends ResolveSettings {
  /** `false`: every call is made once. */
  readonly retry?: Partial<RetrySettings> | false;
  /** `false`: failing targets are still called. */
  readonly breaker?: Partial<BreakerSettings> | false;
  /** For requests that set no limit. */
  readonly maxTokens?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** How tool-call arguments are healed. */
  readonly healing?: HealingSettings;
  /** By `provider/model`; they override the built-in prices. */
  readonly prices?: Readonly<Record<string, PriceSettings>>;
  readonly cache?: CacheSettings;
  readonly router?: RoutingSettings;
  /** The provider types that plugins add. */
  readonly plugins?: PluginRegistry;
  /** Filters for everything that the models write. The first one judges first. */
  readonly guardrails?: readonly Guardrail[];
}

/** How a target is chosen if a model name has several. */
export interface RoutingSettings {
  /** Defaults to `priority`. */
  readonly strategy?: StrategyName | Strategy;
  /** `false`: only the first target is called. */
  readonly fallbackEnabled?: boolean;
  /** The errors after which the next target is called. */
  readonly fallbackOn?: readonly ErrorKind[];
  /** What to do when a response is cut off in the middle, unless the call sets it. */
  readonly onCut?: OnCut;
}

export interface Gateway extends Provider {
  /** Batches, retries and falls back among targets with the same model. */
  embed(request: EmbeddingRequest, signal: AbortSignal, context?: CallContext): Promise<EmbeddingResponse>;
  /** The count of the provider that would be called; `undefined` if it cannot count, or fails to. */
  countTokens(request: ChatRequest, signal: AbortSignal): Promise<number | undefined>;
  /** The configured models, then those that the providers list themselves. */
  modelListings(): Promise<readonly ModelListing[]>;
  /** What is known of any name that calls accept. Rejects with `not-found` for others. Makes no call. */
  modelListing(name: string): Promise<ModelListing>;
  /** Passes a request to the provider that has its route. */
  forward(request: ForwardRequest, signal: AbortSignal): Promise<ForwardResponse>;
  /** The target of a model name. Makes no call. */
  resolve(model?: string): Target;
  /** Whether a provider of this name is configured. */
  hasProvider(name: string): boolean;
  /** The cost of a response in US dollars; `undefined` if the price or the token count is unknown. */
  costOf(answer: BilledUsage): number | undefined;
  /** The context window of the model in tokens; `undefined` if unknown. */
  contextWindowOf(model?: string): number | undefined;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** The transport, which is closed with the gateway. Defaults to the runtime's `fetch`. */
  readonly transport?: Transport;
  /** Computes cache keys; required if a cache is configured. */
  readonly sha256?: Sha256;
  /** Creates providers of type `simulated`. */
  readonly simulated?: TargetRuntime['simulated'];
  /** For vendors that are called with cloud credentials. */
  readonly credentialHost?: TargetRuntime['credentialHost'];
  /** Receives the events of every call. */
  readonly observer?: Observer;
  readonly clock?: Clock;
  /** The state of the gateway that this one replaces. */
  readonly learnedState?: LearnedState;
}

export function createGateway(settings: GatewaySettings, options: GatewayOptions = {}): Gateway {
  return new ConfiguredGateway(settings, options);
}

class ConfiguredGateway implements Gateway {
  readonly name = 'gateway';
  readonly #settings: GatewaySettings;
  readonly #transport: Transport;
  readonly #prices: PriceBook;
  readonly #stack: Stack;
  readonly #embedding: EmbeddingStack;
  /** Without policies, for questions about a provider. */
  readonly #providers: LazyProviders;
  readonly #models: UpstreamModels;
  #telemetry: Telemetry | undefined;

  constructor(settings: GatewaySettings, options: GatewayOptions) {
    const { transport = createFetchTransport(), simulated, credentialHost, observer, sha256 } = options;
    this.#settings = settings.onlyConfigured === true ? withoutImplicit(settings) : settings;
    this.#transport = transport;
    this.#prices = new PriceBook(settings);
    const parts: StackParts = {
      settings: this.#settings,
      runtime: omitUndefined({ transport, simulated, credentialHost }),
      prices: this.#prices,
      learnedState: options.learnedState ?? new LearnedState(),
      clock: options.clock ?? systemClock,
      observer: (event) => {
        this.#telemetry?.observe(event);
        observer?.(event);
      },
      traceHeaders: (call) => this.#telemetry?.headersOf(call),
      sha256: sha256 ?? missingSha256,
    };
    this.#stack = createStack(parts);
    this.#embedding = createEmbeddingStack(parts);
    this.#providers = new LazyProviders((one) => createTargetProvider(one, this.#settings, parts.runtime));
    const ask: ListProviderModels = async (provider) =>
      (await (await this.#providers.load(provider)).listModels?.(new AbortController().signal)) ?? [];
    this.#models = new UpstreamModels(ask, parts.clock);
  }

  async countTokens(request: ChatRequest, signal: AbortSignal): Promise<number | undefined> {
    let isJudged = false;
    try {
      const { provider, model } = this.resolve(request.model);
      const rules = rulesOf(provider, vendorOf(provider));
      isJudged = isOwnFormat(rules, request);
      checkVersion(rules, request, provider.name);
      const target = await this.#providers.load(provider);
      return await target.countTokens?.(withoutRefusedTool({ ...request, model }, rules), signal);
    } catch (error) {
      signal.throwIfAborted();
      const { code, kind } = toError(error);
      if (code === unsafePath || code === unsupportedField || (isJudged && kind === 'bad-request')) throw error;
      // An estimate is better than no answer.
      return undefined;
    }
  }

  async modelListings(): Promise<readonly ModelListing[]> {
    await this.#prices.load().catch(() => undefined);
    const configured = listModels(this.#settings, this.#prices);
    const known = new Set(configured.map(({ id }) => id));
    const listed = await this.#models.list(this.#settings.providers, this.#prices);
    return [...configured, ...listed.filter(({ id }) => !known.has(id))];
  }

  async modelListing(name: string): Promise<ModelListing> {
    await this.#prices.load().catch(() => undefined);
    return describeModel(name, this.#settings, this.#prices);
  }

  async forward(request: ForwardRequest, signal: AbortSignal): Promise<ForwardResponse> {
    const { provider, model } = chooseForwardTarget(request, this.#settings);
    const target = await this.#providers.load(provider);
    if (target.forward === undefined) {
      throw new SimpleAgentsError('not-found', `the provider "${provider.name}" forwards no requests`);
    }
    const { json } = request;
    const isRenamed = json !== undefined && model !== undefined && json['model'] !== model;
    return target.forward(isRenamed ? { ...request, json: { ...json, model } } : request, signal);
  }

  resolve(model?: string): Target {
    return resolveModel(model, this.#settings);
  }

  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const isReady = this.#telemetry !== undefined || !isTelemetryRegistered();
    if (isReady) return this.#stack.provider.open(this.#limit(request), signal, context);
    return this.#openTraced(request, signal, context);
  }

  /** The first call after OpenTelemetry was registered. */
  async #openTraced(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    this.#telemetry ??= await loadTelemetry();
    return this.#stack.provider.open(this.#limit(request), signal, context);
  }

  async embed(request: EmbeddingRequest, signal: AbortSignal, context?: CallContext): Promise<EmbeddingResponse> {
    if (this.#telemetry === undefined && isTelemetryRegistered()) this.#telemetry = await loadTelemetry();
    return this.#embedding.embedder.open(request, signal, context);
  }

  #limit(request: ChatRequest): ChatRequest {
    const { maxTokens } = this.#settings;
    return request.maxTokens === undefined && maxTokens !== undefined ? { ...request, maxTokens } : request;
  }

  hasProvider(name: string): boolean {
    return this.#settings.providers.some((provider) => provider.name === name);
  }

  costOf(answer: BilledUsage): number | undefined {
    return this.#prices.costOf(answer);
  }

  contextWindowOf(model?: string): number | undefined {
    try {
      const target = this.resolve(model);
      return this.#prices.contextWindowOf(target.model, target.provider.name);
    } catch {
      // A name that cannot be resolved fails when it is called.
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
    await this.#stack.close();
    await this.#embedding.close();
  }
}
