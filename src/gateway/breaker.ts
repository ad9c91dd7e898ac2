// `withBreaker`: a target that keeps failing is left alone for a while, so that a call need not wait to learn what is
// known already, and the target need not answer while it recovers.
// Failures in the middle of a stream count like those before it. What is the caller's own doing (an abort, a request
// that is wrong, a key that is refused, a limit that is reached) or this machine's (no file left to connect with) says
// nothing about the target, so it never counts.

import type { BreakerState, CallContext } from '../core/call.ts';
import { isAbort, SimpleAgentsError, toError, type ErrorKind } from '../core/error.ts';
import type { ModelStream, Outcome, Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { noUsage } from '../core/usage.ts';
import { isLocalShortage } from '../providers/connection-error.ts';
import { Breaker, type Permit, type Verdict } from './breaker-state.ts';
import { realWorld, type World } from './world.ts';

export { Breaker } from './breaker-state.ts';
export type { BreakerSettings } from './breaker-state.ts';

const targetFailures: ReadonlySet<ErrorKind> = new Set([
  'overloaded',
  'upstream',
  'network',
  'timeout',
  'bad-response',
]);

const openCode = 'breaker-open';

/** Nothing was asked: another target may be, but trying this one again at once is no use. */
export function isBreakerOpen(error: SimpleAgentsError): boolean {
  return error.code === openCode;
}

export interface BreakerOptions {
  readonly breaker?: Breaker;
  /** `provider/model`, as events call it. */
  readonly target?: string;
  readonly world?: World;
}

export function withBreaker(provider: Provider, options: BreakerOptions = {}): Provider {
  return new BreakingProvider(provider, options);
}

class BreakingProvider implements Provider {
  readonly name: string;
  readonly #inner: Provider;
  readonly #breaker: Breaker;
  readonly #target: string;
  readonly #world: World;

  constructor(inner: Provider, { breaker = new Breaker(), target = inner.name, world = realWorld }: BreakerOptions) {
    this.name = inner.name;
    this.#inner = inner;
    this.#breaker = breaker;
    this.#target = target;
    this.#world = world;
  }

  /** The promise is handed on as it is; what becomes of it is learnt beside, before whoever asked hears of it. */
  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const from = this.#breaker.state;
    const permit = this.#breaker.admit(this.#world.now());
    this.#announce(context, from);
    if (permit === undefined) return Promise.reject(openError(this.#target, this.#breaker.opensIn(this.#world.now())));
    const opening = this.#inner.open(request, signal, context);
    const record = (outcome: Outcome): void => this.#record(permit, verdictOf(outcome, signal), context);
    opening.then(
      (stream) => stream.ended.then(record),
      (error: unknown) => record({ type: 'failed', error, usage: noUsage }),
    );
    return opening;
  }

  #record(permit: Permit, verdict: Verdict, context: CallContext | undefined): void {
    const from = this.#breaker.state;
    this.#breaker.record(permit, verdict, this.#world.now());
    this.#announce(context, from);
  }

  /** Tells of a change of state, if there was one. */
  #announce(context: CallContext | undefined, from: BreakerState): void {
    const to = this.#breaker.state;
    if (to === from) return;
    context?.observe({ type: 'breaker-change', call: context.id, target: this.#target, from, to });
  }
}

function verdictOf(outcome: Outcome, signal: AbortSignal): Verdict {
  return outcome.type === 'failed' ? verdictOfError(outcome.error, signal) : 'success';
}

function verdictOfError(thrown: unknown, signal: AbortSignal): Verdict {
  if (isAbort(thrown, signal)) return 'neither';
  const error = toError(thrown);
  return targetFailures.has(error.kind) && !isLocalShortage(error) ? 'failure' : 'neither';
}

function openError(target: string, retryAfterMs: number): SimpleAgentsError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new SimpleAgentsError(
    'overloaded',
    `${target} failed too often lately and is left alone for ${seconds} s more (circuit breaker)`,
    { target, code: openCode, retryAfterMs },
  );
}
