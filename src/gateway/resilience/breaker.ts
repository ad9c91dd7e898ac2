// `withBreaker`: a target that stalls or keeps failing gets no calls for a while, so that calls do not wait for it and it
// can recover.
// Failures in the middle of a stream count like failures before it. Failures caused by the caller (an abort, a bad request,
// a rejected key, a rate limit) or by this machine (no free file descriptor) never count.

import type { BreakerState, CallContext } from '../../core/call.ts';
import { isAbort, SimpleAgentsError, toError } from '../../core/error.ts';
import type { Callable, CallRequest, CallResponse, Outcome } from '../../core/provider.ts';
import { Breaker, type CallPermit, type CallVerdict } from './breaker-state.ts';
import { hasStalled, isTargetFailure } from './stall.ts';
import { systemClock, type Clock } from '../../core/clock.ts';

export { Breaker } from './breaker-state.ts';
export type { BreakerSettings } from './breaker-state.ts';

const openCode = 'breaker-open';

/** Nothing was sent. Another target may be called, but an immediate retry is useless. */
export function isBreakerOpen(error: SimpleAgentsError): boolean {
  return error.code === openCode;
}

export interface BreakerOptions {
  readonly breaker?: Breaker;
  /** `provider/model`, as in events. */
  readonly target?: string;
  readonly clock?: Clock;
}

export function withBreaker<Request extends CallRequest, Response extends CallResponse>(
  provider: Callable<Request, Response>,
  options: BreakerOptions = {},
): Callable<Request, Response> {
  return new BreakingProvider(provider, options);
}

class BreakingProvider<Request extends CallRequest, Response extends CallResponse> implements Callable<
  Request,
  Response
> {
  readonly name: string;
  readonly #inner: Callable<Request, Response>;
  readonly #breaker: Breaker;
  readonly #target: string;
  readonly #clock: Clock;

  constructor(
    inner: Callable<Request, Response>,
    { breaker = new Breaker(), target = inner.name, clock = systemClock }: BreakerOptions,
  ) {
    this.name = inner.name;
    this.#inner = inner;
    this.#breaker = breaker;
    this.#target = target;
    this.#clock = clock;
  }

  /** Returns the inner promise itself. Its outcome is recorded before the caller sees it. */
  open(request: Request, signal: AbortSignal, context?: CallContext): Promise<Response> {
    const from = this.#breaker.state;
    const start = this.#clock.now();
    const permit = this.#breaker.admit(start, context?.isReplaceable === true);
    this.#announce(context, from);
    if (permit === undefined) return Promise.reject(openError(this.#target, this.#breaker.opensIn(start)));
    const opening = this.#inner.open(request, signal, withProbeTimeout(context, permit));
    const record = (verdict: CallVerdict): void => this.#record(permit, verdict, context);
    opening.then(
      (stream) => stream.ended.then((outcome) => record(verdictOf(outcome, signal))),
      (error: unknown) => record(verdictOfRejection(error, this.#clock.now() - start, signal)),
    );
    return opening;
  }

  #record(permit: CallPermit, verdict: CallVerdict, context: CallContext | undefined): void {
    const from = this.#breaker.state;
    this.#breaker.record(permit, verdict, this.#clock.now());
    this.#announce(context, from);
  }

  /** Reports a change of state, if there was one. */
  #announce(context: CallContext | undefined, from: BreakerState): void {
    const to = this.#breaker.state;
    if (to === from) return;
    const effect = to === 'open' ? { effect: this.#breaker.effect } : {};
    context?.observe({ type: 'breaker-change', call: context.id, target: this.#target, from, to, ...effect });
  }
}

/** Limits the time of a probe if another target can respond instead. */
function withProbeTimeout(context: CallContext | undefined, { probeTimeout }: CallPermit): CallContext | undefined {
  if (context?.isReplaceable !== true || probeTimeout === undefined) return context;
  return { ...context, probeTimeout };
}

/** A response that breaks off counts as a failure, even if the reason is a rate limit. */
function verdictOf(outcome: Outcome, signal: AbortSignal): CallVerdict {
  if (outcome.type !== 'failed') return 'success';
  const verdict = verdictOfRejection(outcome.error, 0, signal);
  return verdict === 'neither' && isLimit(outcome.error) && !isAbort(outcome.error, signal) ? 'failure' : verdict;
}

/** `duration`: the time until the call failed. */
function verdictOfRejection(thrown: unknown, duration: number, signal: AbortSignal): CallVerdict {
  if (isAbort(thrown, signal)) return 'neither';
  const error = toError(thrown);
  if (hasStalled(error, duration)) return 'stall';
  return isTargetFailure(error) ? 'failure' : 'neither';
}

function isLimit(thrown: unknown): boolean {
  return thrown instanceof SimpleAgentsError && thrown.kind === 'rate-limit';
}

function openError(target: string, retryAfterMs: number): SimpleAgentsError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new SimpleAgentsError(
    'overloaded',
    `${target} failed recently and gets no calls for another ${seconds} s (circuit breaker)`,
    { target, code: openCode, retryAfterMs },
  );
}
