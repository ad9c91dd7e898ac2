// When a server is to end: Ctrl-C or SIGTERM, and what a second one means.

import type { Terminal } from '../../terminal/terminal.ts';

export interface Stop {
  readonly asked: Promise<void>;
  /** Somebody does not want to wait. */
  readonly askedAgain: Promise<void>;
  close(): void;
}

export function untilStopped(terminal: Terminal, signal: AbortSignal): Stop {
  const asked = Promise.withResolvers<void>();
  const askedAgain = Promise.withResolvers<void>();
  let count = 0;
  const ask = (): void => (++count === 1 ? asked.resolve() : askedAgain.resolve());
  const stopListening = [terminal.onSignal('SIGTERM', ask), terminal.onSignal('SIGINT', ask)];
  // Ctrl-C may have been pressed before we listened.
  if (signal.aborted) ask();
  return { asked: asked.promise, askedAgain: askedAgain.promise, close: () => stopListening.forEach((stop) => stop()) };
}
