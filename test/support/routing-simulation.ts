// A simulation of targets that fail, stall and cut off, the policies around them, and callers that start, leave and abort,
// all from one seed. The invariants are checked on the record of the run, in routing-invariants.ts.

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

/** The response of every target. Any two words identify their position. */
export const answer = 'Alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november.';

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
  /** The probabilities of a failure before and after the response starts. */
  readonly failing: number;
  readonly cutting: number;
  readonly latency: number;
  /** The time after which nothing fails. */
  readonly healthyFrom: number;
}

interface CallPlan {
  readonly at: number;
  readonly abortAfter?: number;
  /** Leaves the loop after this many events. */
  readonly leaveAfter?: number;
}

export interface CallRecord {
  readonly id: string;
  readonly plan: CallPlan;
  readonly events: StreamEvent[];
  readonly told: Told[];
  readonly reason: object;
  isAborted?: true;
  /** The number of requests of this call that had reached a target when its response started. */
  askedAtOpen?: number;
  result?: 'complete' | 'left' | { readonly thrown: unknown };
}

/** The events of an observer with their times; `order` counts everything in the run. */
export interface Told {
  readonly at: number;
  readonly order: number;
  readonly event: CallEvent;
}

/** A request that reached a target. */
export interface Asked {
  readonly at: number;
  readonly order: number;
  readonly call: string;
  readonly target: string;
  /** Another target could be called if this one failed. */
  readonly isReplaceable: boolean;
  /** It does not count for the breaker. */
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
  readonly asked: readonly Asked[];
  /** The candidates, the chosen target, and the targets whose breakers admitted calls at that moment. */
  readonly choices: readonly Choice[];
  /** The state of each breaker after all calls succeeded for long enough, and after all failed. */
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
  readonly #asked: Asked[] = [];
  readonly #choices: Run['choices'][number][] = [];
  readonly #guarded: readonly StackedTarget[];
  readonly #stack: Provider;
  /** At the end: no call fails, or every call does. */
  #finale: 'well' | 'ill' | undefined;
  #order = 0;
  /** One for each run, because listeners accumulate. */
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
    const recovered = await this.#finish('well');
    const tripped = await this.#finish('ill');
    return { plan: this.#plan, calls, asked: this.#asked, choices: this.#choices, recovered, tripped };
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
    const record: CallRecord = { id: `call ${ordinal}`, plan, events: [], told: [], reason: { aborted: ordinal } };
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
    const observe = (event: CallEvent): void => void record.told.push({ ...this.#stamp(), event });
    try {
      const stream = await this.#stack.open(request, signal, { id: record.id, observe });
      record.askedAtOpen = this.#asked.filter(({ call }) => call === record.id).length;
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
      open: async (asked, signal, context) => {
        const isReplaceable = context?.isReplaceable === true;
        const entry: Asked = { ...this.#stamp(), call: context?.id ?? '', target: plan.name, isReplaceable };
        this.#asked.push(entry);
        signal.addEventListener('abort', () => (entry.isNeutral = true));
        await this.#clock.sleep(this.#finale === undefined ? this.#random.next() * plan.latency : 0, signal);
        if (!this.#happens(plan.failing, plan)) {
          return this.#answer(name, asked, signal, this.#happens(plan.cutting, plan));
        }
        const fault = this.#fault();
        if (!transient.includes(fault.kind) || fault.kind === 'rate-limit') entry.isNeutral = true;
        throw fault;
      },
    };
  }

  #happens(chance: number, { healthyFrom }: TargetPlan): boolean {
    if (this.#finale !== undefined) return this.#finale === 'ill';
    return this.#clock.now() < healthyFrom && this.#random.chance(chance);
  }

  #fault(): SimpleAgentsError {
    if (this.#finale === 'ill') return new SimpleAgentsError('upstream', 'ill');
    if (this.#random.chance(0.2)) return this.#timeout();
    const kind = this.#random.chance(0.9) ? this.#random.pick(transient) : this.#random.pick(lasting);
    const retryAfterMs = this.#random.pick([undefined, undefined, undefined, 0, 1500, 30_000, 61_000, 1e12]);
    return new SimpleAgentsError(kind, `it is ${kind}`, retryAfterMs === undefined ? {} : { retryAfterMs });
  }

  #timeout(): SimpleAgentsError {
    const setting = this.#random.pick(['connect', 'firstToken', 'total'] as const);
    return timeoutError('nothing came', setting, 1);
  }

  /** From the start, or from where the response was cut off, with a word or two repeated. */
  #answer(target: string, { messages }: ChatRequest, signal: AbortSignal, isCut: boolean): ModelStream {
    const before = messages[1]?.content[0];
    const delivered = before?.type === 'text' ? before.text.length : 0;
    const start = this.#random.chance(0.5) ? delivered : wordBefore(delivered, this.#random.integer(0, 12));
    const words = chop(answer.slice(start), this.#random);
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
          throw isStalled ? timeoutError('it fell silent', 'idle', 1) : new SimpleAgentsError('network', 'cut');
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

  /** Records the state of each breaker after all calls succeeded for long enough, or after all failed. */
  async #finish(finale: 'well' | 'ill'): Promise<(BreakerState | undefined)[]> {
    const { breaker } = this.#plan;
    if (breaker === false) return [];
    this.#finale = finale;
    const ends = this.#guarded.map(async (guarded) => {
      await this.#clock.sleep(breaker.window + longestPause(breaker), this.#forever);
      await (finale === 'well' ? this.#doWell(guarded, breaker) : this.#doIll(guarded, breaker));
      return guarded.breaker?.state;
    });
    await this.#clock.run();
    return Promise.all(ends);
  }

  async #doWell({ provider }: StackedTarget, breaker: BreakerSettings): Promise<void> {
    for (let round = 0; round < breaker.probes; round++) {
      await this.#clock.sleep(2 * longestPause(breaker), this.#forever);
      await provider.open(request, this.#forever).then(drain, () => undefined);
    }
  }

  async #doIll({ provider }: StackedTarget, { minCalls }: BreakerSettings): Promise<void> {
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

/** The start of a word at least this many characters back. */
function wordBefore(at: number, back: number): number {
  const start = answer.lastIndexOf(' ', Math.max(0, at - back));
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
