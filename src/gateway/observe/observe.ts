// `withObservation`: the outermost policy. It gives a call its id and reports its start, its first token and its end.
// Invariants: every call-start has one call-end; errors of an observer are ignored.

import type { CallContext, CallEnd, Observer } from '../../core/call.ts';
import { isAbort, toError } from '../../core/error.ts';
import type { Callable, CallRequest, CallResponse, Outcome } from '../../core/provider.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { CallWatcher } from './call-watcher.ts';
import { systemClock, type Clock } from '../../core/clock.ts';

export interface ObservationOptions {
  /** Receives the events of every call, in addition to the call's own observer. */
  readonly observer?: Observer;
  /** Maps the requested model to the reported one. Defaults to the requested one. */
  readonly nameOf?: (model: string) => string;
  /** In US dollars, by `provider/model`. */
  readonly costOf?: (target: string, usage: Usage) => number | undefined;
  readonly clock?: Clock;
}

export function withObservation<Request extends CallRequest, Response extends CallResponse>(
  provider: Callable<Request, Response>,
  options: ObservationOptions = {},
): Callable<Request, Response> {
  const { clock = systemClock } = options;
  return {
    name: provider.name,
    open(request, signal, given) {
      const context = given ?? { id: createCallId(clock), observe: silent };
      const observed = new ObservedCall(context, options, clock.now());
      observed.start(request, options.nameOf);
      const opening = provider.open(request, signal, observed.context);
      const end = (outcome: Outcome): void => observed.end(outcome, signal, clock.now());
      // These handlers run before the caller's, because they are attached first.
      opening.then(
        (stream) => {
          observed.answer(stream, clock.now());
          return stream.ended.then(end);
        },
        (error: unknown) => end({ type: 'failed', error, usage: noUsage }),
      );
      return opening;
    },
  };
}

class ObservedCall {
  readonly #watcher: CallWatcher;
  readonly #costOf: ObservationOptions['costOf'];
  readonly #startedAt: number;
  #answered: string | undefined;

  constructor(context: CallContext, { observer, costOf }: ObservationOptions, startedAt: number) {
    this.#watcher = new CallWatcher(context, observer);
    this.#costOf = costOf;
    this.#startedAt = startedAt;
  }

  get context(): CallContext {
    return this.#watcher.context;
  }

  start({ model, stream = true }: CallRequest, nameOf: ObservationOptions['nameOf']): void {
    const { id, observe } = this.context;
    observe({ type: 'call-start', call: id, model: nameOf?.(model) ?? model, stream });
  }

  answer(stream: CallResponse, now: number): void {
    const { id, observe } = this.context;
    this.#answered = stream.target;
    const target = this.#watcher.answeredBy ?? stream.target;
    observe({ type: 'first-token', call: id, target, duration: now - this.#startedAt });
  }

  end(outcome: Outcome, signal: AbortSignal, now: number): void {
    const { id, observe } = this.context;
    observe({ call: id, ...this.#toEnd(outcome, signal), duration: now - this.#startedAt });
  }

  #toEnd(outcome: Outcome, signal: AbortSignal): Omit<CallEnd, 'duration'> {
    const { answeredBy, isShared, isContinued } = this.#watcher;
    const { usage } = outcome;
    const target = answeredBy ?? this.#answered;
    const isPriced = answeredBy !== undefined && !isShared && !isContinued && !usage.missing;
    const cost = isPriced ? this.#costOf?.(answeredBy, usage) : undefined;
    return {
      type: 'call-end',
      usage,
      ...outcomeOf(outcome, signal),
      ...(target === undefined ? {} : { target }),
      ...(cost === undefined ? {} : { cost }),
      ...(isShared ? { shared: true } : {}),
    };
  }
}

/** An abort means that the caller left; it is not a failure of the call. */
function outcomeOf(outcome: Outcome, signal: AbortSignal): Pick<CallEnd, 'outcome' | 'error'> {
  if (outcome.type !== 'failed') return { outcome: outcome.type };
  if (isAbort(outcome.error, signal)) return { outcome: 'left' };
  return { outcome: 'failed', error: toError(outcome.error) };
}

const silent: Observer = () => undefined;

const idRange = 36 ** 10;

export function createCallId(clock: Clock = systemClock): string {
  return `call_${Math.floor(clock.random() * idRange)
    .toString(36)
    .padStart(10, '0')}`;
}
