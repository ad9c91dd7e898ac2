// The whole of the configured providers as one provider: a request's model name chooses who answers. What is
// handed a gateway cannot tell it from a single model.

import type { CallContext, Observer, OnCut } from '../core/call.ts';
import { SimpleAgentsError, type ErrorKind } from '../core/error.ts';
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
import { withContinuation } from './continuation.ts';
import { guard, type Guarded, type GuardSettings } from './guard.ts';
import { withHealing, type HealingSettings } from './heal.ts';
import { withObservation } from './observe.ts';
import { labelOf, resolveModel, type ResolveSettings, type Target } from './resolve.ts';
import { resolveRoute } from './route.ts';
import { createRouter, type RoutedTarget } from './router.ts';
import { createStrategy, type Strategy, type StrategyName } from './strategy.ts';
import { withStructuredOutput } from './structured.ts';
import type { ProviderSettings } from './target.ts';
import { realWorld, type World } from './world.ts';

export interface GatewaySettings extends ResolveSettings, GuardSettings {
  /** For requests that set no limit of their own. */
  readonly maxTokens?: number;
  readonly timeouts?: Partial<Timeouts>;
  readonly proxy?: ProxySettings;
  /** How tool-call arguments are healed. */
  readonly healing?: HealingSettings;
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
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Carries the bytes instead of the network. */
  readonly transport?: Transport;
  /** Is told what happens to every call. */
  readonly observer?: Observer;
  /** Of a typical call, so that targets can be compared. */
  readonly priceOf?: (target: Target) => number | undefined;
  /** In tokens. */
  readonly contextWindowOf?: (target: Target) => number | undefined;
  /** In US dollars. */
  readonly costOf?: (target: Target, usage: Usage) => number | undefined;
  readonly world?: World;
}

export function createGateway(settings: GatewaySettings, options: GatewayOptions = {}): Gateway {
  return new ConfiguredGateway(settings, options);
}

/** Whether a provider has all the policies already. */
export function isGateway(provider: Provider): provider is Gateway {
  return provider instanceof ConfiguredGateway;
}

/** Names come from callers, so what is kept for each must have an end. */
const mostNames = 1000;

class ConfiguredGateway implements Gateway {
  readonly name = 'gateway';
  readonly #settings: GatewaySettings;
  readonly #options: GatewayOptions;
  readonly #world: World;
  readonly #transport: Transport;
  readonly #providers = new Map<string, Promise<Provider>>();
  readonly #targets = new Map<string, GuardedTarget>();
  readonly #routes = new Map<string, Provider>();
  readonly #strategies = new Map<StrategyName, Strategy>();
  readonly #outermost: Provider;

  constructor(settings: GatewaySettings, options: GatewayOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#world = options.world ?? realWorld;
    const { proxy, timeouts } = settings;
    this.#transport = options.transport ?? createHttpTransport(compact({ proxy, connectTimeout: timeouts?.connect }));
    this.#outermost = this.#compose();
  }

  resolve(model?: string): Target {
    return resolveModel(model, this.#settings);
  }

  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const { maxTokens } = this.#settings;
    const limited = request.maxTokens === undefined && maxTokens !== undefined ? { ...request, maxTokens } : request;
    return this.#outermost.open(limited, signal, context);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** The policies around every call, from the inside out; those of a single target are in guard.ts. */
  #compose(): Provider {
    const { router } = this.#settings;
    const { observer } = this.#options;
    const routed: Provider = {
      name: this.name,
      open: async (request, signal, context) => this.#routeOf(request.model).open(request, signal, context),
    };
    const continued = withContinuation(routed, router?.onCut);
    return withObservation(continued, compact({ observer, world: this.#world, costOf: this.#costOf() }));
  }

  #costOf(): ((target: string, usage: Usage) => number | undefined) | undefined {
    const { costOf } = this.#options;
    if (costOf === undefined) return undefined;
    return (name, usage) => {
      const target = recall(this.#targets, name)?.target;
      return target && costOf(target, usage);
    };
  }

  #routeOf(model: string): Provider {
    return remember(this.#routes, model, () => {
      const { router = {} } = this.#settings;
      const { name, targets, fallbacks, strategy, fallbackOn } = resolveRoute(model, this.#settings);
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

  /** One for each name, so that all routes know what it has learnt. */
  #strategyOf(strategy: StrategyName | Strategy): Strategy {
    if (typeof strategy === 'object') return strategy;
    return remember(this.#strategies, strategy, () => createStrategy(strategy, this.#world));
  }

  #toRouted(target: Target, weight = 1): RoutedTarget {
    const name = labelOf(target);
    const { provider, breaker } = remember(this.#targets, name, () => this.#guard(target));
    const { priceOf, contextWindowOf } = this.#options;
    return compact({
      name,
      provider,
      model: target.model,
      weight,
      capabilities: vendorNamed(target.provider.type)?.capabilities,
      price: priceOf?.(target),
      contextWindow: contextWindowOf?.(target),
      isAvailable: breaker && (() => breaker.allows(this.#world.now())),
    });
  }

  #guard(target: Target): GuardedTarget {
    const { retry, breaker } = this.#settings;
    const { name, maxRetries } = target.provider;
    const asked: Provider = {
      name,
      open: async (request, signal, context) =>
        (await this.#providerOf(target.provider)).open(request, signal, context),
    };
    const tries = maxRetries === undefined || retry === false ? retry : { ...retry, maxAttempts: maxRetries + 1 };
    const guarded = guard(asked, compact({ retry: tries, breaker }), { target: labelOf(target), world: this.#world });
    return { target, ...guarded };
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

interface GuardedTarget extends Guarded {
  readonly target: Target;
}

/** What is known under the key, else what is made now; the one not asked for longest is forgotten. */
function remember<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = recall(known, key) ?? make();
  const [oldest] = known.keys();
  if (known.size >= mostNames && oldest !== undefined && !known.has(key)) known.delete(oldest);
  known.set(key, value);
  return value;
}

function recall<Key, Value>(known: Map<Key, Value>, key: Key): Value | undefined {
  const value = known.get(key);
  if (value !== undefined) {
    known.delete(key);
    known.set(key, value);
  }
  return value;
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
