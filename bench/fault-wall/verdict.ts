// Checks the result of a fault: which calls may fail, how many requests the faulty target may get, and how long a call
// may take.

import type { OnCut } from '../../src/core/call.ts';
import type { Limits } from './faults.ts';
import { silentEnd, type Reply, type Result } from './wall.ts';

const mostAttempts = 3;
/** Three failures in a row divert calls. Retries may already be in progress. */
const mostFailures = 5;

/** Violations in responses and numbers of requests. Does not depend on the machine's speed. */
export function findWrong({ fault, replies, lostAfter, ...result }: Result, onCut: OnCut): string[] {
  const wrong: string[] = [];
  for (const [ordinal, { isComplete, requests, error = '' }] of replies.entries()) {
    const mayFail = onCut === 'fail' && fault.when === 'during' && requests.first > 0;
    if (!isComplete && !mayFail) wrong.push(`call ${ordinal + 1} got no complete response: ${error}`);
    if (error.includes(silentEnd)) wrong.push(`call ${ordinal + 1} ended without an error`);
    const most = onCut === 'continue' ? 2 * mostAttempts : mostAttempts;
    if (requests.first > most) wrong.push(`call ${ordinal + 1} sent ${requests.first} requests to the first target`);
  }
  const isStall = fault.waits !== undefined;
  const reaching = replies.filter(({ requests }) => requests.first > 0).length;
  if (isStall && reaching > 1 + probesIn(replies)) wrong.push(`${reaching} calls went to a target that had stalled`);
  if (fault.isKept === undefined && countRequests(replies) > mostFailures + probesIn(replies))
    wrong.push('calls were not diverted from the failing target');
  if (lostAfter > 0) wrong.push(`${lostAfter} calls failed after the end of the fault`);
  if (fault.play !== undefined && result.returned === undefined) wrong.push('the first target was not used again');
  if (result.isOtherModelServed === false) wrong.push('another model of the same provider was not available');
  return wrong;
}

/** Calls that took too long. Only for default timeouts. */
export function findSlow({ fault, replies, returned = 0 }: Result, limits: Limits): string[] {
  const slack = 2000;
  const limit = fault.waits === undefined ? 0 : fault.waits === 'slow-failure' ? 6000 : limits[fault.waits];
  const slow = replies.filter(({ took }) => took > limit + slack).map(({ took }) => `a call took ${seconds(took)}`);
  const diverted = replies.filter(({ requests }) => requests.first === 0 && requests.second > 0);
  const waiting = diverted
    .filter(({ took }) => took > slack)
    .map(({ took }) => `a diverted call took ${seconds(took)}`);
  const late = returned > 10_000 ? [`the first target was used again only after ${seconds(returned)}`] : [];
  return [...slow, ...waiting, ...late];
}

/** Requests to the first target. */
export function countRequests(replies: readonly Reply[]): number {
  return replies.reduce((sum, { requests }) => sum + requests.first, 0);
}

/**
 * The number of probes that may occur: at most one per second since calls are diverted, which begins during the first call.
 */
function probesIn(replies: readonly Reply[]): number {
  const [, ...later] = replies;
  return Math.ceil(later.reduce((sum, { took }) => sum + took, 0) / 1000);
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
