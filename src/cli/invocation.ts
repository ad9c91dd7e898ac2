// A command at work: the terminal it speaks to, Ctrl-C, and what becomes of its end, good or bad.

import { reportFailure, type FailureFormat } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface Invocation {
  readonly terminal: Terminal;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Runs a command and keeps its exit code. */
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
