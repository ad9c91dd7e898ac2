// The states of a circuit breaker. It knows time only as a parameter, and calls only by how they went.
//   closed    → open:      one call stalled, three in a row failed, or too many of those within the window failed
//   open      → half-open: the first call after the pause, a probe
//   half-open → closed:    enough probes succeeded: one where calls were diverted, else `probes`
//   half-open → open:      a probe failed; the pause is twice as long as before
// A breaker that opened because of a stall or a few failures only diverts: calls that have another target are turned
// away, calls that have none pass. One that opened because of many failures refuses every call.
// Invariants:
//   1. Half-open, at most as many probes begin in each round as may close it: one that never ends blocks nobody for ever.
//   2. A call that began in an earlier state says nothing about this one.

import type { BreakerEffect, BreakerState } from '../../core/call.ts';
import { RollingCount } from './rolling-count.ts';

/** Times in milliseconds. */
export interface BreakerSettings {
  readonly window: number;
  /** From 0 to 1. */
  readonly failureRatio: number;
  /** Fewer calls within the window prove nothing. */
  readonly minCalls: number;
  /** The first pause. Each time a probe fails the pause doubles, up to `maxOpenFor`. */
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

/** `stall`: the target was silent for too long. `neither`: the call says nothing about the target. */
export type CallVerdict = 'success' | 'failure' | 'stall' | 'neither';

/** Names the state a call began in. */
export interface CallPermit {
  readonly generation: number;
  /** Of a probe: how long to wait for its first token. */
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
  /** Counts the states there have been. */
  #generation = 0;
  /** When the breaker opened, or the round of probes began. */
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

  /** Whether a call is welcome, without making one. */
  allows(now: number): boolean {
    if (this.#state === 'closed' || this.#isOver(now)) return true;
    return this.#state === 'half-open' && this.#probesBegun < this.#probesWanted;
  }

  /** Lets a call through, or not. `isReplaceable`: the call has another target. */
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

  /** How long until the next call is let through. */
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

  /** While calls are diverted they keep being counted: it may turn out to be worse. */
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
