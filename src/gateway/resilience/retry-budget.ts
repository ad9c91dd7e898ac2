// How many retries one target may be sent. A retry helps while failures are few; in a storm, retries are the storm.
// Invariant: of any retry sent, it and those of the 10 s before it are at most `share` of the calls of these 10 s, or
// at most `reserve` where calls are few. A quiet client can therefore retry every call, while a busy one adds 10 %.

import { RollingCount } from './rolling-count.ts';

export interface BudgetSettings {
  /** Retries in proportion to calls. */
  readonly share: number;
  /** Retries in 10 s that are always allowed: one a second is no storm. */
  readonly reserve: number;
}

export const defaultBudget: BudgetSettings = { share: 0.1, reserve: 10 };

const slots = 10;
const slotWidth = 1000;

export class RetryBudget {
  readonly #settings: BudgetSettings;
  readonly #calls = new RollingCount(slots, slotWidth);
  // One slot more than those of the calls: what is counted is never less than the last 10 s for retries, and never
  // more for calls.
  readonly #retries = new RollingCount(slots + 1, slotWidth);
  #planned = 0;

  constructor(settings: BudgetSettings = defaultBudget) {
    this.#settings = settings;
  }

  countCall(now: number): void {
    this.#calls.add(now);
  }

  /** Whether a retry may be planned; one that is has to be spent or given back. */
  plan(now: number): boolean {
    if (this.#retries.sum(now) + this.#planned >= this.#allowed(now)) return false;
    this.#planned++;
    return true;
  }

  /** Whether the planned retry may be sent, for calls may have become fewer meanwhile. */
  spend(now: number): boolean {
    this.release();
    if (this.#retries.sum(now) >= this.#allowed(now)) return false;
    this.#retries.add(now);
    return true;
  }

  release(): void {
    this.#planned--;
  }

  #allowed(now: number): number {
    const { share, reserve } = this.#settings;
    return Math.max(reserve, Math.floor(share * this.#calls.sum(now, slots)));
  }
}
