// The policies of a gateway in their order, from the caller to the vendor. Each is a provider around the next one and wraps
// `open`, so it costs nothing per event.
//
//   around a call     observation → cache → continuation → trace headers → router
//   around a target   retry → breaker → healing of tool arguments → rules of the vendor → structured output → guardrails →
//                     vendor
//
// Guardrails are next to the vendor, so that no other policy sees, stores or reports what they remove.
// Retry is outside the breaker because each attempt counts for the breaker.

import type { Observer } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { Sha256 } from '../core/hash.ts';
import { omitUndefined } from '../core/json.ts';
import type { Callable, CallRequest, CallResponse, Provider } from '../core/provider.ts';
import type { PriceBook } from '../prices/price.ts';
import { refusesForcedTool } from '../providers/vendor-rules.ts';
import { vendorOf } from '../providers/vendors.ts';
import type { ChatRequest } from '../core/request.ts';
import { cacheIdentity } from './cache/cache-key.ts';
import { withConfiguredCache } from './cache/configured-cache.ts';
import type { GatewaySettings } from './gateway.ts';
import { withObservation } from './observe/observe.ts';
import { withTraceHeaders, type TraceHeaders } from './observe/telemetry.ts';
import { withGuardrails } from './guardrail/guardrail.ts';
import { withHealing } from './output/healing.ts';
import { withForcedTool } from './output/forced-tool.ts';
import { withStructuredOutput } from './output/structured.ts';
import { Breaker, withBreaker } from './resilience/breaker.ts';
import { withContinuation } from './resilience/continuation.ts';
import type { LearnedState } from './learned-state.ts';
import { withRetry } from './resilience/retry.ts';
import { createModelRouter } from './routing/model-router.ts';
import { labelOf, type Target } from './routing/resolve.ts';
import { defaultName } from './routing/route.ts';
import { rulesOf, withVersionRules } from './target-rules.ts';
import { createTargetProvider, LazyProviders, type TargetRuntime } from './target-provider.ts';
import type { ProviderSettings } from './provider-settings.ts';

export interface StackParts {
  readonly settings: GatewaySettings;
  readonly runtime: TargetRuntime;
  readonly prices: PriceBook;
  readonly learnedState: LearnedState;
  readonly clock: Clock;
  readonly observer: Observer;
  /** The headers that link a request upstream to the trace of its call. */
  readonly traceHeaders: TraceHeaders;
  readonly sha256: Sha256;
}

export interface Stack {
  readonly provider: Provider;
  /** Closes the cache. The transport belongs to the gateway. */
  close(): Promise<void>;
}

export function createStack(parts: StackParts): Stack {
  const { settings, prices, learnedState, clock, observer, traceHeaders, sha256 } = parts;
  const { cache, router: { onCut } = {} } = settings;

  const vendors = new LazyProviders((provider) => openVendor(provider, parts));
  const toTarget = (target: Target): StackedTarget => stackTarget(target, vendors.get(target.provider), parts);
  const router = createModelRouter({ settings, prices, learnedState, clock, toTarget });
  const traced = withTraceHeaders(router, traceHeaders);
  const continuation = withContinuation(traced, onCut);
  const identify = (model: string): unknown => cacheIdentity(model, settings);
  const cached = cache?.enabled
    ? withConfiguredCache(continuation, cache, { identify, sha256, learnedState })
    : undefined;
  const observation = withObservation(cached ?? continuation, {
    observer,
    clock,
    nameOf: (model) => reportedName(model, settings),
    costOf: (target, usage) => prices.costOf({ target, usage }),
  });
  return { provider: observation, close: async () => cached?.close() };
}

export interface StackedTarget<Inner extends { readonly name: string } = Provider> {
  readonly provider: Inner;
  readonly breaker?: Breaker;
}

export function stackTarget<Request extends CallRequest, Response extends CallResponse>(
  target: Target,
  vendor: Callable<Request, Response>,
  { settings, learnedState, clock }: StackParts,
): StackedTarget<Callable<Request, Response>> {
  const { retry, breaker } = settings;
  const { maxRetries } = target.provider;
  const own = maxRetries === undefined || retry === false ? retry : { ...retry, maxAttempts: maxRetries + 1 };
  const known = breaker === false ? undefined : learnedState.breakerOf(target, breaker);
  return withTargetPolicies(
    vendor,
    omitUndefined({ retry: own, breaker }),
    omitUndefined({ target: labelOf(target), clock, breaker: known }),
  );
}

export interface TargetContext {
  /** `provider/model`, as events name it. */
  readonly target: string;
  readonly clock: Clock;
  /** The existing breaker of the target. */
  readonly breaker?: Breaker;
}

export function withTargetPolicies<Request extends CallRequest, Response extends CallResponse>(
  vendor: Callable<Request, Response>,
  { retry = {}, breaker: breaking = {} }: Pick<GatewaySettings, 'retry' | 'breaker'>,
  { breaker: known, ...place }: TargetContext,
): StackedTarget<Callable<Request, Response>> {
  const retrying = { ...(retry === false ? { maxAttempts: 1 } : retry), ...place };
  if (breaking === false) return { provider: withRetry(vendor, retrying) };
  const breaker = known ?? new Breaker(breaking);
  return { provider: withRetry(withBreaker(vendor, { breaker, ...place }), retrying), breaker };
}

async function openVendor(provider: ProviderSettings, { settings, runtime }: StackParts): Promise<Provider> {
  const row = vendorOf(provider) ?? settings.plugins?.providers.get(provider.type)?.definition;
  const vendor = withGuardrails(await createTargetProvider(provider, settings, runtime), settings.guardrails);
  const rules = rulesOf(provider, row);
  const cannotForce = (request: ChatRequest): boolean => refusesForcedTool(rules, request);
  const structured =
    row?.capabilities === undefined ? vendor : withStructuredOutput(vendor, row.capabilities, cannotForce);
  const ruled = withVersionRules(withForcedTool(structured, rules), rules);
  return withHealing(ruled, { ...settings.healing, tools: provider.healTools ?? row?.validArguments !== true });
}

/** The model name to report for a call. A request without a model is reported with the default name. */
function reportedName(model: string, settings: GatewaySettings): string {
  try {
    return model || defaultName(settings);
  } catch {
    // The router rejects the call with the reason.
    return '';
  }
}

export function missingSha256(): never {
  throw new SimpleAgentsError('configuration', 'a cache needs a hash function: pass `sha256` to createGateway');
}
