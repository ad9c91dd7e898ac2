// Waiting for something that goes on without us: the waiting ends with the signal, what is waited for does not.

/** What the promise gives, or the signal's reason when that comes first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: outcome, resolve, reject } = Promise.withResolvers<T>();
  const leave = (): void => reject(signal.reason as Error);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  return outcome;
}
