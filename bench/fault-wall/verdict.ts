// Whether a fault was survived: what a client may lose, how often a target may be called, and how long a client may
// wait.

import type { OnCut } from '../../src/core/call.ts';
import type { Limits } from './faults.ts';
import type { Reply, Result } from './wall.ts';

const mostAttempts = 3;
/** Three failures in a row divert calls. A retry may be in progress, and a probe may come in between. */
const mostFailures = 5;

/** Problems with the responses and the number of requests. Independent of the machine. */
export function findWrong({ fault, replies, lostAfter, ...result }: Result, onCut: OnCut): string[] {
  const wrong: string[] = [];
  for (const [ordinal, { isWhole, asked, error = '' }] of replies.entries()) {
    const mayFail = onCut === 'fail' && fault.when === 'during' && asked.first > 0;
    if (!isWhole && !mayFail) wrong.push(`call ${ordinal + 1} got no whole answer: ${error}`);
    if (error.includes('without an end')) wrong.push(`call ${ordinal + 1} ended silently`);
    const most = onCut === 'continue' ? 2 * mostAttempts : mostAttempts;
    if (asked.first > most) wrong.push(`call ${ordinal + 1} asked the first target ${asked.first} times`);
  }
  const isStall = fault.waits !== undefined;
  const asking = replies.filter(({ asked }) => asked.first > 0).length;
  if (isStall && asking > 1 + probesIn(replies)) wrong.push(`${asking} calls asked a target that had stalled`);
  if (fault.isKept === undefined && askedInAll(replies) > mostFailures) wrong.push('the failing target was not left');
  if (lostAfter > 0) wrong.push(`${lostAfter} calls were lost after the fault had ended`);
  if (fault.play !== undefined && result.returned === undefined) wrong.push('the first target was not returned to');
  if (result.isOtherModelServed === false) wrong.push('another model of the same provider was not served');
  return wrong;
}

/** What took too long, with a real clock and the real defaults. */
export function findSlow({ fault, replies, returned = 0 }: Result, limits: Limits): string[] {
  const slack = 2000;
  const limit = fault.waits === undefined ? 0 : fault.waits === 'slow-failure' ? 6000 : limits[fault.waits];
  const slow = replies.filter(({ took }) => took > limit + slack).map(({ took }) => `a call took ${seconds(took)}`);
  const quick = replies.filter(({ asked }) => asked.first === 0 && asked.second > 0);
  const waiting = quick.filter(({ took }) => took > slack).map(({ took }) => `a diverted call took ${seconds(took)}`);
  const late = returned > 10_000 ? [`the first target was returned to after ${seconds(returned)}`] : [];
  return [...slow, ...waiting, ...late];
}

export function askedInAll(replies: readonly Reply[]): number {
  return replies.reduce((sum, { asked }) => sum + asked.first, 0);
}

/** After a stall, there is at most one probe per second. */
function probesIn(replies: readonly Reply[]): number {
  const [, ...later] = replies;
  return Math.floor(later.reduce((sum, { took }) => sum + took, 0) / 1000);
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
