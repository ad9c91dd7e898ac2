// Routes a call to one of several targets. A strategy orders them; if a target fails before its first content, the next one
// is called. Targets are providers with a name, which have their own retry and breaker.
// Invariants:
//   1. Each target is called at most once for a call, and the next one only after the previous one has rejected.
//   2. A target that does not support the request, or whose breaker is open, is skipped while there is another.
//   3. A call that has another target is marked as replaceable, so that a silent target times out sooner.
//   4. If all fail, the error names every one of them. After the total time-out, no other target is called.

import type { CallContext, ProviderPin, SkipReason } from '../../core/call.ts';
import {
  addressesIn,
  isAbort,
  toError,
  unsupportedField,
  SimpleAgentsError,
  type ErrorKind,
} from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import type { Callable, CallRequest, CallResponse, ModelStream, Outcome } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { noUsage } from '../../core/usage.ts';
import type { Capabilities } from '../../providers/vendors.ts';
import { isTotalTimeout } from '../../core/timeout.ts';
import { isBreakerOpen } from '../resilience/breaker.ts';
import { createCallId } from '../observe/observe.ts';
import { canMeet, leastTokens, requirementsOf, type Demanding } from './requirement.ts';
import { createStrategy, type Strategy, type StrategyTarget } from './strategy.ts';
import { systemClock, type Clock } from '../../core/clock.ts';

/** A request that can be routed: a chat, or a call without messages. */
type Routable = CallRequest & Demanding;

export interface RoutedTarget<
  Request extends Routable = ChatRequest,
  Response extends CallResponse = ModelStream,
> extends Pick<StrategyTarget, 'name' | 'model' | 'price'> {
  readonly provider: Callable<Request, Response>;
  readonly weight?: number;
  /** If absent, it supports everything. */
  readonly capabilities?: Capabilities;
  /** Whether a field is unsupported that changes the meaning of the response. */
  readonly isUnableTo?: (request: Request) => boolean;
  /** In tokens. */
  readonly contextWindow?: number;
  /** Whether its breaker admits calls. */
  readonly isAvailable?: () => boolean;
}

export interface RouterOptions<Request extends Routable = ChatRequest, Response extends CallResponse = ModelStream> {
  /** The model name of the route. */
  readonly name?: string;
  /** The strategy chooses among these. */
  readonly targets: readonly RoutedTarget<Request, Response>[];
  /** Called in this order after all targets. */
  readonly fallbacks?: readonly RoutedTarget<Request, Response>[];
  readonly strategy?: Strategy;
  /** `false`: only the first target is called. */
  readonly fallback?: boolean;
  /** The errors after which the next target is called. */
  readonly fallbackOn?: readonly ErrorKind[];
  readonly clock?: Clock;
}

/** Errors that another target may not have. A bad request is bad everywhere. */
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

export function createRouter<Request extends Routable = ChatRequest, Response extends CallResponse = ModelStream>(
  options: RouterOptions<Request, Response>,
): Callable<Request, Response> {
  return new Router(options);
}

/** A target as the strategy sees it: without the provider itself. */
interface RouteCandidate<Request extends Routable, Response extends CallResponse> extends StrategyTarget {
  readonly target: RoutedTarget<Request, Response>;
}

interface RouteFailure {
  readonly target: Pick<RoutedTarget, 'name' | 'contextWindow'>;
  readonly error: SimpleAgentsError;
}

class Router<Request extends Routable, Response extends CallResponse> implements Callable<Request, Response> {
  readonly name: string;
  readonly #all: readonly RouteCandidate<Request, Response>[];
  readonly #only: RouteCandidate<Request, Response> | undefined;
  readonly #candidates: readonly RouteCandidate<Request, Response>[];
  readonly #fallbacks: readonly RouteCandidate<Request, Response>[];
  readonly #strategy: Strategy;
  /** The strategy needs to know how calls end. */
  readonly #isLearning: boolean;
  readonly #fallback: boolean;
  readonly #fallbackOn: ReadonlySet<ErrorKind>;
  readonly #clock: Clock;

  constructor(options: RouterOptions<Request, Response>) {
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

  open(request: Request, signal: AbortSignal, context?: CallContext): Promise<Response> {
    // With a single target, no fallback is possible.
    if (this.#only !== undefined && context?.pin?.isOnly !== true)
      return this.#call(this.#only, request, signal, context);
    return this.#tryInOrder(request, signal, context);
  }

  async #tryInOrder(request: Request, signal: AbortSignal, context?: CallContext): Promise<Response> {
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

  /** The targets to call, in order. */
  #plan(request: Request, context: CallContext | undefined): readonly RouteCandidate<Request, Response>[] {
    const able = this.#filterAble(this.#all, request, context);
    const isAble = (candidate: RouteCandidate<Request, Response>) => able.includes(candidate);
    const first = this.#strategy.order(this.#candidates.filter(isAble), {
      request: toChat(request),
      route: this.name,
    });
    const order = [...first, ...this.#fallbacks.filter(isAble)];
    const avoid = context?.avoid;
    const planned = avoid === undefined ? order : moveLast(order, ({ name }) => avoid.includes(name));
    const pinned = context?.pin === undefined ? planned : this.#applyPin(planned, context.pin);
    return this.#fallback ? pinned : pinned.slice(0, 1);
  }

  #applyPin(
    planned: readonly RouteCandidate<Request, Response>[],
    { provider, isOnly }: ProviderPin,
  ): readonly RouteCandidate<Request, Response>[] {
    const isElsewhere = (candidate: RouteCandidate<Request, Response>): boolean => candidate.provider !== provider;
    if (!isOnly) return moveLast(planned, isElsewhere);
    const own = planned.filter((candidate) => !isElsewhere(candidate));
    if (own.length > 0) return own;
    const problem = `the request refers to a response of the provider "${provider}", which does not serve this model`;
    throw new SimpleAgentsError('bad-request', problem, { field: 'model' });
  }

  /** Removes targets that cannot serve the request, as long as one remains. */
  #filterAble(
    candidates: readonly RouteCandidate<Request, Response>[],
    request: Request,
    context: CallContext | undefined,
  ): readonly RouteCandidate<Request, Response>[] {
    const requirements = requirementsOf(request);
    let tokens: number | undefined;
    const fits = ({ target: { contextWindow } }: RouteCandidate<Request, Response>): boolean =>
      contextWindow === undefined || (tokens ??= leastTokens(request)) <= contextWindow;
    const checks: readonly (readonly [SkipReason, (candidate: RouteCandidate<Request, Response>) => boolean])[] = [
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
    candidate: RouteCandidate<Request, Response>,
    request: Request,
    signal: AbortSignal,
    context: CallContext | undefined,
  ): Promise<Response> {
    if (this.#isLearning) return this.#callWatched(candidate, request, signal, context);
    const { provider, model } = candidate.target;
    return provider.open({ ...request, model }, signal, context);
  }

  /** For strategies that learn from how calls go. */
  async #callWatched(
    candidate: RouteCandidate<Request, Response>,
    request: Request,
    signal: AbortSignal,
    context: CallContext | undefined,
  ): Promise<Response> {
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

function toCandidate<Request extends Routable, Response extends CallResponse>(
  target: RoutedTarget<Request, Response>,
): RouteCandidate<Request, Response> {
  const { name, model, price, weight = 1, provider } = target;
  return { name, model, weight, provider: provider.name, target, ...(price === undefined ? {} : { price }) };
}

/** Strategies are written for chats; another call is one without messages. */
function toChat(request: Routable): ChatRequest {
  return (request.messages === undefined ? { ...request, messages: [] } : request) as ChatRequest;
}

/** A prompt that was too long for one target is only sent to targets with a larger context window. */
function isWorthTrying(
  { contextWindow }: Pick<RoutedTarget, 'contextWindow'>,
  { error, target }: RouteFailure,
): boolean {
  if (error.kind !== 'context-overflow' || contextWindow === undefined) return true;
  return target.contextWindow === undefined || contextWindow > target.contextWindow;
}

function announceFallback(
  before: RouteFailure,
  { name }: Pick<StrategyTarget, 'name'>,
  context: CallContext | undefined,
): void {
  const { target, error } = before;
  context?.observe({ type: 'fallback', call: context.id, from: target.name, target: name, error });
}

/** A caller that leaves is not a failure of the target. */
function withoutAbort(outcome: Outcome, signal: AbortSignal): Outcome {
  if (outcome.type !== 'failed' || !isAbort(outcome.error, signal)) return outcome;
  return { type: 'left', usage: outcome.usage };
}

/** The error that names every target. Its kind is that of the last retryable failure, if there is one, else of the last. */
function joinFailures(failures: readonly RouteFailure[]): SimpleAgentsError {
  const decisive = failures.findLast(({ error }) => error.retryable) ?? failures.at(-1);
  if (decisive === undefined) return new SimpleAgentsError('configuration', 'there is no target to call');
  const { error } = decisive;
  if (failures.length === 1) return error;
  const { kind, status, retryAfterMs, target, field, code, requestId } = error;
  const messages = failures.map((failure) => `${failure.target.name}: ${failure.error.message}`);
  const addresses = addressesIn(...failures.map((failure) => failure.error));
  const details = { cause: error, status, retryAfterMs, target, field, code, requestId, addresses };
  return new SimpleAgentsError(kind, `all targets failed. ${messages.join('; ')}`, omitUndefined(details));
}

function moveLast<T>(items: readonly T[], isLast: (item: T) => boolean): readonly T[] {
  return [...items.filter((item) => !isLast(item)), ...items.filter(isLast)];
}
