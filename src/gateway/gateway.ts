// The whole of the configured providers as one provider: a request's model name chooses who answers. What is
// handed a gateway cannot tell it from a single model.

import type { CallContext, CallEvent, Observer, OnCut } from '../core/call.ts';
import { SimpleAgentsError, type ErrorKind } from '../core/error.ts';
import type { Sha256 } from '../core/hash.ts';
import { compact } from '../core/json.ts';
import { macrotask } from '../core/turn.ts';
import { LruMap } from '../core/lru.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { createFetchTransport, type Timeouts, type Transport } from '../providers/remote.ts';
import { findUnsupported } from '../providers/vendor-provider.ts';
import { vendorNamed } from '../providers/vendors.ts';
import { cacheIdentity } from './cache/cache-identity.ts';
import { withConfiguredCache, type CacheSettings, type ClosableProvider } from './cache/configured-cache.ts';
import { withContinuation } from './resilience/continuation.ts';
import { Experience } from './resilience/experience.ts';
import { guard, type Guarded, type GuardSettings } from './resilience/guard.ts';
import type { HealingSettings } from './output/heal.ts';
import { withObservation } from './observe/observe.ts';
import type { BilledUsage } from '../core/usage.ts';
import { PriceBook, type PriceSettings } from '../prices/price.ts';
import type { Rates } from '../prices/price-table.ts';
import { labelOf, resolveModel, withoutUnnamed, type ResolveSettings, type Target } from './routing/resolve.ts';
import { defaultName, resolveRoute, type Route } from './routing/route.ts';
import { createRouter, type RoutedTarget } from './routing/router.ts';
import type { Strategy, StrategyName } from './routing/strategy.ts';
import { isTelemetryRegistered, loadTelemetry, type Telemetry } from './observe/telemetry.ts';
import { createTargetProvider, type TargetRuntime } from './target-provider.ts';
import type { ProviderSettings } from './target.ts';
import { realWorld, type World } from '../core/clock.ts';

export interface GatewaySettings extends ResolveSettings, GuardSettings {
  /** For requests that set no limit of their own. */
  readonly maxTokens?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** How tool-call arguments are healed. */
  readonly healing?: HealingSettings;
  /** By `provider/model`; they go before those we know. */
  readonly prices?: Readonly<Record<string, PriceSettings>>;
  readonly cache?: CacheSettings;
  readonly router?: RoutingSettings;
}

/** How targets are chosen where a model name has several. */
export interface RoutingSettings {
  /** `priority` when left out. */
  readonly strategy?: StrategyName | Strategy;
  /** `false`: only the first target is asked. */
  readonly fallbackEnabled?: boolean;
  /** The errors after which the next target is asked. */
  readonly fallbackOn?: readonly ErrorKind[];
  /** What becomes of a text that is cut in the middle, where the call does not say. */
  readonly onCut?: OnCut;
}

export interface Gateway extends Provider {
  /** Who would answer, without asking. */
  resolve(model?: string): Target;
  /** What an answer of it cost, in US dollars; nothing when a price or the tokens are not known. */
  costOf(answer: BilledUsage): number | undefined;
  /** How much the model reads at once, in tokens; nothing when that is not known. */
  contextWindowOf(model?: string): number | undefined;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** How providers are reached; closed with the gateway. Defaults to the runtime's `fetch`. */
  readonly transport?: Transport;
  /** Makes the keys of cached answers; needed where a cache is configured. */
  readonly sha256?: Sha256;
  /** Makes providers of type `simulated`. */
  readonly simulated?: TargetRuntime['simulated'];
  /** Is told what happens to every call. */
  readonly observer?: Observer;
  readonly world?: World;
  /** Of the gateway that this one replaces. */
  readonly experience?: Experience;
}

export function createGateway(settings: GatewaySettings, options: GatewayOptions = {}): Gateway {
  return new ConfiguredGateway(settings, options);
}

class ConfiguredGateway implements Gateway {
  readonly name = 'gateway';
  readonly #settings: GatewaySettings;
  readonly #options: GatewayOptions;
  readonly #world: World;
  readonly #runtime: TargetRuntime;
  readonly #providers = new Map<string, Promise<Provider>>();
  /** Those that are made: nobody has to wait for them. */
  readonly #ready = new Map<string, Provider>();
  readonly #targets = new LruMap<string, GuardedTarget>();
  readonly #routers = new LruMap<string, Provider>();
  readonly #experience: Experience;
  readonly #prices: PriceBook;
  readonly #outermost: Provider;
  #cached: ClosableProvider | undefined;
  #trace: Telemetry | undefined;

  constructor(settings: GatewaySettings, options: GatewayOptions) {
    this.#settings = settings.onlyConfigured === true ? withoutUnnamed(settings) : settings;
    this.#options = options;
    this.#prices = new PriceBook(settings);
    this.#world = options.world ?? realWorld;
    this.#experience = options.experience ?? new Experience();
    const { transport = createFetchTransport(), simulated } = options;
    this.#runtime = compact({ transport, simulated });
    this.#outermost = this.#compose();
  }

  resolve(model?: string): Target {
    return resolveModel(model, this.#settings);
  }

  /** No layer here is `async` that need not be: of the dozen around a call each would cost it a microsecond. */
  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const isTraced = this.#trace !== undefined || !isTelemetryRegistered();
    if (!isTraced) return this.#prepare(request, signal, context);
    return this.#outermost.open(this.#limit(request), signal, context);
  }

  async #prepare(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    this.#trace ??= await loadTelemetry();
    return this.#outermost.open(this.#limit(request), signal, context);
  }

  #limit(request: ChatRequest): ChatRequest {
    const { maxTokens } = this.#settings;
    return request.maxTokens === undefined && maxTokens !== undefined ? { ...request, maxTokens } : request;
  }

  costOf(answer: BilledUsage): number | undefined {
    return this.#prices.costOf(answer);
  }

  contextWindowOf(model?: string): number | undefined {
    try {
      const target = this.resolve(model);
      return this.#prices.contextWindowOf(target.model, target.provider.name);
    } catch {
      // What cannot be resolved is told when it is asked.
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#runtime.transport.close();
    await this.#cached?.close();
  }

  /** For reports: a request that names no model has fallbacks that one with the same name spelled out has not. */
  #nameOf(model: string): string {
    try {
      return model || defaultName(this.#settings);
    } catch {
      // The router rejects the call with the reason.
      return '';
    }
  }

  /** The policies around every call, from the inside out; those of a single target are in guard.ts. */
  #compose(): Provider {
    const { router, cache } = this.#settings;
    const routed: Provider = {
      name: this.name,
      open: (request, signal, context) => {
        const traced = this.#withTrace(context);
        return this.#routers.get(request.model)?.open(request, signal, traced) ?? this.#ask(request, signal, traced);
      },
    };
    const continued = withContinuation(routed, router?.onCut);
    if (cache?.enabled) {
      const identify = (model: string) => cacheIdentity(model, this.#settings);
      const { sha256 = refuseCache } = this.#options;
      this.#cached = withConfiguredCache(continued, cache, { identify, sha256, experience: this.#experience });
    }
    return withObservation(this.#cached ?? continued, {
      observer: (event) => this.#tell(event),
      world: this.#world,
      nameOf: (model) => this.#nameOf(model),
      costOf: (target, usage) => this.costOf({ target, usage }),
    });
  }

  #withTrace(context: CallContext | undefined): CallContext | undefined {
    const trace = this.#trace;
    if (trace === undefined || context === undefined) return context;
    return { ...context, traceHeaders: () => trace.headersOf(context.id) };
  }

  #tell(event: CallEvent): void {
    this.#trace?.observe(event);
    this.#options.observer?.(event);
  }

  /** For the first call of a name. */
  async #ask(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const route = resolveRoute(request.model, this.#settings);
    // Targets are compared by what is listed of them; for a single one it is read when the request is on its way.
    const isCompared = route.targets.length + route.fallbacks.length > 1;
    // An answer without a price is still one.
    const prices = this.#loadPrices(isCompared).catch(() => undefined);
    if (isCompared) await prices;
    const stream = await this.#routerOf(request.model, route).open(request, signal, context);
    await prices;
    return stream;
  }

  async #loadPrices(isAtOnce: boolean): Promise<void> {
    if (!isAtOnce) await macrotask();
    await this.#prices.load();
  }

  #routerOf(model: string, { name, targets, fallbacks, strategy, fallbackOn }: Route): Provider {
    return this.#routers.getOrMake(model, () => {
      const { router = {} } = this.#settings;
      return createRouter(
        compact({
          name,
          targets: targets.map((target) => this.#toRouted(target, target.weight)),
          fallbacks: fallbacks.map((target) => this.#toRouted(target)),
          strategy: this.#strategyOf(strategy ?? router.strategy ?? 'priority'),
          fallback: router.fallbackEnabled,
          fallbackOn: fallbackOn ?? router.fallbackOn,
          world: this.#world,
        }),
      );
    });
  }

  #strategyOf(strategy: StrategyName | Strategy): Strategy {
    return typeof strategy === 'object' ? strategy : this.#experience.strategyOf(strategy, this.#world);
  }

  #toRouted(target: Target, weight = 1): RoutedTarget {
    const name = labelOf(target);
    const { provider, breaker } = this.#targets.getOrMake(name, () => this.#guard(target));
    const { model } = target;
    const price = this.#prices.priceOf(model, target.provider.name);
    const vendor = vendorNamed(target.provider.type);
    return compact({
      name,
      provider,
      model,
      weight,
      capabilities: vendor?.capabilities,
      isUnableTo: vendor && ((request: ChatRequest) => findUnsupported(vendor, request) !== undefined),
      price: price && typicalCost(price),
      contextWindow: this.#prices.contextWindowOf(model, target.provider.name),
      isAvailable: breaker && (() => breaker.allows(this.#world.now())),
    });
  }

  #guard(target: Target): GuardedTarget {
    const { retry, breaker } = this.#settings;
    const { name, maxRetries } = target.provider;
    const asked: Provider = {
      name,
      open: (request, signal, context) =>
        this.#ready.get(name)?.open(request, signal, context) ??
        this.#providerOf(target.provider).then((made) => made.open(request, signal, context)),
    };
    const tries = maxRetries === undefined || retry === false ? retry : { ...retry, maxAttempts: maxRetries + 1 };
    const known = breaker === false ? undefined : this.#experience.breakerOf(target, breaker);
    const place = compact({ target: labelOf(target), world: this.#world, breaker: known });
    const guarded = guard(asked, compact({ retry: tries, breaker }), place);
    return { target, ...guarded };
  }

  #providerOf(settings: ProviderSettings): Promise<Provider> {
    let provider = this.#providers.get(settings.name);
    if (provider === undefined) {
      provider = createTargetProvider(settings, this.#settings, this.#runtime);
      this.#providers.set(settings.name, provider);
      provider.then(
        (made) => this.#ready.set(settings.name, made),
        // What was missing may be there the next time.
        () => this.#providers.delete(settings.name),
      );
    }
    return provider;
  }
}

function refuseCache(): never {
  throw new SimpleAgentsError('configuration', 'a cache needs a hash function: pass `sha256` to createGateway');
}

/** Of a call that reads three times as much as it writes, to compare targets by. */
function typicalCost({ input, output }: Rates): number {
  return (3 * input + output) / 4;
}

interface GuardedTarget extends Guarded {
  readonly target: Target;
}
