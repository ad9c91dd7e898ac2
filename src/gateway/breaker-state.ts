// The states of a circuit breaker. Knows time only as it is told, and calls only by how they went.
//   closed    → open:      enough calls within the window, and too great a part of them failed
//   open      → half-open: the first call after `openFor`
//   half-open → closed:    as many probes as wanted went well
//   half-open → open:      a probe failed
// Invariants:
//   1. Half-open, at most `probes` calls begin in each `openFor`: a probe that never ends holds nobody up for ever.
//   2. A call that began in an earlier state says nothing about this one.

import type { BreakerState } from '../core/call.ts';
import { RollingCount } from './rolling-count.ts';

/** Times in milliseconds. */
export interface BreakerSettings {
  readonly window: number;
  /** From 0 to 1. */
  readonly failureRatio: number;
  /** Of fewer calls within the window nothing is concluded. */
  readonly minCalls: number;
  readonly openFor: number;
  readonly probes: number;
}

export const defaultBreaker: BreakerSettings = {
  window: 30_000,
  failureRatio: 0.5,
  minCalls: 10,
  openFor: 15_000,
  probes: 2,
};

/** `neither`: the call says nothing about the target. */
export type Verdict = 'success' | 'failure' | 'neither';

/** Names the state a call began in. */
export interface Permit {
  readonly era: number;
}

const slots = 10;

export class Breaker {
  readonly #settings: BreakerSettings;
  readonly #successes: RollingCount;
  readonly #failures: RollingCount;
  #state: BreakerState = 'closed';
  /** Counts the states there have been. */
  #era = 0;
  /** When the breaker opened, or the round of probes began. */
  #since = 0;
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

  /** Whether a call would be let through, without making one. */
  allows(now: number): boolean {
    if (this.#state === 'closed' || this.#isOver(now)) return true;
    return this.#state === 'half-open' && this.#probesBegun < this.#settings.probes;
  }

  /** Lets a call through, or not. */
  admit(now: number): Permit | undefined {
    if (!this.allows(now)) return undefined;
    if (this.#state === 'closed') return { era: this.#era };
    if (this.#state === 'open') this.#enter('half-open', now);
    else if (this.#isOver(now)) this.#beginRound(now);
    this.#probesBegun++;
    return { era: this.#era };
  }

  record({ era }: Permit, verdict: Verdict, now: number): void {
    if (era !== this.#era) return;
    if (this.#state === 'closed') this.#count(verdict, now);
    else if (verdict === 'failure') this.#enter('open', now);
    else if (verdict === 'neither') this.#probesBegun = Math.max(0, this.#probesBegun - 1);
    else if (++this.#probesPassed >= this.#settings.probes) this.#enter('closed', now);
  }

  /** How long until the next call is let through. */
  opensIn(now: number): number {
    return this.allows(now) ? 0 : this.#since + this.#settings.openFor - now;
  }

  #isOver(now: number): boolean {
    return now - this.#since >= this.#settings.openFor;
  }

  #count(verdict: Verdict, now: number): void {
    if (verdict === 'success') this.#successes.add(now);
    if (verdict !== 'failure') return;
    this.#failures.add(now);
    const failures = this.#failures.sum(now);
    const calls = failures + this.#successes.sum(now);
    const { minCalls, failureRatio } = this.#settings;
    if (calls >= minCalls && failures >= failureRatio * calls) this.#enter('open', now);
  }

  #enter(state: BreakerState, now: number): void {
    this.#state = state;
    this.#era++;
    this.#successes.clear();
    this.#failures.clear();
    this.#beginRound(now);
    this.#probesPassed = 0;
  }

  #beginRound(now: number): void {
    this.#since = now;
    this.#probesBegun = 0;
  }
}
