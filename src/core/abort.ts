// Stops waiting for a promise when a signal aborts. The work behind the promise continues.

/** Settles like the promise, or rejects with the signal's reason if that comes first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: outcome, resolve, reject } = Promise.withResolvers<T>();
  const leave = (): void => reject(signal.reason as Error);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  return outcome;
}
