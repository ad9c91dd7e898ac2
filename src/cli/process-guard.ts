// Keeps a server's process alive through failures that nobody caught. An unhandled rejection is reported and the process
// goes on. An uncaught exception leaves the program in an unknown state: it is reported, and the command has to end with
// a non-zero exit code within `exitLimit`. Only commands that run a server use it; importing the package never does.

import { describeUncaught } from '../core/uncaught-error.ts';
import type { Logger } from '../server/server.ts';
import type { Terminal } from './terminal/terminal.ts';

export type UnhandledKind = 'rejection' | 'exception';

export type ReportUnhandled = (kind: UnhandledKind, thrown: unknown) => void;

/** Milliseconds that calls in progress may take after an uncaught exception. */
export const crashDrain = 10_000;

/** Milliseconds from an uncaught exception to the end of the process, whatever keeps it busy. */
const exitLimit = crashDrain + 5000;

/** Milliseconds for the process to end by itself once the command has ended; a stray timer would keep it. */
const exitGrace = 200;

export class ProcessGuard {
  /** Resolves at the first uncaught exception. */
  readonly crashed: Promise<void>;
  isCrashed = false;
  readonly #terminal: Terminal;
  #report: ReportUnhandled;
  readonly #stop: () => void;

  constructor(terminal: Terminal, report: ReportUnhandled) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.crashed = promise;
    this.#terminal = terminal;
    this.#report = report;
    const rejection = (reason: unknown): void => this.#report('rejection', reason);
    const exception = (error: unknown): void => {
      if (!this.isCrashed) this.#exitAfter(exitLimit);
      this.isCrashed = true;
      resolve();
      this.#report('exception', error);
    };
    this.#stop = terminal.onUnhandled({ rejection, exception });
  }

  /** From now on failures are reported there. */
  reportTo(report: ReportUnhandled): void {
    this.#report = report;
  }

  /** The command has ended. */
  close(): void {
    this.#stop();
    if (this.isCrashed) this.#exitAfter(exitGrace);
  }

  #exitAfter(delay: number): void {
    setTimeout(() => this.#terminal.exit(1), delay).unref();
  }
}

/** A report for the log, where there is no server that counts. */
export function logUnhandled(logger: Logger): ReportUnhandled {
  return (kind, thrown) => logger.error({ type: `unhandled-${kind}`, ...describeUncaught(thrown) });
}
