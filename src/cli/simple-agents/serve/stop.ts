// Listens for requests to stop a server: Ctrl-C or SIGTERM. A second one means to stop without waiting.

import type { Terminal } from '../../terminal/terminal.ts';

export interface StopSignals {
  readonly requested: Promise<void>;
  /** Resolves at the second request. */
  readonly requestedAgain: Promise<void>;
  close(): void;
}

export function listenForStop(terminal: Terminal, signal: AbortSignal): StopSignals {
  const requested = Promise.withResolvers<void>();
  const requestedAgain = Promise.withResolvers<void>();
  let count = 0;
  const request = (): void => (++count === 1 ? requested.resolve() : requestedAgain.resolve());
  const stopListening = [terminal.onSignal('SIGTERM', request), terminal.onSignal('SIGINT', request)];
  // Ctrl-C may have been pressed before the listeners were added.
  if (signal.aborted) request();
  return {
    requested: requested.promise,
    requestedAgain: requestedAgain.promise,
    close: () => stopListening.forEach((stop) => stop()),
  };
}
