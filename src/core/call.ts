// The context of one call, which policies pass along with the request, and the events they report about the call. The
// context is separate from the request, which holds only what is sent to the model.

import type { SimpleAgentsError } from './error.ts';
import type { Usage } from './usage.ts';

export interface CallContext {
  /** Identifies the call in logs, metrics and traces. */
  readonly id: string;
  readonly observe: Observer;
  readonly cache?: CacheControl;
  /** Who makes the call. Cached responses and calls in progress are shared only between calls of one caller. */
  readonly caller?: string;
  /** What to do when a response is cut off in the middle. Defaults to `fail`. */
  readonly onCut?: OnCut;
  /** Targets (`provider/model`) that already failed this call. They are tried only after all others. */
  readonly avoid?: readonly string[];
  /** The provider that has what the request refers to, such as the previous response. */
  readonly pin?: ProviderPin;
  /** `false`: the caller has its own retry policy, so the policies below do not retry. */
  readonly retry?: false;
  /** Another target is tried if this one fails, so a silent target times out sooner and is not retried. */
  readonly isReplaceable?: true;
  /** Headers with which the provider can continue the trace of this call, such as `traceparent`. Set while tracing is on. */
  readonly traceHeaders?: () => Readonly<Record<string, string>>;
  /** Waits before a long step, such as encoding a large request. Undefined for requests without long steps. */
  readonly pace?: () => Promise<void>;
  /** For a breaker's probe: the maximum time to the first content, in milliseconds. */
  readonly probeTimeout?: number;
}

/** `isOnly`: no other provider can serve the call. Otherwise its targets are tried first. */
export interface ProviderPin {
  readonly provider: string;
  readonly isOnly: boolean;
}

export type OnCut = 'fail' | 'continue';

/**
 * `off`: no lookup and no store. `read`: lookup only. `refresh`: no lookup, but the response is stored.
 * An object: lookup and store, with this time to live in milliseconds.
 */
export type CacheControl = 'off' | 'read' | 'refresh' | { readonly ttl: number };

/** Receives the events of a call as they happen. Errors it throws are ignored, so that observation cannot break a call. */
export type Observer = (event: CallEvent) => void;

export type CallEvent = { readonly call: string } & (
  | { readonly type: 'call-start'; readonly model: string; readonly stream: boolean }
  | { readonly type: 'cache-miss' | 'cache-store'; readonly key: string }
  /** `answeredBy`: the `provider/model` that produced the stored response. */
  | { readonly type: 'cache-hit'; readonly key: string; readonly answeredBy?: string }
  | { readonly type: 'cache-failure'; readonly operation: 'get' | 'set'; readonly error: unknown }
  /** An identical call is in progress, and this one shares its response. */
  | { readonly type: 'call-join' }
  | ({ readonly type: 'target-skip'; readonly reason: SkipReason } & AtTarget)
  | ({ readonly type: 'attempt-start'; readonly attempt: number } & AtTarget)
  /** Without an error and not aborted: the target has started to respond. */
  | ({
      readonly type: 'attempt-end';
      readonly attempt: number;
      readonly duration: number;
      readonly aborted?: true;
    } & AtTarget &
      Failure)
  | ({ readonly type: 'retry-wait'; readonly attempt: number; readonly delay: number } & AtTarget & Required<Failure>)
  /** The error is retryable, but the retry budget is spent or the requested wait is too long. */
  | ({ readonly type: 'retry-refuse'; readonly reason: 'budget' | 'retry-after' } & AtTarget & Required<Failure>)
  | ({ readonly type: 'fallback'; readonly from: string } & AtTarget & Required<Failure>)
  | ({ readonly type: 'continuation'; readonly from: string; readonly delivered: number } & AtTarget &
      Required<Failure>)
  /** `effect`: what the open breaker does. */
  | ({
      readonly type: 'breaker-change';
      readonly from: BreakerState;
      readonly to: BreakerState;
      readonly effect?: BreakerEffect;
    } & AtTarget)
  | ({ readonly type: 'first-token'; readonly duration: number } & AtTarget)
  /** Fields that tune the response were left out of the request to a target, or their values were changed. */
  | { readonly type: 'field-drop'; readonly fields: readonly string[] }
  /** The model's output was changed to match its schema: the response, or the arguments of a call to `tool`. */
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
  /** The target that responded, if one did. */
  readonly target?: string;
  readonly duration: number;
  readonly usage: Usage;
  /** In US dollars, if the prices are known. */
  readonly cost?: number;
  /** The response cost nothing: it came from the cache or from an identical call. */
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

/** `divert`: calls go to another target if there is one. `refuse`: no call passes. */
export type BreakerEffect = 'divert' | 'refuse';

export type BreakerState = 'closed' | 'open' | 'half-open';
