// The frame of a call as an observer is told it: asked, answering, ended, with time, tokens and cost. What happens in
// between is told by the policies that make it happen.

import { randomUUID } from 'node:crypto';
import type { CallContext, CallEvent, Observer } from '../core/call.ts';
import { isAbort, toError } from '../core/error.ts';
import { compact } from '../core/json.ts';
import type { ModelStream, Outcome } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { noUsage, type Usage } from '../core/usage.ts';

type Open = (context: CallContext) => Promise<ModelStream>;
type CostOf = (target: string, usage: Usage) => number | undefined;
type End = Omit<Extract<CallEvent, { type: 'call-end' }>, 'type' | 'call' | 'duration'>;

export interface ReportOptions {
  readonly costOf: CostOf;
  readonly observer?: Observer;
  /** What the caller brings: it names the call, and its observer is told as well. */
  readonly context?: CallContext;
}

export async function reportCall(
  { model, stream: isStream = true }: ChatRequest,
  open: Open,
  { costOf, observer, context }: ReportOptions,
): Promise<ModelStream> {
  const call = context?.id ?? randomUUID();
  const begun = performance.now();
  const observe = quiet(observer, context?.observe);
  const end = (how: End) => observe({ type: 'call-end', call, duration: performance.now() - begun, ...how });
  observe({ type: 'call-start', call, model, stream: isStream });
  try {
    const stream = await open({ ...context, id: call, observe });
    const { target } = stream;
    observe({ type: 'first-token', call, target, duration: performance.now() - begun });
    void stream.ended.then((outcome) => end(endOf(outcome, target, costOf(target, outcome.usage))));
    return stream;
  } catch (error) {
    end(isAbort(error) ? { outcome: 'left', usage: noUsage } : failed(error, noUsage));
    throw error;
  }
}

function endOf(outcome: Outcome, target: string, cost: number | undefined): End {
  const { usage } = outcome;
  const told = compact({ target, cost });
  if (outcome.type !== 'failed') return { outcome: outcome.type, usage, ...told };
  return isAbort(outcome.error) ? { outcome: 'left', usage, ...told } : { ...failed(outcome.error, usage), ...told };
}

function failed(error: unknown, usage: Usage): End {
  return { outcome: 'failed', usage, error: toError(error) };
}

/** Watching must not break what is watched. */
function quiet(...observers: (Observer | undefined)[]): Observer {
  return (event) => {
    for (const observer of observers) {
      try {
        observer?.(event);
      } catch {
        // Told to nobody: whoever watches is who would be told.
      }
    }
  };
}
