// When a server is to end: Ctrl-C or SIGTERM, and what a second one means.

import type { Terminal } from '../../terminal/terminal.ts';

export interface StopSignals {
  readonly requested: Promise<void>;
  /** Somebody does not want to wait. */
  readonly requestedAgain: Promise<void>;
  close(): void;
}

export function listenForStop(terminal: Terminal, signal: AbortSignal): StopSignals {
  const requested = Promise.withResolvers<void>();
  const requestedAgain = Promise.withResolvers<void>();
  let count = 0;
  const request = (): void => (++count === 1 ? requested.resolve() : requestedAgain.resolve());
  const stopListening = [terminal.onSignal('SIGTERM', request), terminal.onSignal('SIGINT', request)];
  // Ctrl-C may have been pressed before we listened.
  if (signal.aborted) request();
  return {
    requested: requested.promise,
    requestedAgain: requestedAgain.promise,
    close: () => stopListening.forEach((stop) => stop()),
  };
}
