// The policies around an embedding call, from the caller to the vendor:
//
//   around a call     observation → cache → trace headers → router
//   around a target   batches → retry → breaker → vendor
//
// Vectors of different models cannot be compared. The router therefore calls only targets with the same model name.

import type { EmbeddingRequest, EmbeddingResponse } from '../../core/embedding.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Sha256 } from '../../core/hash.ts';
import { omitUndefined } from '../../core/json.ts';
import { LruMap } from '../../core/lru.ts';
import { vendorNamed } from '../../providers/vendors.ts';
import { canonicalKey, cacheIdentity } from '../cache/cache-key.ts';
import { defaultTtl, openStore } from '../cache/configured-cache.ts';
import type { GatewaySettings } from '../gateway.ts';
import { withObservation } from '../observe/observe.ts';
import { withTraceHeaders } from '../observe/telemetry.ts';
import { labelOf, type Target } from '../routing/resolve.ts';
import { resolveRoute, type Route } from '../routing/route.ts';
import { createRouter, type RoutedTarget } from '../routing/router.ts';
import { stackTarget, type StackParts } from '../stack.ts';
import { createTargetProvider, LazyProviders } from '../target-provider.ts';
import { withBatches, type Embedder } from './batches.ts';
import { withEmbeddingCache } from './embedding-cache.ts';

export interface EmbeddingStack {
  readonly embedder: Embedder;
  close(): Promise<void>;
}

export function createEmbeddingStack(parts: StackParts): EmbeddingStack {
  const { settings, prices, learnedState, clock, observer, traceHeaders, sha256 } = parts;
  const router = withTraceHeaders(new EmbeddingRouter(parts), traceHeaders);
  const store = settings.cache?.enabled ? openStore(settings.cache, learnedState) : undefined;
  const cached =
    store === undefined
      ? router
      : withEmbeddingCache(router, {
          cache: store.cache,
          ttl: settings.cache?.ttl ?? defaultTtl,
          keyOf: (request, caller) => keyOf(request, settings.cache?.share ? undefined : caller, { settings, sha256 }),
        });
  const costOf = (target: string, usage: EmbeddingResponse['usage']) => prices.costOf({ target, usage });
  const embedder = withObservation(cached, { observer, clock, costOf });
  return { embedder, close: async () => store?.close() };
}

interface KeyOptions {
  readonly settings: GatewaySettings;
  readonly sha256: Sha256;
}

function keyOf(
  { stream: _stream, user: _user, ...request }: EmbeddingRequest,
  caller: string | undefined,
  { settings, sha256 }: KeyOptions,
): string | undefined {
  try {
    const identity = cacheIdentity(request.model, settings);
    return canonicalKey({ type: 'embeddings', ...request, identity, caller }, sha256);
  } catch {
    // An unknown model name. The call itself reports the error.
    return undefined;
  }
}

class EmbeddingRouter implements Embedder {
  readonly name = 'gateway';
  readonly #parts: StackParts;
  readonly #vendors: LazyProviders;
  readonly #routers = new LruMap<string, Embedder>();

  constructor(parts: StackParts) {
    this.#parts = parts;
    const { settings, runtime } = parts;
    this.#vendors = new LazyProviders((provider) => createTargetProvider(provider, settings, runtime));
  }

  async open(...call: Parameters<Embedder['open']>): Promise<EmbeddingResponse> {
    const [{ model }] = call;
    // The cost of the response needs them.
    await this.#parts.prices.load().catch(() => undefined);
    return this.#routers.getOrMake(model, () => this.#createRouter(model)).open(...call);
  }

  #createRouter(model: string): Embedder {
    const { settings, learnedState, clock } = this.#parts;
    const { router = {} } = settings;
    const { name, targets, fallbacks, strategy = router.strategy ?? 'priority', fallbackOn } = routeOf(model, settings);
    return createRouter<EmbeddingRequest, EmbeddingResponse>(
      omitUndefined({
        name,
        targets: targets.map((target) => this.#toRouted(target, target.weight)),
        fallbacks: fallbacks.map((target) => this.#toRouted(target)),
        strategy: typeof strategy === 'object' ? strategy : learnedState.strategyOf(strategy, clock),
        fallback: router.fallbackEnabled,
        fallbackOn: fallbackOn ?? router.fallbackOn,
        clock,
      }),
    );
  }

  #toRouted(target: Target, weight = 1): RoutedTarget<EmbeddingRequest, EmbeddingResponse> {
    const { clock } = this.#parts;
    const own = this.#vendors.get(target.provider);
    const vendor: Embedder = { name: own.name, open: (...call) => own.embed(...call) };
    const { provider, breaker } = stackTarget(target, vendor, this.#parts);
    const { embeddings = {} } = vendorNamed(target.provider.type) ?? {};
    return {
      name: labelOf(target),
      provider: withBatches(provider, embeddings),
      model: target.model,
      weight,
      ...(breaker && { isAvailable: () => breaker.allows(clock.now()) }),
    };
  }
}

/** The route without targets that have another model. */
function routeOf(model: string, settings: GatewaySettings): Route {
  const route = resolveRoute(model, settings);
  const [first] = route.targets;
  if (!model && first?.provider.type !== 'simulated') {
    const hint = 'name an embedding model, such as openai/text-embedding-3-small';
    throw new SimpleAgentsError('bad-request', `model: there is no default for embeddings; ${hint}`, {
      field: 'model',
    });
  }
  const isSame = (target: Target): boolean => target.model === first?.model;
  return { ...route, targets: route.targets.filter(isSame), fallbacks: route.fallbacks.filter(isSame) };
}
