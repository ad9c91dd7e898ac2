// `withBreaker`: a target that keeps failing is left alone for a while, so that a call need not wait to learn what is
// known already, and the target need not answer while it recovers.
// Failures in the middle of a stream count like those before it. What is the caller's own doing (an abort, a request
// that is wrong, a key that is refused, a limit that is reached) or this machine's (no file left to connect with) says
// nothing about the target, so it never counts.

import type { BreakerState, CallContext } from '../core/call.ts';
import { isAbort, SimpleAgentsError, toError, type ErrorKind } from '../core/error.ts';
import type { Outcome, Provider } from '../core/provider.ts';
import { isLocalShortage } from '../providers/connection-error.ts';
import { Breaker, type Verdict } from './breaker-state.ts';
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
  const { breaker = new Breaker(), target = provider.name, world = realWorld } = options;

  /** Tells of a change of state that `act` brings about. */
  function watch<T>(context: CallContext | undefined, act: () => T): T {
    const from = breaker.state;
    const result = act();
    if (breaker.state !== from) announce(context, from, breaker.state);
    return result;
  }

  function announce(context: CallContext | undefined, from: BreakerState, to: BreakerState): void {
    context?.observe({ type: 'breaker-change', call: context.id, target, from, to });
  }

  return {
    name: provider.name,
    async open(request, signal, context) {
      const permit = watch(context, () => breaker.admit(world.now()));
      if (permit === undefined) throw openError(target, breaker.opensIn(world.now()));
      const record = (verdict: Verdict) => watch(context, () => breaker.record(permit, verdict, world.now()));
      try {
        const stream = await provider.open(request, signal, context);
        void stream.ended.then((outcome) => record(verdictOf(outcome, signal)));
        return stream;
      } catch (thrown) {
        record(verdictOfError(thrown, signal));
        throw thrown;
      }
    },
  };
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
