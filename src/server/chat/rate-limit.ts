// How often a user may ask. What is kept of a user is one number: the moment until which their questions so far count, so
// that a whole allowance may be used at once and then comes back evenly (the generic cell rate algorithm).
// Invariant: memory is bounded. Users whose moment has passed are swept away, and there are never more than `mostUsers`.

export interface RateLimitSettings {
  /** 0: no limit. */
  readonly limit: number;
  /** Milliseconds in which so many may come. */
  readonly window: number;
}

export interface RateLimitOptions {
  /** Milliseconds on a clock that does not jump. */
  readonly now: () => number;
  /** Told how many users were forgotten, when any were. */
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

  /** How many users it keeps in mind. */
  get size(): number {
    return this.#busyUntil.size;
  }

  /** Counts a question. Gives how many milliseconds it came too early, and then does not count it. */
  take(user: string): number {
    const { limit, window } = this.#settings;
    if (limit === 0) return 0;
    const now = this.#options.now();
    const share = window / limit;
    const busyUntil = Math.max(this.#busyUntil.get(user) ?? now, now) + share;
    const tooEarly = busyUntil - now - window;
    // Sums of fractions: what is early by less than this is not early.
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
