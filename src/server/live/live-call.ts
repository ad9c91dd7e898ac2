// One call as the live view shows it: what happened, and when. Built from the events of `core/call.ts`, which have no times
// of their own.

import type { CallEnd, CallEvent } from '../../core/call.ts';
import { toError } from '../../core/error.ts';
import { promptTokens } from '../../core/usage.ts';
import { withoutAddresses } from '../http/http-error.ts';

export interface LiveCall {
  readonly id: string;
  /** As requested. */
  readonly model: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly steps: readonly LiveStep[];
  readonly outcome?: CallEnd['outcome'];
  readonly target?: string;
  /** Milliseconds. */
  readonly duration?: number;
  readonly firstToken?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly isCached?: boolean;
  readonly error?: string;
}

export interface LiveStep {
  readonly type: CallEvent['type'];
  /** Milliseconds since the start of the call. */
  readonly at: number;
  readonly target?: string;
  readonly detail?: string;
}

/** Further steps are not recorded. */
export const mostSteps = 60;

export class LiveCallRecorder {
  readonly #steps: LiveStep[] = [];
  readonly #begun: number;
  #call: LiveCall;

  /** `begun`: a monotonic time. */
  constructor(id: string, begun: number, startedAt: number) {
    this.#begun = begun;
    this.#call = { id, model: '', startedAt, steps: this.#steps };
  }

  get call(): LiveCall {
    return this.#call;
  }

  take(event: CallEvent, now: number): void {
    const at = now - this.#begun;
    if (this.#steps.length < mostSteps) this.#steps.push(toStep(event, at));
    this.#call = { ...this.#call, ...changesOf(event) };
  }
}

function changesOf(event: CallEvent): Partial<LiveCall> {
  switch (event.type) {
    case 'call-start':
      return { model: event.model };
    case 'first-token':
      return { firstToken: event.duration };
    case 'cache-hit':
      return { isCached: true };
    case 'call-end':
      return changesOfEnd(event);
    default:
      return {};
  }
}

function changesOfEnd({ outcome, target, duration, usage, cost, error }: CallEnd): Partial<LiveCall> {
  return {
    outcome,
    duration,
    ...(target === undefined ? {} : { target }),
    ...(usage.missing ? {} : { inputTokens: promptTokens(usage), outputTokens: usage.output }),
    ...(cost === undefined ? {} : { cost }),
    ...(error === undefined ? {} : { error: `${error.kind}: ${withoutAddresses(error)}` }),
  };
}

function toStep(event: CallEvent, at: number): LiveStep {
  const target = 'target' in event && event.target !== undefined ? { target: event.target } : {};
  const detail = detailOf(event);
  return { type: event.type, at, ...target, ...(detail === undefined ? {} : { detail }) };
}

function detailOf(event: CallEvent): string | undefined {
  switch (event.type) {
    case 'target-skip':
      return event.reason;
    case 'retry-wait':
      return `${event.error.kind}, waits ${Math.round(event.delay)} ms`;
    case 'fallback':
    case 'continuation':
      return `from ${event.from}: ${event.error.kind}`;
    case 'breaker-change':
      return `${event.from} → ${event.to}`;
    case 'answer-heal':
      return event.kinds.join(', ');
    case 'field-drop':
      return event.fields.join(', ');
    default:
      return 'error' in event && event.error instanceof Error ? withoutAddresses(toError(event.error)) : undefined;
  }
}
