// What counts as a stall of a target: it said nothing within a time-out, or took long to fail. Where there is another
// target, one that stalled is not asked again for the same call, and the next calls go elsewhere until a probe succeeds.

import { localShortage, type ErrorKind, type SimpleAgentsError } from '../../core/error.ts';
import { isStall, isTotalTimeout } from '../../core/timeout.ts';

/** In milliseconds. A target that takes so long to fail costs callers more than one that fails at once. */
export const slowFailure = 5000;

const targetFailures: ReadonlySet<ErrorKind> = new Set([
  'overloaded',
  'upstream',
  'network',
  'timeout',
  'bad-response',
]);

/** Whether the target failed, rather than the caller (a wrong request, a refused key, a limit) or this machine. */
export function isTargetFailure(error: SimpleAgentsError): boolean {
  return targetFailures.has(error.kind) && error.code !== localShortage;
}

/** `duration` is the time from the request to the failure, before anything had come. */
export function hasStalled(error: SimpleAgentsError, duration: number): boolean {
  if (isTotalTimeout(error)) return false;
  return isStall(error) || (duration >= slowFailure && isTargetFailure(error));
}
