// Simulates the policies with targets that fail, stall and cut streams, and callers that abort or stop reading. One seed
// determines the complete run. routing-invariants.ts checks the record of the run.

import type { BreakerState, CallEvent, OnCut } from '../../src/core/call.ts';
import { SimpleAgentsError, type ErrorKind } from '../../src/core/error.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import { text } from '../../src/core/message.ts';
import type { ModelStream, Outcome, Provider } from '../../src/core/provider.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import { noUsage } from '../../src/core/usage.ts';
import { defaultBreaker, type BreakerSettings } from '../../src/gateway/resilience/breaker-state.ts';
import { withContinuation } from '../../src/gateway/resilience/continuation.ts';
import { withTargetPolicies, type StackedTarget } from '../../src/gateway/stack.ts';
import { withObservation } from '../../src/gateway/observe/observe.ts';
import { defaultRetry, type RetrySettings } from '../../src/gateway/resilience/retry.ts';
import { createRouter } from '../../src/gateway/routing/router.ts';
import { createStrategy, strategyNames, type Strategy, type StrategyName } from '../../src/gateway/routing/strategy.ts';
import { timeoutError } from '../../src/core/timeout.ts';
import { createRandom, type Random } from '../../src/testing/model/random.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The complete response of every target. Every word occurs once, so that a continuation can be located in it. */
export const fullText = 'Alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november.';

const transient: readonly ErrorKind[] = ['overloaded', 'upstream', 'network', 'timeout', 'rate-limit'];
const lasting: readonly ErrorKind[] = ['auth', 'quota', 'not-found', 'bad-request', 'context-overflow', 'bad-response'];

export interface Plan {
  readonly strategy: StrategyName;
  readonly fallback: boolean;
  readonly onCut: OnCut;
  readonly retry: RetrySettings;
  readonly breaker: BreakerSettings | false;
  readonly targets: readonly TargetPlan[];
  readonly calls: readonly CallPlan[];
}

interface TargetPlan {
  readonly name: string;
  readonly weight: number;
  readonly price: number;
  /** Probabilities of a failure before and after the response has begun. */
  readonly failing: number;
  readonly cutting: number;
  readonly latency: number;
  /** The time from which the target no longer fails. */
  readonly healthyFrom: number;
}

interface CallPlan {
  readonly at: number;
  readonly abortAfter?: number;
  /** The reader leaves the loop after this many events. */
  readonly leaveAfter?: number;
}

export interface CallRecord {
  readonly id: string;
  readonly plan: CallPlan;
  readonly events: StreamEvent[];
  readonly observed: ObservedEvent[];
  readonly reason: object;
  isAborted?: true;
  /** The number of requests for this call when its response began. */
  requestsAtOpen?: number;
  result?: 'complete' | 'left' | { readonly thrown: unknown };
}

/** An event that an observer got. `order` numbers everything that happens in the run. */
export interface ObservedEvent {
  readonly at: number;
  readonly order: number;
  readonly event: CallEvent;
}

/** A request that reached a target. */
export interface TargetRequest {
  readonly at: number;
  readonly order: number;
  readonly call: string;
  readonly target: string;
  /** Whether the call can fall back to another target. */
  readonly isReplaceable: boolean;
  /** The outcome does not count for or against the target's health. */
  isNeutral?: true;
}

export interface Choice {
  readonly from: readonly string[];
  readonly chosen: string | undefined;
  readonly available: readonly string[];
}

export interface Run {
  readonly plan: Plan;
  readonly calls: readonly CallRecord[];
  readonly requests: readonly TargetRequest[];
  /** The candidates, the chosen target, and the targets whose breaker let calls through at that moment. */
  readonly choices: readonly Choice[];
  /** The state of each target's breaker after a long time without failures, and after only failures. */
  readonly recovered: readonly (BreakerState | undefined)[];
  readonly tripped: readonly (BreakerState | undefined)[];
}

export function planOf(random: Random): Plan {
  const isStorm = random.chance(0.2);
  const outage = random.integer(0, 40_000);
  const targets = Array.from({ length: random.integer(1, 4) }, (_, ordinal) => planTarget(random, ordinal, outage));
  return {
    strategy: random.pick(strategyNames),
    fallback: random.chance(0.85),
    onCut: random.chance(0.3) ? 'continue' : 'fail',
    retry: planRetry(random),
    breaker: random.chance(0.2) ? false : planBreaker(random),
    targets,
    calls: Array.from({ length: isStorm ? 40 : random.integer(3, 10) }, () => planCall(random, isStorm)),
  };
}

function planTarget(random: Random, ordinal: number, outage: number): TargetPlan {
  return {
    name: `${'abcd'[ordinal]}/m`,
    weight: random.integer(1, 9),
    price: random.integer(1, 5),
    failing: random.pick([0, 0, 0.1, 0.5, 0.9, 1]),
    cutting: random.pick([0, 0, 0.1, 0.5, 1]),
    latency: random.pick([1, 20, 300, 5000]),
    healthyFrom: random.chance(0.5) ? Number.POSITIVE_INFINITY : outage,
  };
}

function planRetry(random: Random): RetrySettings {
  return {
    ...defaultRetry,
    maxAttempts: random.integer(1, 5),
    initialBackoff: random.pick([1, 100, 2000]),
    maxBackoff: random.pick([100, 10_000]),
    jitter: random.chance(0.7),
    budget: random.pick([0, 0.1, 0.1, 0.5]),
    budgetReserve: random.pick([0, 2, 10]),
  };
}

function planBreaker(random: Random): BreakerSettings {
  return {
    ...defaultBreaker,
    window: random.pick([1000, 30_000]),
    failureRatio: random.pick([0.2, 0.5, 1]),
    minCalls: random.integer(1, 10),
    openFor: random.pick([100, 1000, 5000, 15_000]),
    maxOpenFor: random.pick([100, 5000, 60_000]),
    probes: random.integer(1, 3),
  };
}

function planCall(random: Random, isStorm: boolean): CallPlan {
  const at = random.integer(0, isStorm ? 3000 : 60_000);
  if (random.chance(0.1)) return { at, abortAfter: random.integer(0, 3000) };
  return random.chance(0.1) ? { at, leaveAfter: random.integer(1, 6) } : { at };
}

export async function simulate(seed: number): Promise<Run> {
  const random = createRandom(`routing ${seed}`);
  return new Simulation(planOf(random), random).run();
}

class Simulation {
  readonly #plan: Plan;
  readonly #random: Random;
  readonly #clock: VirtualClock;
  readonly #requests: TargetRequest[] = [];
  readonly #choices: Run['choices'][number][] = [];
  readonly #guarded: readonly StackedTarget[];
  readonly #stack: Provider;
  /** At the end of the run, all calls succeed or all fail. */
  #finale: 'succeed' | 'fail' | undefined;
  #order = 0;
  /** One signal per run, because listeners accumulate. */
  readonly #forever = new AbortController().signal;

  constructor(plan: Plan, random: Random) {
    this.#plan = plan;
    this.#random = random;
    this.#clock = new VirtualClock(() => random.next());
    const { retry, breaker, targets } = plan;
    this.#guarded = targets.map((target) =>
      withTargetPolicies(this.#createTarget(target), { retry, breaker }, { target: target.name, clock: this.#clock }),
    );
    this.#stack = this.#compose();
  }

  async run(): Promise<Run> {
    const calls = this.#plan.calls.map((plan, ordinal) => this.#schedule(plan, ordinal));
    await this.#clock.run();
    const recovered = await this.#finish('succeed');
    const tripped = await this.#finish('fail');
    return { plan: this.#plan, calls, requests: this.#requests, choices: this.#choices, recovered, tripped };
  }

  #compose(): Provider {
    const { strategy, fallback, onCut, targets } = this.#plan;
    const routed = targets.map(({ name, weight, price }, ordinal) => {
      const { provider, breaker } = this.#guarded[ordinal]!;
      const isAvailable = () => breaker?.allows(this.#clock.now()) ?? true;
      return { name, model: 'm', weight, price, provider, isAvailable };
    });
    const watched = this.#watch(createStrategy(strategy, this.#clock));
    const router = createRouter({ targets: routed, strategy: watched, fallback, clock: this.#clock });
    return withObservation(withContinuation(router, onCut), { clock: this.#clock });
  }

  #watch(strategy: Strategy): Strategy {
    return {
      ...strategy,
      order: (targets, call) => {
        const order = strategy.order(targets, call);
        const from = targets.map(({ name }) => name);
        this.#choices.push({ from, chosen: order[0]?.name, available: this.#available() });
        return order;
      },
    };
  }

  #available(): readonly string[] {
    const now = this.#clock.now();
    const names = this.#plan.targets.map(({ name }) => name);
    return names.filter((_, ordinal) => this.#guarded[ordinal]?.breaker?.allows(now) ?? true);
  }

  #schedule(plan: CallPlan, ordinal: number): CallRecord {
    const record: CallRecord = { id: `call ${ordinal}`, plan, events: [], observed: [], reason: { aborted: ordinal } };
    const controller = new AbortController();
    this.#clock.at(plan.at, () => void this.#call(record, controller.signal));
    if (plan.abortAfter !== undefined) {
      this.#clock.at(plan.at + plan.abortAfter, () => {
        if (record.result === undefined) record.isAborted = true;
        controller.abort(record.reason);
      });
    }
    return record;
  }

  async #call(record: CallRecord, signal: AbortSignal): Promise<void> {
    const observe = (event: CallEvent): void => void record.observed.push({ ...this.#stamp(), event });
    try {
      const stream = await this.#stack.open(request, signal, { id: record.id, observe });
      record.requestsAtOpen = this.#requests.filter(({ call }) => call === record.id).length;
      for await (const event of stream) {
        record.events.push(event);
        if (record.events.length === record.plan.leaveAfter) break;
      }
      record.result = record.events.at(-1)?.type === 'message-end' ? 'complete' : 'left';
    } catch (thrown) {
      record.result = { thrown };
    }
  }

  #stamp(): { readonly at: number; readonly order: number } {
    return { at: this.#clock.now(), order: this.#order++ };
  }

  #createTarget(plan: TargetPlan): Provider {
    const [name = ''] = plan.name.split('/', 1);
    return {
      name,
      open: async (incoming, signal, context) => {
        const isReplaceable = context?.isReplaceable === true;
        const entry: TargetRequest = { ...this.#stamp(), call: context?.id ?? '', target: plan.name, isReplaceable };
        this.#requests.push(entry);
        signal.addEventListener('abort', () => (entry.isNeutral = true));
        await this.#clock.sleep(this.#finale === undefined ? this.#random.next() * plan.latency : 0, signal);
        if (!this.#happens(plan.failing, plan)) {
          return this.#respond(name, incoming, signal, this.#happens(plan.cutting, plan));
        }
        const fault = this.#fault();
        if (!transient.includes(fault.kind) || fault.kind === 'rate-limit') entry.isNeutral = true;
        throw fault;
      },
    };
  }

  #happens(chance: number, { healthyFrom }: TargetPlan): boolean {
    if (this.#finale !== undefined) return this.#finale === 'fail';
    return this.#clock.now() < healthyFrom && this.#random.chance(chance);
  }

  #fault(): SimpleAgentsError {
    if (this.#finale === 'fail') return new SimpleAgentsError('upstream', 'scripted failure');
    if (this.#random.chance(0.2)) return this.#timeout();
    const kind = this.#random.chance(0.9) ? this.#random.pick(transient) : this.#random.pick(lasting);
    const retryAfterMs = this.#random.pick([undefined, undefined, undefined, 0, 1500, 30_000, 61_000, 1e12]);
    return new SimpleAgentsError(kind, `it is ${kind}`, retryAfterMs === undefined ? {} : { retryAfterMs });
  }

  #timeout(): SimpleAgentsError {
    const setting = this.#random.pick(['connect', 'firstToken', 'total'] as const);
    return timeoutError('no data arrived', setting, 1);
  }

  /** Responds from the start, or from the position of the cut, possibly repeating a word or two. */
  #respond(target: string, { messages }: ChatRequest, signal: AbortSignal, isCut: boolean): ModelStream {
    const before = messages[1]?.content[0];
    const delivered = before?.type === 'text' ? before.text.length : 0;
    const start = this.#random.chance(0.5) ? delivered : wordBefore(delivered, this.#random.integer(0, 12));
    const words = chop(fullText.slice(start), this.#random);
    const length = isCut ? this.#random.integer(1, words.length) : words.length;
    const { promise: ended, resolve } = Promise.withResolvers<Outcome>();
    const clock = this.#clock;
    const pause = this.#random.pick([0, 0, 10, 400]);
    const isStalled = this.#random.chance(0.3);
    async function* read(): AsyncGenerator<StreamEvent, void, undefined> {
      try {
        yield { type: 'message-start', id: 'x', model: 'm' };
        for (const piece of words.slice(0, length)) {
          if (pause > 0) await clock.sleep(pause, signal);
          signal.throwIfAborted();
          yield { type: 'text-delta', index: 0, text: piece };
        }
        if (isCut)
          throw isStalled ? timeoutError('the stream stalled', 'idle', 1) : new SimpleAgentsError('network', 'cut');
        yield { type: 'block-end', index: 0, block: text(words.join('')) };
        resolve({ type: 'complete', stopReason: 'end', usage: noUsage });
        yield { type: 'message-end', stopReason: 'end', usage: noUsage };
      } catch (error) {
        resolve({ type: 'failed', error, usage: noUsage });
        throw error;
      } finally {
        resolve({ type: 'left', usage: noUsage });
      }
    }
    return { target, ended, [Symbol.asyncIterator]: read };
  }

  /** Returns the state of each breaker after a long time in which all calls succeed, or all fail. */
  async #finish(finale: 'succeed' | 'fail'): Promise<(BreakerState | undefined)[]> {
    const { breaker } = this.#plan;
    if (breaker === false) return [];
    this.#finale = finale;
    const ends = this.#guarded.map(async (guarded) => {
      await this.#clock.sleep(breaker.window + longestPause(breaker), this.#forever);
      await (finale === 'succeed' ? this.#callSuccessfully(guarded, breaker) : this.#callUntilOpen(guarded, breaker));
      return guarded.breaker?.state;
    });
    await this.#clock.run();
    return Promise.all(ends);
  }

  async #callSuccessfully({ provider }: StackedTarget, breaker: BreakerSettings): Promise<void> {
    for (let round = 0; round < breaker.probes; round++) {
      await this.#clock.sleep(2 * longestPause(breaker), this.#forever);
      await provider.open(request, this.#forever).then(drain, () => undefined);
    }
  }

  async #callUntilOpen({ provider }: StackedTarget, { minCalls }: BreakerSettings): Promise<void> {
    const controller = new AbortController();
    for (let round = 0; round < minCalls; round++)
      void provider.open(request, controller.signal).catch(() => undefined);
    await this.#clock.sleep(1, this.#forever);
    controller.abort();
  }
}

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: [text('Spell.')] }] };

function longestPause({ openFor, maxOpenFor }: BreakerSettings): number {
  return Math.max(openFor, maxOpenFor);
}

async function drain(stream: ModelStream): Promise<void> {
  for await (const _event of stream) continue;
}

/** The start of a word at least `back` characters before `at`. */
function wordBefore(at: number, back: number): number {
  const start = fullText.lastIndexOf(' ', Math.max(0, at - back));
  return at - start > 6 ? start + 1 : at;
}

function chop(words: string, random: Random): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < words.length;) {
    const size = random.integer(3, 60);
    pieces.push(words.slice(from, from + size));
    from += size;
  }
  return pieces;
}
