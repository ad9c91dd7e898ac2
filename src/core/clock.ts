// Time and chance, as a policy is given them, so that a simulation can replay any failure from its seed.

export interface Clock {
  /** Milliseconds that never run backwards, whatever becomes of the calendar. */
  now(): number;
  /** At least 0, below 1. */
  random(): number;
  /** Rejects with the signal's reason when it is aborted first. */
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
