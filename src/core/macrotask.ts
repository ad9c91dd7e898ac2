// Waits for the next macrotask of the event loop. Work that is deferred to a shared macrotask runs for all calls in a row,
// after everything that has arrived is read.

/** Not every engine has `setImmediate`. */
const defer: (run: () => void) => unknown = globalThis.setImmediate ?? ((run) => setTimeout(run, 0));

let next: Promise<void> | undefined;

/** Resolves after the current turn of the event loop. All callers in the same turn share one promise. */
export function sharedMacrotask(): Promise<void> {
  next ??= new Promise((resolve) => {
    defer(() => {
      next = undefined;
      resolve();
    });
  });
  return next;
}

/** Resolves after everything that is ready to run has run. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => void defer(resolve));
}
