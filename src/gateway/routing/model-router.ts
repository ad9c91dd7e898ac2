// Finds the router for the model name of a request. A router is created at the first call and kept, because strategies and
// targets outlive a call.

import type { CallContext } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { omitUndefined } from '../../core/json.ts';
import { LruMap } from '../../core/lru.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { macrotask } from '../../core/macrotask.ts';
import type { Rates } from '../../prices/price-table.ts';
import type { PriceBook } from '../../prices/price.ts';
import { leaveOut } from '../../providers/left-out-fields.ts';
import { findUnsupported } from '../../providers/vendor-provider.ts';
import { vendorOf } from '../../providers/vendors.ts';
import type { GatewaySettings } from '../gateway.ts';
import type { LearnedState } from '../learned-state.ts';
import type { StackedTarget } from '../stack.ts';
import { isAgainstRules, rulesOf } from '../target-rules.ts';
import { labelOf, type Target } from './resolve.ts';
import { resolveRoutes, type Route } from './route.ts';
import { createRouter, type RoutedTarget } from './router.ts';
import type { Strategy, StrategyName } from './strategy.ts';

export interface ModelRouterOptions {
  readonly settings: GatewaySettings;
  readonly prices: PriceBook;
  readonly learnedState: LearnedState;
  readonly clock: Clock;
  /** A target with the policies around it. */
  readonly toTarget: (target: Target) => StackedTarget;
}

export function createModelRouter(options: ModelRouterOptions): Provider {
  return new ModelRouter(options);
}

class ModelRouter implements Provider {
  readonly name = 'gateway';
  readonly #options: ModelRouterOptions;
  readonly #routers = new LruMap<string, Provider>();
  readonly #targets = new LruMap<string, StackedTarget>();

  constructor(options: ModelRouterOptions) {
    this.#options = options;
  }

  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    if (request.fallbackModels !== undefined) return this.#openFirst(request, signal, context);
    const known = this.#routers.get(request.model);
    return known?.open(request, signal, context) ?? this.#openFirst(request, signal, context);
  }

  async #openFirst(
    { fallbackModels = [], ...request }: ChatRequest,
    signal: AbortSignal,
    context?: CallContext,
  ): Promise<ModelStream> {
    const route = resolveRoutes([request.model, ...fallbackModels], this.#options.settings);
    // Several targets are compared by prices and context windows. For a single one, prices are loaded during the call.
    const isCompared = route.targets.length + route.fallbacks.length > 1;
    // The call does not depend on the prices.
    const prices = this.#loadPrices(isCompared).catch(() => undefined);
    if (isCompared) await prices;
    const stream = await this.#routerOf(routerName(request.model, fallbackModels), route).open(
      request,
      signal,
      context,
    );
    await prices;
    return stream;
  }

  async #loadPrices(isAtOnce: boolean): Promise<void> {
    if (!isAtOnce) await macrotask();
    await this.#options.prices.load();
  }

  #routerOf(model: string, { name, targets, fallbacks, strategy, fallbackOn }: Route): Provider {
    const { settings, clock } = this.#options;
    const { router = {} } = settings;
    return this.#routers.getOrMake(model, () =>
      createRouter(
        omitUndefined({
          name,
          targets: targets.map((target) => this.#toRouted(target, target.weight)),
          fallbacks: fallbacks.map((target) => this.#toRouted(target)),
          strategy: this.#strategyOf(strategy ?? router.strategy ?? 'priority'),
          fallback: router.fallbackEnabled,
          fallbackOn: fallbackOn ?? router.fallbackOn,
          clock,
        }),
      ),
    );
  }

  #strategyOf(strategy: StrategyName | Strategy): Strategy {
    const { learnedState, clock } = this.#options;
    return typeof strategy === 'object' ? strategy : learnedState.strategyOf(strategy, clock);
  }

  #toRouted(target: Target, weight = 1): RoutedTarget {
    const { prices, clock, toTarget } = this.#options;
    const name = labelOf(target);
    const { provider, breaker } = this.#targets.getOrMake(name, () => toTarget(target));
    const { model } = target;
    const price = prices.priceOf(model, target.provider.name);
    const vendor = vendorOf(target.provider);
    const added = this.#options.settings.plugins?.providers.get(target.provider.type)?.definition;
    const row = vendor ?? added;
    const { capabilities } = row ?? {};
    const rules = rulesOf(target.provider, row);
    const { dropFields = [] } = target.provider;
    return omitUndefined({
      name,
      provider,
      model,
      weight,
      capabilities,
      isUnableTo: (request: ChatRequest) => {
        const left = leaveOut(request, dropFields).request;
        return (
          (vendor !== undefined && findUnsupported(vendor, left) !== undefined) ||
          isAgainstRules(rules, { ...left, model })
        );
      },
      price: price && typicalCost(price),
      contextWindow: prices.contextWindowOf(model, target.provider.name),
      isAvailable: breaker && (() => breaker.allows(clock.now())),
    });
  }
}

/** A model name never has a line break, so the two kinds of names differ. */
function routerName(model: string, fallbackModels: readonly string[]): string {
  return [model, ...fallbackModels].join('\n');
}

/** The cost of a call with three times as many input tokens as output tokens, to compare targets. */
function typicalCost({ input, output }: Rates): number {
  return (3 * input + output) / 4;
}
