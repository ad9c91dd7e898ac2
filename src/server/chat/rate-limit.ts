// Limits how many messages a user may send, with the generic cell rate algorithm: the full allowance may be used at once
// and then refills evenly. Stores one number per user, the time until which the messages so far count.
// Invariant: memory is bounded. Users whose time has passed are removed, and there are never more than `mostUsers`.

export interface RateLimitSettings {
  /** 0: no limit. */
  readonly limit: number;
  /** The time in which `limit` messages are allowed, in milliseconds. */
  readonly window: number;
}

export interface RateLimitOptions {
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
  /** Called with the number of users removed, if any. */
  readonly swept?: (count: number) => void;
  readonly mostUsers?: number;
}

const longestSweep = 5 * 60_000;

export class RateLimit {
  readonly #settings: RateLimitSettings;
  readonly #options: RateLimitOptions;
  readonly #busyUntil = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: RateLimitSettings, options: RateLimitOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** The number of users in memory. */
  get size(): number {
    return this.#busyUntil.size;
  }

  /** Counts a message and returns 0. If it is over the limit, returns the milliseconds to wait and does not count it. */
  take(user: string): number {
    const { limit, window } = this.#settings;
    if (limit === 0) return 0;
    const now = this.#options.now();
    const share = window / limit;
    const busyUntil = Math.max(this.#busyUntil.get(user) ?? now, now) + share;
    const tooEarly = busyUntil - now - window;
    // Tolerates rounding errors of the sums.
    if (tooEarly > 1e-6) return tooEarly;
    this.#remember(user, busyUntil);
    return 0;
  }

  sweep(): void {
    const now = this.#options.now();
    const before = this.size;
    for (const [user, busyUntil] of this.#busyUntil) if (busyUntil <= now) this.#busyUntil.delete(user);
    if (this.size < before) this.#options.swept?.(before - this.size);
    if (this.size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #remember(user: string, busyUntil: number): void {
    const { mostUsers = 100_000 } = this.#options;
    if (this.size >= mostUsers && !this.#busyUntil.has(user)) {
      this.sweep();
      const [oldest] = this.#busyUntil.keys();
      if (this.size >= mostUsers && oldest !== undefined) this.#busyUntil.delete(oldest);
    }
    this.#busyUntil.set(user, busyUntil);
    this.#timer ??= setInterval(() => this.sweep(), Math.min(this.#settings.window, longestSweep)).unref();
  }
}
