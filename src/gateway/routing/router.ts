// One provider out of several targets: a strategy says who is asked first, and when that one fails before anything
// came, the next is asked. Knows targets only as providers with a name; retry and breaker are theirs.
// Invariants:
//   1. Each target is asked at most once for a call, and the next only when the one before has rejected.
//   2. A target that cannot take the request, or whose breaker is open, is passed over while there is another.
//   3. A target that another can stand in for is asked as replaceable: it is left sooner when it is silent.
//   4. When all fail, the error names every one of them. A call that ran out of its total time goes nowhere else.

import type { CallContext, SkipReason } from '../../core/call.ts';
import { isAbort, toError, unsupportedField, SimpleAgentsError, type ErrorKind } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { noUsage } from '../../core/usage.ts';
import type { Capabilities } from '../../providers/vendors.ts';
import { isTotalTimeout } from '../../core/timeout.ts';
import { isBreakerOpen } from '../resilience/breaker.ts';
import { createCallId } from '../observe/observe.ts';
import { canMeet, leastTokens, requirementsOf } from './requirement.ts';
import { createStrategy, type Strategy, type StrategyTarget } from './strategy.ts';
import { systemClock, type Clock } from '../../core/clock.ts';

export interface RoutedTarget extends Pick<StrategyTarget, 'name' | 'model' | 'price'> {
  readonly provider: Provider;
  readonly weight?: number;
  /** Left out: it takes anything. */
  readonly capabilities?: Capabilities;
  /** Whether it would have to leave something out that changes the meaning of the answer. */
  readonly isUnableTo?: (request: ChatRequest) => boolean;
  /** In tokens. */
  readonly contextWindow?: number;
  /** Whether its breaker lets calls through. */
  readonly isAvailable?: () => boolean;
}

export interface RouterOptions {
  /** What a call names to come here. */
  readonly name?: string;
  /** Among these the strategy chooses. */
  readonly targets: readonly RoutedTarget[];
  /** Asked in this order after all of those. */
  readonly fallbacks?: readonly RoutedTarget[];
  readonly strategy?: Strategy;
  /** `false`: only the first is asked. */
  readonly fallback?: boolean;
  /** The errors after which the next target is asked. */
  readonly fallbackOn?: readonly ErrorKind[];
  readonly clock?: Clock;
}

/** What another target may do better. A request that is wrong is wrong everywhere. */
export const defaultFallbackOn: readonly ErrorKind[] = [
  'context-overflow',
  'auth',
  'quota',
  'not-found',
  'rate-limit',
  'overloaded',
  'upstream',
  'network',
  'timeout',
  'bad-response',
];

export function createRouter(options: RouterOptions): Provider {
  return new Router(options);
}

/** A target as the strategy sees it, which has no business with the provider itself. */
interface RouteCandidate extends StrategyTarget {
  readonly target: RoutedTarget;
}

interface RouteFailure {
  readonly target: RoutedTarget;
  readonly error: SimpleAgentsError;
}

class Router implements Provider {
  readonly name: string;
  readonly #all: readonly RouteCandidate[];
  readonly #only: RouteCandidate | undefined;
  readonly #candidates: readonly RouteCandidate[];
  readonly #fallbacks: readonly RouteCandidate[];
  readonly #strategy: Strategy;
  /** The strategy wants to be told how calls go. */
  readonly #isLearning: boolean;
  readonly #fallback: boolean;
  readonly #fallbackOn: ReadonlySet<ErrorKind>;
  readonly #clock: Clock;

  constructor(options: RouterOptions) {
    const { name = 'router', targets, fallbacks = [], clock = systemClock } = options;
    this.name = name;
    this.#candidates = targets.map(toCandidate);
    this.#fallbacks = fallbacks.map(toCandidate);
    this.#all = [...this.#candidates, ...this.#fallbacks];
    this.#only = this.#all.length === 1 ? this.#all[0] : undefined;
    this.#clock = clock;
    this.#strategy = options.strategy ?? createStrategy('priority', clock);
    this.#isLearning = 'onStart' in this.#strategy || 'onFirstToken' in this.#strategy || 'onEnd' in this.#strategy;
    this.#fallback = options.fallback ?? true;
    this.#fallbackOn = new Set(options.fallbackOn ?? defaultFallbackOn);
  }

  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    // With nobody else to be asked, what becomes of the call is the target's own.
    if (this.#only !== undefined) return this.#call(this.#only, request, signal, context);
    return this.#tryInOrder(request, signal, context);
  }

  async #tryInOrder(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const failures: RouteFailure[] = [];
    const plan = this.#plan(request, context);
    for (const candidate of plan) {
      const before = failures.at(-1);
      if (before !== undefined) {
        if (!isWorthTrying(candidate.target, before)) continue;
        announceFallback(before, candidate, context);
      }
      try {
        const own = candidate === plan.at(-1) ? context : this.#asReplaceable(context);
        return await this.#call(candidate, request, signal, own);
      } catch (thrown) {
        if (isAbort(thrown, signal)) throw thrown;
        const error = toError(thrown);
        failures.push({ target: candidate.target, error });
        if (!this.#shouldFallBack(error)) break;
      }
    }
    throw joinFailures(failures);
  }

  #asReplaceable(context: CallContext | undefined): CallContext | undefined {
    if (!this.#fallbackOn.has('timeout')) return context;
    return { ...(context ?? { id: createCallId(this.#clock), observe: () => undefined }), isReplaceable: true };
  }

  /** Who is asked, in which order. */
  #plan(request: ChatRequest, context: CallContext | undefined): readonly RouteCandidate[] {
    const able = this.#filterAble(this.#all, request, context);
    const isAble = (candidate: RouteCandidate) => able.includes(candidate);
    const first = this.#strategy.order(this.#candidates.filter(isAble), { request, route: this.name });
    const order = [...first, ...this.#fallbacks.filter(isAble)];
    const avoid = context?.avoid;
    const planned = avoid === undefined ? order : moveLast(order, ({ name }) => avoid.includes(name));
    return this.#fallback ? planned : planned.slice(0, 1);
  }

  /** Leaves out those that cannot answer, as long as one can. */
  #filterAble(
    candidates: readonly RouteCandidate[],
    request: ChatRequest,
    context: CallContext | undefined,
  ): readonly RouteCandidate[] {
    const requirements = requirementsOf(request);
    let tokens: number | undefined;
    const fits = ({ target: { contextWindow } }: RouteCandidate): boolean =>
      contextWindow === undefined || (tokens ??= leastTokens(request)) <= contextWindow;
    const checks: readonly (readonly [SkipReason, (candidate: RouteCandidate) => boolean])[] = [
      ['incapable', ({ target }) => target.isUnableTo?.(request) !== true],
      ['incapable', ({ target }) => canMeet(target.capabilities, requirements)],
      ['context-window', fits],
      ['breaker-open', ({ target }) => target.isAvailable?.() ?? true],
    ];
    let left = candidates;
    for (const [reason, passes] of checks) {
      const passing = left.filter(passes);
      if (passing.length === 0 || passing.length === left.length) continue;
      for (const { name } of left.filter((candidate) => !passing.includes(candidate))) {
        context?.observe({ type: 'target-skip', call: context.id, target: name, reason });
      }
      left = passing;
    }
    return left;
  }

  #call(
    candidate: RouteCandidate,
    request: ChatRequest,
    signal: AbortSignal,
    context: CallContext | undefined,
  ): Promise<ModelStream> {
    if (this.#isLearning) return this.#callWatched(candidate, request, signal, context);
    const { provider, model } = candidate.target;
    return provider.open({ ...request, model }, signal, context);
  }

  /** For strategies that learn from how calls go. */
  async #callWatched(
    candidate: RouteCandidate,
    request: ChatRequest,
    signal: AbortSignal,
    context: CallContext | undefined,
  ): Promise<ModelStream> {
    const { provider, model } = candidate.target;
    const strategy = this.#strategy;
    const start = this.#clock.now();
    strategy.onStart?.(candidate);
    try {
      const stream = await provider.open({ ...request, model }, signal, context);
      strategy.onFirstToken?.(candidate, this.#clock.now() - start);
      if (strategy.onEnd !== undefined) {
        void stream.ended.then((outcome) => strategy.onEnd?.(candidate, withoutAbort(outcome, signal)));
      }
      return stream;
    } catch (error) {
      strategy.onEnd?.(candidate, withoutAbort({ type: 'failed', error, usage: noUsage }, signal));
      throw error;
    }
  }

  #shouldFallBack(error: SimpleAgentsError): boolean {
    if (isBreakerOpen(error) || error.code === unsupportedField) return true;
    return this.#fallbackOn.has(error.kind) && !isTotalTimeout(error);
  }
}

function toCandidate(target: RoutedTarget): RouteCandidate {
  const { name, model, price, weight = 1, provider } = target;
  return { name, model, weight, provider: provider.name, target, ...(price === undefined ? {} : { price }) };
}

/** A prompt that was too long for one target is only worth sending to one with more room. */
function isWorthTrying({ contextWindow }: RoutedTarget, { error, target }: RouteFailure): boolean {
  if (error.kind !== 'context-overflow' || contextWindow === undefined) return true;
  return target.contextWindow === undefined || contextWindow > target.contextWindow;
}

function announceFallback(before: RouteFailure, { name }: RouteCandidate, context: CallContext | undefined): void {
  const { target, error } = before;
  context?.observe({ type: 'fallback', call: context.id, from: target.name, target: name, error });
}

/** A caller that goes away is no failure of the target's. */
function withoutAbort(outcome: Outcome, signal: AbortSignal): Outcome {
  if (outcome.type !== 'failed' || !isAbort(outcome.error, signal)) return outcome;
  return { type: 'left', usage: outcome.usage };
}

/** The error that names every target. Its kind is that of the last retryable failure, if there is one, else of the last. */
function joinFailures(failures: readonly RouteFailure[]): SimpleAgentsError {
  const telling = failures.findLast(({ error }) => error.retryable) ?? failures.at(-1);
  if (telling === undefined) return new SimpleAgentsError('configuration', 'there is no target to ask');
  const { error } = telling;
  if (failures.length === 1) return error;
  const { kind, status, retryAfterMs, target, field, code, requestId } = error;
  const told = failures.map((failure) => `${failure.target.name}: ${failure.error.message}`);
  const details = { cause: error, status, retryAfterMs, target, field, code, requestId };
  return new SimpleAgentsError(kind, `no target answered. ${told.join('; ')}`, omitUndefined(details));
}

function moveLast<T>(items: readonly T[], isLast: (item: T) => boolean): readonly T[] {
  return [...items.filter((item) => !isLast(item)), ...items.filter(isLast)];
}
