// The states of a circuit breaker. The time and the verdicts of calls are parameters.
//   closed    → open:      one call stalled, three in a row failed, or too many calls within the window failed
//   open      → half-open: the first call after the pause, a probe
//   half-open → closed:    enough probes succeeded: one if calls were diverted, else `probes`
//   half-open → open:      a probe failed; the pause doubles
// A breaker that opened because of a stall or a few failures only diverts: it rejects calls that have another target, and
// lets other calls pass. One that opened because of many failures rejects every call.
// Invariants:
//   1. In the half-open state, each round starts at most as many probes as are needed to close. A probe that never ends
//      does not block the breaker, because the next round starts new probes.
//   2. A call that started in an earlier state does not count in this one.

import type { BreakerEffect, BreakerState } from '../../core/call.ts';
import { RollingCount } from './rolling-count.ts';

/** Times in milliseconds. */
export interface BreakerSettings {
  readonly window: number;
  /** From 0 to 1. */
  readonly failureRatio: number;
  /** With fewer calls within the window, the failure ratio does not apply. */
  readonly minCalls: number;
  /** The first pause. It doubles each time a probe fails, up to `maxOpenFor`. */
  readonly openFor: number;
  readonly maxOpenFor: number;
  readonly probes: number;
}

export const defaultBreaker: BreakerSettings = {
  window: 30_000,
  failureRatio: 0.5,
  minCalls: 10,
  openFor: 1000,
  maxOpenFor: 60_000,
  probes: 2,
};

/** `stall`: the target was silent for too long. `neither`: the call does not count. */
export type CallVerdict = 'success' | 'failure' | 'stall' | 'neither';

/** Identifies the state in which a call started. */
export interface CallPermit {
  readonly generation: number;
  /** For a probe: how long to wait for its first token. */
  readonly probeTimeout?: number;
}

const slots = 10;
/** Failures in a row after which calls are diverted. */
const suspectAfter = 3;
/** A probe may take this many times as long as the pause before it, and so may a round of probes. */
const roundFactor = 2;

export class Breaker {
  readonly #settings: BreakerSettings;
  readonly #successes: RollingCount;
  readonly #failures: RollingCount;
  #state: BreakerState = 'closed';
  #effect: BreakerEffect = 'refuse';
  /** Increases with each change of state. */
  #generation = 0;
  /** When the breaker opened, or when the round of probes started. */
  #since = 0;
  #pause = 0;
  #failuresInRow = 0;
  #probesBegun = 0;
  #probesPassed = 0;

  constructor(settings: Partial<BreakerSettings> = {}) {
    this.#settings = { ...defaultBreaker, ...settings };
    const width = this.#settings.window / slots;
    this.#successes = new RollingCount(slots, width);
    this.#failures = new RollingCount(slots, width);
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** What it does to calls while it is open. */
  get effect(): BreakerEffect {
    return this.#effect;
  }

  /** Whether a call would be admitted. Changes no state. */
  allows(now: number): boolean {
    if (this.#state === 'closed' || this.#isOver(now)) return true;
    return this.#state === 'half-open' && this.#probesBegun < this.#probesWanted;
  }

  /** Admits or rejects a call. `isReplaceable`: the call has another target. */
  admit(now: number, isReplaceable = true): CallPermit | undefined {
    if (this.#state === 'closed') return { generation: this.#generation };
    if (!this.allows(now))
      return this.#effect === 'divert' && !isReplaceable ? { generation: this.#generation } : undefined;
    if (this.#state === 'open') this.#enter('half-open', now);
    else if (this.#isOver(now)) this.#beginRound(now);
    this.#probesBegun++;
    return { generation: this.#generation, probeTimeout: roundFactor * this.#pause };
  }

  record({ generation }: CallPermit, verdict: CallVerdict, now: number): void {
    if (generation !== this.#generation) return;
    if (verdict === 'neither') this.#probesBegun = Math.max(0, this.#probesBegun - 1);
    else if (verdict === 'success') this.#recordSuccess(now);
    else this.#recordFailure(verdict, now);
  }

  /** The time until the next call is admitted. */
  opensIn(now: number): number {
    return this.allows(now) ? 0 : this.#since + this.#round - now;
  }

  get #probesWanted(): number {
    return this.#effect === 'divert' ? 1 : this.#settings.probes;
  }

  get #round(): number {
    return this.#state === 'open' ? this.#pause : roundFactor * this.#pause;
  }

  #isOver(now: number): boolean {
    return now - this.#since >= this.#round;
  }

  #recordSuccess(now: number): void {
    this.#successes.add(now);
    this.#failuresInRow = 0;
    if (this.#state === 'closed') return;
    this.#probesPassed++;
    if (this.#probesPassed >= this.#probesWanted) this.#enter('closed', now);
  }

  #recordFailure(verdict: 'failure' | 'stall', now: number): void {
    this.#failures.add(now);
    this.#failuresInRow++;
    const isSuspect = verdict === 'stall' || this.#failuresInRow >= suspectAfter;
    if (this.#isFailing(now)) this.#open('refuse', now);
    else if (this.#state === 'half-open') this.#open(this.#effect, now);
    else if (this.#state === 'closed' && isSuspect) this.#open('divert', now);
  }

  #isFailing(now: number): boolean {
    const failures = this.#failures.sum(now);
    const calls = failures + this.#successes.sum(now);
    const { minCalls, failureRatio } = this.#settings;
    return calls >= minCalls && failures >= failureRatio * calls;
  }

  #open(effect: BreakerEffect, now: number): void {
    const { openFor, maxOpenFor } = this.#settings;
    if (this.#state === 'closed') this.#pause = openFor;
    else if (this.#state === 'half-open') this.#pause = Math.max(openFor, Math.min(2 * this.#pause, maxOpenFor));
    this.#effect = effect;
    this.#enter('open', now);
  }

  /** While calls are diverted, the counts are kept, because the breaker may still have to reject all calls. */
  #enter(state: BreakerState, now: number): void {
    this.#state = state;
    this.#generation++;
    if (state === 'closed' || this.#effect === 'refuse') {
      this.#successes.clear();
      this.#failures.clear();
    }
    this.#beginRound(now);
    this.#probesPassed = 0;
  }

  #beginRound(now: number): void {
    this.#since = now;
    this.#probesBegun = 0;
  }
}
