// All configured providers as one provider: the model name of a request decides which one is called. Code that uses a
// gateway cannot tell it from a single model. The policies around a call are in stack.ts.

import type { CallContext, Observer, OnCut } from '../core/call.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import type { ErrorKind } from '../core/error.ts';
import type { Sha256 } from '../core/hash.ts';
import { omitUndefined } from '../core/json.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import type { BilledUsage } from '../core/usage.ts';
import { PriceBook, type PriceSettings } from '../prices/price.ts';
import { createFetchTransport, type Timeouts, type Transport } from '../providers/remote.ts';
import type { CacheSettings } from './cache/configured-cache.ts';
import { isTelemetryRegistered, loadTelemetry, type Telemetry } from './observe/telemetry.ts';
import type { HealingSettings } from './output/healing.ts';
import type { BreakerSettings } from './resilience/breaker.ts';
import { LearnedState } from './learned-state.ts';
import type { RetrySettings } from './resilience/retry.ts';
import { resolveModel, withoutImplicit, type ResolveSettings, type Target } from './routing/resolve.ts';
import type { Strategy, StrategyName } from './routing/strategy.ts';
import { createStack, type Stack } from './stack.ts';
import type { TargetRuntime } from './target-provider.ts';

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
  /** The target of a model name. Makes no call. */
  resolve(model?: string): Target;
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
  #telemetry: Telemetry | undefined;

  constructor(settings: GatewaySettings, options: GatewayOptions) {
    const { transport = createFetchTransport(), simulated, observer, sha256 } = options;
    this.#settings = settings.onlyConfigured === true ? withoutImplicit(settings) : settings;
    this.#transport = transport;
    this.#prices = new PriceBook(settings);
    this.#stack = createStack({
      settings: this.#settings,
      runtime: omitUndefined({ transport, simulated }),
      prices: this.#prices,
      learnedState: options.learnedState ?? new LearnedState(),
      clock: options.clock ?? systemClock,
      observer: (event) => {
        this.#telemetry?.observe(event);
        observer?.(event);
      },
      traceHeaders: (call) => this.#telemetry?.headersOf(call),
      ...omitUndefined({ sha256 }),
    });
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
      // A name that cannot be resolved fails when it is called.
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
    await this.#stack.close();
  }
}
