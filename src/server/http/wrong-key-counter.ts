// Counts wrong keys by client address, so that guessing is throttled and logged. Requests with a valid key are not counted
// and never throttled.
// Invariant: memory is bounded. Beyond `mostAddresses`, the oldest window is removed.

export interface WrongKeyCounterOptions {
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
  /** Wrong keys of one address in `window` that get 401. Further ones are throttled with 429. */
  readonly limit?: number;
  /** Milliseconds. */
  readonly window?: number;
  readonly mostAddresses?: number;
}

export interface WrongKeyCount {
  /** Wrong keys in the current window, including this one. */
  readonly count: number;
  readonly isThrottled: boolean;
  /** Whether to log it. While an address is throttled, only the first wrong key and each doubling is logged. */
  readonly isNews: boolean;
  /** Milliseconds until the window ends. */
  readonly rest: number;
}

interface CountWindow {
  readonly begun: number;
  count: number;
}

export class WrongKeyCounter {
  readonly #options: Required<WrongKeyCounterOptions>;
  readonly #windows = new Map<string, CountWindow>();

  constructor(options: WrongKeyCounterOptions = {}) {
    this.#options = { now: () => performance.now(), limit: 10, window: 60_000, mostAddresses: 10_000, ...options };
  }

  /** The number of addresses in memory. */
  get size(): number {
    return this.#windows.size;
  }

  count(address: string): WrongKeyCount {
    const { now, limit, window } = this.#options;
    const time = now();
    const source = sourceOf(address);
    const before = this.#windows.get(source);
    const current = before !== undefined && time - before.begun < window ? before : this.#open(source, time);
    current.count++;
    const { begun, count } = current;
    const isNews = count <= limit + 1 || Number.isInteger(Math.log2(count));
    return { count, isThrottled: count > limit, isNews, rest: begun + window - time };
  }

  #open(source: string, time: number): CountWindow {
    // Deleted first, so that the map stays ordered by the start of the window.
    this.#windows.delete(source);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= this.#options.mostAddresses && oldest !== undefined) this.#windows.delete(oldest);
    const opened = { begun: time, count: 0 };
    this.#windows.set(source, opened);
    return opened;
  }
}

/** An IPv6 client usually controls a whole /64 network, so that network counts as one source. */
export function sourceOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0');
  return `${[...first, ...gap, ...last].slice(0, 4).join(':')}::/64`;
}
