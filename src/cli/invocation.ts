// Runs a command with its terminal and an abort signal for Ctrl-C, and turns its result or failure into an exit code.

import { reportFailure, type FailureFormat } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface Invocation {
  readonly terminal: Terminal;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Runs a command and stores its exit code. */
export type Run = (command: (invocation: Invocation) => Promise<number>, format?: FailureFormat) => Promise<void>;

export async function invoke(command: Parameters<Run>[0], terminal: Terminal, format: FailureFormat): Promise<number> {
  const interrupt = new AbortController();
  const stopListening = terminal.onSignal('SIGINT', () => interrupt.abort());
  try {
    return await command({ terminal, signal: interrupt.signal });
  } catch (error) {
    return await reportFailure(error, terminal, format);
  } finally {
    stopListening();
  }
}
