// The number of retries that one target may get. Retries help while failures are rare; during an outage they add to the
// load.
// Invariant: within any 10 s, retries are at most `share` of the calls, or at most `reserve` if there are few calls. A
// client with few calls can therefore retry each of them, while a busy one adds 10 % load.

import { RollingCount } from './rolling-count.ts';

export interface BudgetSettings {
  /** Retries in proportion to calls. */
  readonly share: number;
  /** Retries in 10 s that are always allowed. */
  readonly reserve: number;
}

export const defaultBudget: BudgetSettings = { share: 0.1, reserve: 10 };

const slots = 10;
const slotWidth = 1000;

export class RetryBudget {
  readonly #settings: BudgetSettings;
  readonly #calls = new RollingCount(slots, slotWidth);
  // One slot more than for the calls, so that retries are counted for at least 10 s, and calls for at most 10 s.
  readonly #retries = new RollingCount(slots + 1, slotWidth);
  #planned = 0;

  constructor(settings: BudgetSettings = defaultBudget) {
    this.#settings = settings;
  }

  countCall(now: number): void {
    this.#calls.add(now);
  }

  /** Whether a retry may be planned. A planned retry must be spent or released. */
  plan(now: number): boolean {
    if (this.#retries.sum(now) + this.#planned >= this.#allowed(now)) return false;
    this.#planned++;
    return true;
  }

  /** Whether the planned retry may be sent. Checked again, because there may be fewer calls now. */
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
