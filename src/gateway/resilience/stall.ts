// Defines a stall of a target: it was silent until a time-out, or took long to fail. If there is another target, a stalled
// one is not retried for the same call, and the next calls go elsewhere until a probe succeeds.

import { localShortage, type ErrorKind, type SimpleAgentsError } from '../../core/error.ts';
import { isStall, isTotalTimeout } from '../../core/timeout.ts';

/** In milliseconds. A target that takes this long to fail delays callers more than one that fails at once. */
export const slowFailure = 5000;

const targetFailures: ReadonlySet<ErrorKind> = new Set([
  'overloaded',
  'upstream',
  'network',
  'timeout',
  'bad-response',
]);

/** Whether the target failed, rather than the caller (a bad request, a rejected key, a limit) or this machine. */
export function isTargetFailure(error: SimpleAgentsError): boolean {
  return targetFailures.has(error.kind) && error.code !== localShortage;
}

/** `duration`: the time from the request to a failure before the first content. */
export function hasStalled(error: SimpleAgentsError, duration: number): boolean {
  if (isTotalTimeout(error)) return false;
  return isStall(error) || (duration >= slowFailure && isTargetFailure(error));
}
