// All configured providers as one provider: a request's model name decides which one answers. Code that is handed a gateway
// cannot tell it from a single model. The policies around a call are in stack.ts.

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
  /** `false`: failing targets are called all the same. */
  readonly breaker?: Partial<BreakerSettings> | false;
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
  readonly clock?: Clock;
  /** Of the gateway that this one replaces. */
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
