// What the policies around a model need to know of one call, and the events they report about it. A policy hands it on
// with the request. Kept apart from the request, which is only what the model is asked.

import type { SimpleAgentsError } from './error.ts';
import type { Usage } from './usage.ts';

export interface CallContext {
  /** Names the call in logs, metrics and traces. */
  readonly id: string;
  readonly observe: Observer;
  readonly cache?: CacheControl;
  /** Whose call it is. Cached answers and calls in progress are shared between calls of one caller only. */
  readonly caller?: string;
  /** What becomes of a text that is cut off after it began; `fail` when left out. */
  readonly onCut?: OnCut;
  /** Targets (`provider/model`) that failed this call already: asked only after all others. */
  readonly avoid?: readonly string[];
  /** `false`: the caller has its own retry policy, so none below applies. */
  readonly retry?: false;
  /** Another target is asked if this one fails, so a silent one is left sooner and not asked again. */
  readonly isReplaceable?: true;
  /** Headers that let the provider continue the trace of this call, while tracing is on: `traceparent`. */
  readonly traceHeaders?: () => Readonly<Record<string, string>>;
  /** Of a probe: at most so many milliseconds to the first content. */
  readonly probeTimeout?: number;
}

export type OnCut = 'fail' | 'continue';

/**
 * `off`: neither looked up nor stored. `read`: looked up, never stored. `refresh`: asked anew, then stored.
 * An object: as usual, stored for so many milliseconds.
 */
export type CacheControl = 'off' | 'read' | 'refresh' | { readonly ttl: number };

/** Is told what happens to a call, as it happens. What it throws is lost: watching must not break what is watched. */
export type Observer = (event: CallEvent) => void;

export type CallEvent = { readonly call: string } & (
  | { readonly type: 'call-start'; readonly model: string; readonly stream: boolean }
  | { readonly type: 'cache-miss' | 'cache-store'; readonly key: string }
  /** `answeredBy`: the `provider/model` that gave the answer when it was asked for. */
  | { readonly type: 'cache-hit'; readonly key: string; readonly answeredBy?: string }
  | { readonly type: 'cache-failure'; readonly operation: 'get' | 'set'; readonly error: unknown }
  /** An identical call is under way, and this one shares its answer. */
  | { readonly type: 'call-join' }
  | ({ readonly type: 'target-skip'; readonly reason: SkipReason } & AtTarget)
  | ({ readonly type: 'attempt-start'; readonly attempt: number } & AtTarget)
  /** Without an error and not aborted: the target has begun to answer. */
  | ({
      readonly type: 'attempt-end';
      readonly attempt: number;
      readonly duration: number;
      readonly aborted?: true;
    } & AtTarget &
      Failure)
  | ({ readonly type: 'retry-wait'; readonly attempt: number; readonly delay: number } & AtTarget & Required<Failure>)
  /** Another try would have been allowed, but not by the budget, or it would have come too late. */
  | ({ readonly type: 'retry-refuse'; readonly reason: 'budget' | 'retry-after' } & AtTarget & Required<Failure>)
  | ({ readonly type: 'fallback'; readonly from: string } & AtTarget & Required<Failure>)
  | ({ readonly type: 'continuation'; readonly from: string; readonly delivered: number } & AtTarget &
      Required<Failure>)
  /** `effect` says what an open breaker does. */
  | ({
      readonly type: 'breaker-change';
      readonly from: BreakerState;
      readonly to: BreakerState;
      readonly effect?: BreakerEffect;
    } & AtTarget)
  | ({ readonly type: 'first-token'; readonly duration: number } & AtTarget)
  /** The request that is sent to a target lacks fields that tune the answer, or has other values for them. */
  | { readonly type: 'field-drop'; readonly fields: readonly string[] }
  /** What the model wrote was changed to fit its schema: the answer, or the arguments of a call of `tool`. */
  | {
      readonly type: 'answer-heal';
      readonly kinds: readonly string[];
      readonly confidence?: number;
      readonly tool?: string;
    }
  | CallEnd
);

export interface CallEnd extends Failure {
  readonly type: 'call-end';
  readonly outcome: 'complete' | 'failed' | 'left';
  /** Who answered, if anyone did. */
  readonly target?: string;
  readonly duration: number;
  readonly usage: Usage;
  /** In US dollars, where the prices are known. */
  readonly cost?: number;
  /** The answer was not paid for: it came from the cache, or another call paid. */
  readonly shared?: boolean;
}

interface AtTarget {
  /** `provider/model`. */
  readonly target: string;
}

interface Failure {
  readonly error?: SimpleAgentsError;
}

export type SkipReason = 'breaker-open' | 'incapable' | 'context-window';

/** `divert`: calls go elsewhere if they can. `refuse`: no call passes. */
export type BreakerEffect = 'divert' | 'refuse';

export type BreakerState = 'closed' | 'open' | 'half-open';
