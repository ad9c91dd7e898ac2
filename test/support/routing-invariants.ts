// Invariants of any run of the policies, whatever fails. Each check reads the record of a run and throws if it is
// violated.

import assert from 'node:assert/strict';
import { SimpleAgentsError } from '../../src/core/error.ts';
import { assemble } from '../../src/core/assembler.ts';
import { isStall, isTotalTimeout } from '../../src/core/timeout.ts';
import { answer, type Asked, type CallRecord, type Run, type Told } from './routing-simulation.ts';

export function checkRun(run: Run): void {
  for (const call of run.calls) {
    checkEnd(call);
    checkText(call);
    checkCount(call, run);
    checkNoReplay(call, run);
    checkTold(call);
    checkTimeouts(call);
  }
  const told = run.calls.flatMap((call) => call.told).toSorted((left, right) => left.order - right.order);
  for (const { name } of run.plan.targets) {
    checkBudget(name, told, run);
    checkBreaker(name, told, run);
  }
  checkConvergence(run);
  checkSkips(run);
  checkTurns(run);
}

const askedOf = ({ id }: CallRecord, { asked }: Run): readonly Asked[] => asked.filter(({ call }) => call === id);

/** No silent end: a call is complete, or it was left, or it threw an error. */
function checkEnd({ id, result, plan, isAborted, reason, events }: CallRecord): void {
  assert.ok(result !== undefined, `${id} never ended`);
  if (isAborted) {
    assert.ok(typeof result === 'object' && result.thrown === reason, `${id} was aborted and did not say so`);
  } else if (typeof result === 'object') {
    const { thrown } = result;
    assert.ok(thrown instanceof SimpleAgentsError && thrown.kind !== 'internal', `${id} threw ${String(thrown)}`);
  } else if (result === 'left') assert.equal(events.length, plan.leaveAfter, `${id} ended in silence`);
}

/** Nothing lost or repeated: the received text is the start of the response, and all of it if the call is complete. */
function checkText({ id, events, result }: CallRecord): void {
  const words = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  assert.ok(answer.startsWith(words), `${id} got ${JSON.stringify(words)}`);
  const starts = events.filter(({ type }) => type === 'message-start').length;
  assert.ok(starts === (events.length === 0 ? 0 : 1), `${id} began ${starts} times`);
  if (result !== 'complete') return;
  assert.deepEqual(assemble(events).content, [{ type: 'text', text: answer }], id);
  assert.equal(events.filter(({ type }) => type === 'block-end').length, 1, id);
}

/** Never more calls than are allowed. */
function checkCount(call: CallRecord, run: Run): void {
  const { retry, fallback, targets, onCut } = run.plan;
  const legs = onCut === 'continue' ? 4 : 1;
  const asked = askedOf(call, run);
  for (const { name } of targets) {
    const count = asked.filter(({ target }) => target === name).length;
    assert.ok(count <= retry.maxAttempts * legs, `${call.id} asked ${name} ${count} times`);
  }
  const reached = new Set(asked.map(({ target }) => target)).size;
  if (!fallback) assert.ok(reached <= legs, `${call.id} asked ${reached} targets`);
}

/** Once the response has started, no target is called again, except to continue it. */
function checkNoReplay(call: CallRecord, run: Run): void {
  const { askedAtOpen } = call;
  if (askedAtOpen === undefined || run.plan.onCut === 'continue') return;
  assert.equal(askedOf(call, run).length, askedAtOpen, `${call.id} was called again after its response started`);
}

/** An observer gets one start and one end of a call, and an end for every attempt. */
function checkTold({ id, told, result }: CallRecord): void {
  const count = (type: string) => told.filter(({ event }) => event.type === type).length;
  assert.deepEqual(
    [count('call-start'), count('call-end')],
    [1, 1],
    `${id}: ${told.map(({ event }) => event.type).join()}`,
  );
  assert.equal(count('attempt-start'), count('attempt-end'), id);
  const end = told.find(({ event }) => event.type === 'call-end')?.event;
  const isFailure = typeof result === 'object' && result.thrown instanceof SimpleAgentsError;
  const expected = isFailure ? 'failed' : result === 'complete' ? 'complete' : 'left';
  assert.equal(end?.type === 'call-end' && end.outcome, expected, id);
}

const budgetWindow = 10_000;

function within(times: readonly number[], end: number): number {
  return times.filter((time) => time > end - budgetWindow && time <= end).length;
}

/** Each retry and those in the 10 s before it are within the budget for the calls of these 10 s. */
function checkBudget(target: string, told: readonly Told[], { plan }: Run): void {
  const { budget, budgetReserve } = plan.retry;
  const firsts: number[] = [];
  const retries: number[] = [];
  for (const { event, at } of told) {
    if (event.type !== 'attempt-start' || event.target !== target) continue;
    (event.attempt === 1 ? firsts : retries).push(at);
  }
  for (const at of retries) {
    const [retried, called] = [within(retries, at), within(firsts, at)];
    const allowed = Math.max(budgetReserve, budget * called);
    assert.ok(
      retried <= allowed,
      `${target} was sent ${retried} retries beside ${called} calls in the 10 s before ${at}`,
    );
  }
}

/** After its total time-out a call is over. After a stall, the same target is not called again while there is another. */
function checkTimeouts({ id, told }: CallRecord): void {
  for (const [ordinal, { event }] of told.entries()) {
    if (event.type !== 'attempt-end' || event.error === undefined) continue;
    const next = told.slice(ordinal + 1).find((later) => later.event.type === 'attempt-start')?.event;
    if (next?.type !== 'attempt-start') continue;
    assert.ok(!isTotalTimeout(event.error), `${id} was tried again after its total time`);
    const isRetry = next.target === event.target && next.attempt > event.attempt;
    if (!isStall(event.error) || !isRetry) continue;
    assert.ok(
      !fallsBack(told.slice(ordinal)),
      `${id} asked ${event.target} again after a stall, though there was another target`,
    );
  }
}

/** Whether another target is called before one starts to respond. */
function fallsBack(told: readonly Told[]): boolean {
  const events = told.map(({ event }) => event);
  const answered = events.findIndex((event) => event.type === 'attempt-end' && event.error === undefined);
  return events.slice(0, answered === -1 ? undefined : answered).some(({ type }) => type === 'fallback');
}

/** A target whose breaker is open is skipped while another is available. */
function checkSkips({ choices }: Run): void {
  for (const { from, available } of choices) {
    if (available.length === 0) continue;
    const wrong = from.filter((name) => !available.includes(name));
    assert.deepEqual(wrong, [], `${wrong.join()} could be chosen with an open breaker`);
  }
}

/**
 * An open breaker admits no calls during its pause, a half-open one only its probes. One that diverts admits calls that
 * have no other target.
 */
function checkBreaker(target: string, told: readonly Told[], { asked, plan }: Run): void {
  const { breaker } = plan;
  if (breaker === false) return;
  const changes = told.flatMap(({ event, at, order }) =>
    event.type === 'breaker-change' && event.target === target ? [{ at, order, ...event }] : [],
  );
  const reached = asked.filter((entry) => entry.target === target && entry.call !== '');
  let isDiverting = false;
  for (const [ordinal, { at, order, to, effect }] of changes.entries()) {
    const next = changes[ordinal + 1];
    if (to === 'open') isDiverting = effect === 'divert';
    const diverted: readonly Asked[] = isDiverting ? reached.filter(({ isReplaceable }) => isReplaceable) : reached;
    const meanwhile = diverted.filter((entry) => entry.order > order && entry.order < (next?.order ?? Infinity));
    if (next !== undefined) assert.equal(next.from, to, `${target} changed from a state it was not in`);
    if (to === 'open') {
      assert.equal(meanwhile.length, 0, `${target} was asked while its breaker was open`);
      const until = next?.to === 'half-open' ? next.at : Infinity;
      assert.ok(until >= at + breaker.openFor, `the breaker of ${target} was probed too early`);
    } else if (to === 'half-open') checkProbes(target, meanwhile, at, breaker);
  }
}

function checkProbes(
  target: string,
  asked: readonly Asked[],
  since: number,
  { probes, openFor }: { readonly probes: number; readonly openFor: number },
): void {
  const telling = asked.filter(({ isNeutral }) => !isNeutral);
  const rounds = 1 + Math.floor(((asked.at(-1)?.at ?? since) - since) / openFor);
  assert.ok(telling.length <= probes * rounds, `${target} was sent ${telling.length} probes in ${rounds} rounds`);
}

/** If all calls succeed, every breaker closes after its probes. If all fail, every breaker opens after its minimum of calls. */
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

/** Round robin is fair to within one call, and weights to within 2 %, while all targets are available. */
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
    // With few calls, one call more or less cannot be distinguished from a wrong weight.
    assert.ok(
      Math.abs(count - due) <= Math.max(targets.length / 2, 0.02 * choices.length),
      `${count} turns, ${due} due`,
    );
  }
}
