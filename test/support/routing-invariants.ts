// Invariants of the policies that hold for every simulated run, whatever fails in it. Each check reads the record of a run
// and throws if its invariant is violated.

import assert from 'node:assert/strict';
import { SimpleAgentsError } from '../../src/core/error.ts';
import { assemble } from '../../src/core/assembler.ts';
import { isStall, isTotalTimeout } from '../../src/core/timeout.ts';
import { fullText, type TargetRequest, type CallRecord, type Run, type ObservedEvent } from './routing-simulation.ts';

export function checkRun(run: Run): void {
  for (const call of run.calls) {
    checkEnd(call);
    checkText(call);
    checkCount(call, run);
    checkNoReplay(call, run);
    checkObserved(call);
    checkTimeouts(call);
  }
  const observed = run.calls.flatMap((call) => call.observed).toSorted((left, right) => left.order - right.order);
  for (const { name } of run.plan.targets) {
    checkBudget(name, observed, run);
    checkBreaker(name, observed, run);
  }
  checkConvergence(run);
  checkSkips(run);
  checkTurns(run);
}

const requestsOf = ({ id }: CallRecord, { requests }: Run): readonly TargetRequest[] =>
  requests.filter(({ call }) => call === id);

/** No silent end: a call is complete, or its reader left, or an error was thrown. */
function checkEnd({ id, result, plan, isAborted, reason, events }: CallRecord): void {
  assert.ok(result !== undefined, `${id} never ended`);
  if (isAborted) {
    assert.ok(
      typeof result === 'object' && result.thrown === reason,
      `${id} was aborted and did not throw the abort reason`,
    );
  } else if (typeof result === 'object') {
    const { thrown } = result;
    assert.ok(thrown instanceof SimpleAgentsError && thrown.kind !== 'internal', `${id} threw ${String(thrown)}`);
  } else if (result === 'left') assert.equal(events.length, plan.leaveAfter, `${id} ended without an error`);
}

/** No text is lost or repeated: the received text is a prefix of the response, and equals it if the call is complete. */
function checkText({ id, events, result }: CallRecord): void {
  const words = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  assert.ok(fullText.startsWith(words), `${id} got ${JSON.stringify(words)}`);
  const starts = events.filter(({ type }) => type === 'message-start').length;
  assert.ok(starts === (events.length === 0 ? 0 : 1), `${id} has ${starts} message-start events`);
  if (result !== 'complete') return;
  assert.deepEqual(assemble(events).content, [{ type: 'text', text: fullText }], id);
  assert.equal(events.filter(({ type }) => type === 'block-end').length, 1, id);
}

/** The number of requests stays within the limits. */
function checkCount(call: CallRecord, run: Run): void {
  const { retry, fallback, targets, onCut } = run.plan;
  const legs = onCut === 'continue' ? 4 : 1;
  const requests = requestsOf(call, run);
  for (const { name } of targets) {
    const count = requests.filter(({ target }) => target === name).length;
    assert.ok(count <= retry.maxAttempts * legs, `${call.id} sent ${count} requests to ${name}`);
  }
  const reached = new Set(requests.map(({ target }) => target)).size;
  if (!fallback) assert.ok(reached <= legs, `${call.id} used ${reached} targets`);
}

/** After the response has begun, no further request is sent, except to continue it. */
function checkNoReplay(call: CallRecord, run: Run): void {
  const { requestsAtOpen } = call;
  if (requestsAtOpen === undefined || run.plan.onCut === 'continue') return;
  assert.equal(
    requestsOf(call, run).length,
    requestsAtOpen,
    `${call.id} sent another request after its response had begun`,
  );
}

/** An observer gets one call-start, one call-end, and an end for every attempt. */
function checkObserved({ id, observed, result }: CallRecord): void {
  const count = (type: string) => observed.filter(({ event }) => event.type === type).length;
  assert.deepEqual(
    [count('call-start'), count('call-end')],
    [1, 1],
    `${id}: ${observed.map(({ event }) => event.type).join()}`,
  );
  assert.equal(count('attempt-start'), count('attempt-end'), id);
  const end = observed.find(({ event }) => event.type === 'call-end')?.event;
  const isFailure = typeof result === 'object' && result.thrown instanceof SimpleAgentsError;
  const expected = isFailure ? 'failed' : result === 'complete' ? 'complete' : 'left';
  assert.equal(end?.type === 'call-end' && end.outcome, expected, id);
}

const budgetWindow = 10_000;

function within(times: readonly number[], end: number): number {
  return times.filter((time) => time > end - budgetWindow && time <= end).length;
}

/** In every window of 10 s, the retries are within the budget that the calls of this window allow. */
function checkBudget(target: string, observed: readonly ObservedEvent[], { plan }: Run): void {
  const { budget, budgetReserve } = plan.retry;
  const firsts: number[] = [];
  const retries: number[] = [];
  for (const { event, at } of observed) {
    if (event.type !== 'attempt-start' || event.target !== target) continue;
    (event.attempt === 1 ? firsts : retries).push(at);
  }
  for (const at of retries) {
    const [retried, called] = [within(retries, at), within(firsts, at)];
    const allowed = Math.max(budgetReserve, budget * called);
    assert.ok(retried <= allowed, `${target} got ${retried} retries and ${called} calls in the 10 s before ${at}`);
  }
}

/**
 * A call ends after its total timeout. After a stall, the same target is not tried again if another one is available.
 */
function checkTimeouts({ id, observed }: CallRecord): void {
  for (const [ordinal, { event }] of observed.entries()) {
    if (event.type !== 'attempt-end' || event.error === undefined) continue;
    const next = observed.slice(ordinal + 1).find((later) => later.event.type === 'attempt-start')?.event;
    if (next?.type !== 'attempt-start') continue;
    assert.ok(!isTotalTimeout(event.error), `${id} was retried after its total timeout`);
    const isRetry = next.target === event.target && next.attempt > event.attempt;
    if (!isStall(event.error) || !isRetry) continue;
    assert.ok(
      !fallsBack(observed.slice(ordinal)),
      `${id} retried ${event.target} after a stall, although another target was available`,
    );
  }
}

/** Whether the call falls back to another target before a response begins. */
function fallsBack(observed: readonly ObservedEvent[]): boolean {
  const events = observed.map(({ event }) => event);
  const opened = events.findIndex((event) => event.type === 'attempt-end' && event.error === undefined);
  return events.slice(0, opened === -1 ? undefined : opened).some(({ type }) => type === 'fallback');
}

/** A target with an open breaker is skipped if another target is available. */
function checkSkips({ choices }: Run): void {
  for (const { from, available } of choices) {
    if (available.length === 0) continue;
    const wrong = from.filter((name) => !available.includes(name));
    assert.deepEqual(wrong, [], `${wrong.join()} could be chosen with an open breaker`);
  }
}

/**
 * An open breaker lets no call through for its duration, and a half-open one only its probes. A diverting breaker still
 * lets calls through that have no other target.
 */
function checkBreaker(target: string, observed: readonly ObservedEvent[], { requests, plan }: Run): void {
  const { breaker } = plan;
  if (breaker === false) return;
  const changes = observed.flatMap(({ event, at, order }) =>
    event.type === 'breaker-change' && event.target === target ? [{ at, order, ...event }] : [],
  );
  const reached = requests.filter((entry) => entry.target === target && entry.call !== '');
  let isDiverting = false;
  for (const [ordinal, { at, order, to, effect }] of changes.entries()) {
    const next = changes[ordinal + 1];
    if (to === 'open') isDiverting = effect === 'divert';
    const diverted: readonly TargetRequest[] = isDiverting
      ? reached.filter(({ isReplaceable }) => isReplaceable)
      : reached;
    const meanwhile = diverted.filter((entry) => entry.order > order && entry.order < (next?.order ?? Infinity));
    if (next !== undefined) assert.equal(next.from, to, `the breaker of ${target} changed from a state it was not in`);
    if (to === 'open') {
      assert.equal(meanwhile.length, 0, `${target} got a request while its breaker was open`);
      const until = next?.to === 'half-open' ? next.at : Infinity;
      assert.ok(until >= at + breaker.openFor, `the breaker of ${target} was probed too early`);
    } else if (to === 'half-open') checkProbes(target, meanwhile, at, breaker);
  }
}

function checkProbes(
  target: string,
  requests: readonly TargetRequest[],
  since: number,
  { probes, openFor }: { readonly probes: number; readonly openFor: number },
): void {
  const counted = requests.filter(({ isNeutral }) => !isNeutral);
  const rounds = 1 + Math.floor(((requests.at(-1)?.at ?? since) - since) / openFor);
  assert.ok(counted.length <= probes * rounds, `${target} got ${counted.length} probes in ${rounds} rounds`);
}

/** If all calls succeed, every breaker closes after its probes. If all fail, every breaker opens after `minCalls`. */
function checkConvergence({ recovered, tripped }: Run): void {
  assert.ok(
    recovered.every((state) => state === 'closed'),
    `breakers of healthy targets: ${recovered.join(', ')}`,
  );
  assert.ok(
    tripped.every((state) => state === 'open'),
    `breakers of failing targets: ${tripped.join(', ')}`,
  );
}

/** While all targets are available, round-robin counts differ by at most 1 and weighted shares by at most 2 %. */
function checkTurns({ plan, choices }: Run): void {
  const { strategy, targets } = plan;
  if (strategy !== 'round-robin' && strategy !== 'weighted') return;
  if (choices.some(({ from }) => from.length !== targets.length)) return;
  const weights = targets.map(({ weight }) => (strategy === 'weighted' ? weight : 1));
  const sum = weights.reduce((left, right) => left + right, 0);
  const counts = targets.map(({ name }) => choices.filter(({ chosen }) => chosen === name).length);
  if (strategy === 'round-robin') {
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `turns: ${counts.join(', ')}`);
  }
  for (const [ordinal, count] of counts.entries()) {
    const due = (choices.length * (weights[ordinal] ?? 0)) / sum;
    // With few choices, rounding alone exceeds 2 %.
    assert.ok(
      Math.abs(count - due) <= Math.max(targets.length / 2, 0.02 * choices.length),
      `${count} turns, ${due} due`,
    );
  }
}
