// Time and randomness as a parameter of the policies, so that a simulation can replay any failure from its seed.

export interface Clock {
  /** Monotonic time in milliseconds, independent of the system date. */
  now(): number;
  /** At least 0, below 1. */
  random(): number;
  /** Rejects with the signal's reason if it aborts first. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep(milliseconds, signal) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  },
};
