// The package's face: everything a user may import, and nothing else.

export { createAgent, type Agent, type AgentOptions, type CompactOptions, type ModelSource } from './agent/agent.ts';
export type { RetryPlan } from './agent/ask.ts';
export type * from './agent/event.ts';
export type { AnswerRecord, HistoryChange, HistoryObserver } from './agent/history.ts';
export type { TurnLimits } from './agent/loop.ts';
export { isWithdrawal } from './agent/policy.ts';
export type * from './agent/policy.ts';
export { repairHistory, type Repaired } from './agent/repair.ts';
export type { AgentResult, AgentRun } from './agent/run.ts';
export {
  defineTool,
  type Tool,
  type ToolAnswer,
  type ToolAnswerPart,
  type ToolContext,
  type ToolEffect,
  type ToolSpec,
} from './agent/tool.ts';
export type { Spending } from './agent/turn.ts';
export type { Client } from './client/client.ts';
export type { Choice, Completion } from './client/completion.ts';
export type { CacheChoice, ClientOptions } from './client/options.ts';
export type { Ask, MessageInput, RequestInput, TypedRequestInput } from './client/request.ts';
export type { CompletionStream } from './client/stream.ts';
export type { TypedStream } from './client/typed-stream.ts';
export type { HealingOptions, TypedCompletion } from './client/typed.ts';
export { assemble, MessageAssembler, type AssembledMessage } from './core/assembler.ts';
export type { CacheControl, CallContext, CallEnd, CallEvent, Observer, OnCut } from './core/call.ts';
export { errorTable, SimpleAgentsError, type ErrorKind, type ErrorRow } from './core/error.ts';
export type * from './core/event.ts';
export type { JsonObject, JsonSchema, JsonValue } from './core/json.ts';
export { argumentsOf, text, textOf, toolCallsOf } from './core/message.ts';
export type * from './core/message.ts';
export type { ModelStream, Outcome, Provider } from './core/provider.ts';
export type * from './core/request.ts';
export { addUsage, promptTokens, type Usage } from './core/usage.ts';
export { withCache, type Cache, type CachedProvider, type CacheOptions } from './gateway/cache/cache.ts';
export type { Gateway, GatewayOptions, GatewaySettings } from './gateway/gateway.ts';
export { withHealing, type HealingSettings } from './gateway/output/heal.ts';
export { logCalls, type CallRecord } from './gateway/observe/log.ts';
export { loadPriceBook, type PriceBook, type PriceBookSettings, type PriceSettings } from './prices/price.ts';
export type { Price, Rates } from './prices/price-table.ts';
export { createMemoryCache, type MemoryCacheOptions } from './gateway/cache/memory-cache.ts';
export { createRedisCache, type RedisCache, type RedisCacheOptions } from './gateway/cache/redis-cache.ts';
export { Breaker, withBreaker, type BreakerOptions, type BreakerSettings } from './gateway/resilience/breaker.ts';
export { withContinuation } from './gateway/resilience/continuation.ts';
export type { RoutingSettings } from './gateway/gateway.ts';
export { withObservation, type ObservationOptions } from './gateway/observe/observe.ts';
export type { AliasSettings, ChainSettings, Target } from './gateway/routing/resolve.ts';
export { withRetry, type RetryOptions, type RetrySettings } from './gateway/resilience/retry.ts';
export { createRouter, type RoutedTarget, type RouterOptions } from './gateway/routing/router.ts';
export {
  createStrategy,
  type Strategy,
  type StrategyCall,
  type StrategyName,
  type StrategyTarget,
} from './gateway/routing/strategy.ts';
export type { ProviderSettings } from './gateway/target.ts';
export * from './heal/index.ts';
export type { World } from './core/clock.ts';
export { createTransport, type TransportSettings } from './config/transport.ts';
export { createSimulatedProvider, type SimulatedOptions } from './testing/model/provider.ts';
export { createFetchTransport, type FetchOptions } from './transport/fetch.ts';
export { createUndiciTransport } from './transport/lazy-undici.ts';
export type { ProxySettings } from './transport/proxy.ts';
export { createRecordedTransport, type RecordedOptions } from './transport/recorded/recorded.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport/transport.ts';
export type { NetworkSettings, UndiciOptions } from './transport/undici.ts';
export { createClient, createGateway } from './node.ts';
