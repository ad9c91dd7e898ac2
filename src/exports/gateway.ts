// `simple-agents/gateway`: many providers as one, and its policies. A policy is a provider that wraps another provider.

export { createTransport, type TransportSettings } from '../config/transport.ts';
export { assemble, MessageAssembler, type AssembledMessage } from '../core/assembler.ts';
export type { CacheControl, CallContext, CallEnd, CallEvent, Observer, OnCut } from '../core/call.ts';
export type { Clock } from '../core/clock.ts';
export { addUsage, promptTokens, type BilledUsage, type Usage } from '../core/usage.ts';
export type { Cache, CachedProvider, CacheOptions } from '../gateway/cache/cache.ts';
export { createMemoryCache, type MemoryCacheOptions } from '../gateway/cache/memory-cache.ts';
export { createRedisCache, type RedisCache, type RedisCacheOptions } from '../gateway/cache/redis-cache.ts';
export type { Gateway, GatewayOptions, GatewaySettings, RoutingSettings } from '../gateway/gateway.ts';
export { logCalls, type CallRecord } from '../gateway/observe/log.ts';
export { withObservation, type ObservationOptions } from '../gateway/observe/observe.ts';
export { withHealing, type HealingSettings } from '../gateway/output/healing.ts';
export { Breaker, withBreaker, type BreakerOptions, type BreakerSettings } from '../gateway/resilience/breaker.ts';
export { withContinuation } from '../gateway/resilience/continuation.ts';
export { withRetry, type RetryOptions, type RetrySettings } from '../gateway/resilience/retry.ts';
export type { AliasSettings, ChainSettings, Target } from '../gateway/routing/resolve.ts';
export { createRouter, type RoutedTarget, type RouterOptions } from '../gateway/routing/router.ts';
export {
  createStrategy,
  type Strategy,
  type StrategyCall,
  type StrategyName,
  type StrategyTarget,
} from '../gateway/routing/strategy.ts';
export { withGuardrail, type Guardrail } from '../gateway/guardrail/guardrail.ts';
export type { Finding, TextFilter } from '../gateway/guardrail/text-filter.ts';
export type {
  GuardrailDefinition,
  PluginApi,
  PluginModule,
  ProviderDefinition,
  ProviderOptions,
  StrategyDefinition,
} from '../gateway/plugin/definition.ts';
export type { ProviderSettings } from '../gateway/provider-settings.ts';
export { createGateway, withCache } from '../node.ts';
export { loadPriceBook, type PriceBook, type PriceBookSettings, type PriceSettings } from '../prices/price.ts';
export type { Price, Rates } from '../prices/price-table.ts';
export { createFetchTransport, type FetchOptions } from '../transport/fetch.ts';
export { createUndiciTransport } from '../transport/lazy-undici.ts';
export type { ProxySettings } from '../transport/proxy.ts';
export type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
export type { NetworkSettings, UndiciOptions } from '../transport/undici.ts';
