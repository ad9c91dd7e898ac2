// Handles uncaught failures in a server process. An unhandled rejection is reported and the process continues. An uncaught
// exception leaves the program in an unknown state: it is reported, and the command must end with a non-zero exit code
// within `exitLimit`. Only commands that run a server use it; importing the package never does.

import { describeUncaught } from '../core/uncaught-error.ts';
import type { Logger } from '../server/server.ts';
import type { Terminal } from './terminal/terminal.ts';

export type UnhandledKind = 'rejection' | 'exception';

export type ReportUnhandled = (kind: UnhandledKind, thrown: unknown) => void;

/** Milliseconds that calls in progress may take after an uncaught exception. */
export const crashDrain = 10_000;

/** Milliseconds from an uncaught exception to the forced end of the process. */
const exitLimit = crashDrain + 5000;

/** Milliseconds for the process to exit by itself after the command has ended; a leftover timer could keep it alive. */
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

  /** Replaces the function that reports failures. */
  reportTo(report: ReportUnhandled): void {
    this.#report = report;
  }

  /** Call this when the command has ended. */
  close(): void {
    this.#stop();
    if (this.isCrashed) this.#exitAfter(exitGrace);
  }

  #exitAfter(delay: number): void {
    setTimeout(() => this.#terminal.exit(1), delay).unref();
  }
}

/** Reports to the log, while there is no server that counts failures. */
export function logUnhandled(logger: Logger): ReportUnhandled {
  return (kind, thrown) => logger.error({ type: `unhandled-${kind}`, ...describeUncaught(thrown) });
}
