// `withRetry`: retries a call that failed before its first content, after a pause, at the same target.
// Invariants:
//   1. Only a rejected `open` is retried; a stream that was returned is never replaced. A call is not retried after its
//      total time-out, and not after a stall if there is another target.
//   2. Never more than `maxAttempts` calls, and never more retries than the target's budget allows.
//   3. An abort ends the pause and the call, with the signal's reason.

import type { CallContext, CallEvent } from '../../core/call.ts';
import { errorTable, isAbort, toError, type ErrorKind, type SimpleAgentsError } from '../../core/error.ts';
import type { Callable, CallRequest, CallResponse } from '../../core/provider.ts';
import { isBreakerOpen } from './breaker.ts';
import { isTotalTimeout } from '../../core/timeout.ts';
import { defaultBudget, RetryBudget } from './retry-budget.ts';
import { hasStalled } from './stall.ts';
import { systemClock, type Clock } from '../../core/clock.ts';

/** Times in milliseconds. */
export interface RetrySettings {
  /** The total number of calls; 1 means no retry. */
  readonly maxAttempts: number;
  readonly initialBackoff: number;
  readonly multiplier: number;
  readonly maxBackoff: number;
  /** Vary each pause by ±30 %, so that clients that failed together do not retry together. */
  readonly jitter: boolean;
  /** Defaults to the kinds that are retryable in the error table. */
  readonly retryableErrors?: readonly ErrorKind[];
  /** If a provider asks for a longer pause, the call is not retried. If not set and there is another target: 1 s. */
  readonly maxRetryAfter: number;
  /** Retries at one target, as a share of its calls in the last 10 s. */
  readonly budget: number;
  /** Retries in 10 s that are always allowed. */
  readonly budgetReserve: number;
}

export const defaultRetry: RetrySettings = {
  maxAttempts: 3,
  initialBackoff: 100,
  multiplier: 2,
  maxBackoff: 10_000,
  jitter: true,
  maxRetryAfter: 60_000,
  budget: defaultBudget.share,
  budgetReserve: defaultBudget.reserve,
};

export interface RetryOptions extends Partial<RetrySettings> {
  /** `provider/model`, as in events. */
  readonly target?: string;
  readonly clock?: Clock;
}

const jitterShare = 0.3;
/** With another target, falling back is faster than a longer pause. */
const replaceableRetryAfter = 1000;

export function withRetry<Request extends CallRequest, Response extends CallResponse>(
  provider: Callable<Request, Response>,
  options: RetryOptions = {},
): Callable<Request, Response> {
  const { target = provider.name, clock = systemClock, ...own } = options;
  const longestWait = own.maxRetryAfter ?? replaceableRetryAfter;
  return new RetryingProvider(provider, { ...defaultRetry, ...own }, { target, clock, longestWait });
}

class RetryingProvider<Request extends CallRequest, Response extends CallResponse> implements Callable<
  Request,
  Response
> {
  readonly name: string;
  readonly #inner: Callable<Request, Response>;
  readonly #settings: RetrySettings;
  readonly #target: string;
  readonly #clock: Clock;
  readonly #budget: RetryBudget;
  /** The longest Retry-After to wait for if there is another target. */
  readonly #longestWait: number;

  constructor(inner: Callable<Request, Response>, settings: RetrySettings, retry: RetryContext) {
    this.name = inner.name;
    this.#inner = inner;
    this.#settings = settings;
    this.#target = retry.target;
    this.#clock = retry.clock;
    this.#longestWait = retry.longestWait;
    this.#budget = new RetryBudget({ share: settings.budget, reserve: settings.budgetReserve });
  }

  open(request: Request, signal: AbortSignal, context?: CallContext): Promise<Response> {
    this.#budget.countCall(this.#clock.now());
    return this.#attempt(1, request, signal, context);
  }

  /** Uses callbacks, because nearly every call is one attempt and needs no loop. */
  #attempt(
    attempt: number,
    request: Request,
    signal: AbortSignal,
    context: CallContext | undefined,
  ): Promise<Response> {
    const start = this.#clock.now();
    context?.observe({ type: 'attempt-start', call: context.id, target: this.#target, attempt });
    return this.#inner.open(request, signal, context).then(
      (stream) => {
        this.#reportEnd(context, attempt, start);
        return stream;
      },
      async (thrown: unknown) => {
        const isAborted = isAbort(thrown, signal);
        this.#reportEnd(context, attempt, start, isAborted ? { aborted: true } : { error: toError(thrown) });
        if (isAborted) throw thrown;
        const failure = { attempt, error: toError(thrown), duration: this.#clock.now() - start };
        await this.#prepareNext(failure, signal, context);
        return this.#attempt(attempt + 1, request, signal, context);
      },
    );
  }

  #reportEnd(
    context: CallContext | undefined,
    attempt: number,
    start: number,
    more?: Pick<AttemptEnd, 'error' | 'aborted'>,
  ): void {
    if (context === undefined) return;
    const duration = this.#clock.now() - start;
    context.observe({ type: 'attempt-end', call: context.id, target: this.#target, attempt, duration, ...more });
  }

  /** Returns when the next attempt may start; throws the error if there is none. */
  async #prepareNext(failure: FailedAttempt, signal: AbortSignal, context: CallContext | undefined): Promise<void> {
    const { attempt, error } = failure;
    const { maxAttempts, maxRetryAfter } = this.#settings;
    if (context?.retry === false || attempt >= maxAttempts || !this.#isRetryable(failure, context)) throw error;
    const { retryAfterMs = 0 } = error;
    if (retryAfterMs > (context?.isReplaceable ? this.#longestWait : maxRetryAfter))
      return this.#giveUp('retry-after', error, context);
    if (!this.#budget.plan(this.#clock.now())) return this.#giveUp('budget', error, context);
    const delay = Math.max(this.#backoff(attempt), retryAfterMs);
    context?.observe({ type: 'retry-wait', call: context.id, target: this.#target, attempt, delay, error });
    try {
      await this.#clock.sleep(delay, signal);
    } catch (thrown) {
      this.#budget.release();
      throw thrown;
    }
    if (!this.#budget.spend(this.#clock.now())) this.#giveUp('budget', error, context);
  }

  #isRetryable({ error, duration }: FailedAttempt, context: CallContext | undefined): boolean {
    if (isBreakerOpen(error) || isTotalTimeout(error)) return false;
    if (context?.isReplaceable && hasStalled(error, duration)) return false;
    return this.#settings.retryableErrors?.includes(error.kind) ?? errorTable[error.kind].retryable;
  }

  #backoff(attempt: number): number {
    const { initialBackoff, multiplier, maxBackoff, jitter } = this.#settings;
    const pause = Math.min(initialBackoff * multiplier ** (attempt - 1), maxBackoff);
    return jitter ? pause * (1 + jitterShare * (2 * this.#clock.random() - 1)) : pause;
  }

  #giveUp(reason: 'budget' | 'retry-after', error: SimpleAgentsError, context: CallContext | undefined): never {
    context?.observe({ type: 'retry-refuse', call: context.id, target: this.#target, reason, error });
    throw error;
  }
}

interface RetryContext {
  readonly target: string;
  readonly clock: Clock;
  readonly longestWait: number;
}

interface FailedAttempt {
  readonly attempt: number;
  readonly error: SimpleAgentsError;
  readonly duration: number;
}

type AttemptEnd = Extract<CallEvent, { type: 'attempt-end' }>;
