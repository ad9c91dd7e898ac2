// Runs one command until it exits, times out or is cancelled, and leaves no process behind. It knows no shell, sandbox or
// tool.
// Invariants:
//   1. It always ends: after the command has exited, a background process that keeps the output open gets only a short grace.
//   2. Nothing that the command started outlives it (see process-tree.ts for the limits of that).

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { killTree, withMark, type ProcessTree } from './process-tree.ts';
import { runMark } from './watchdog.ts';

export interface CommandOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Receives stdout and stderr in the order they were written. The bytes are only valid during the call. */
  readonly onOutput: (bytes: Buffer) => void;
}

export interface CommandEnd {
  readonly reason: 'exit' | 'timeout' | 'cancel';
  /** `null` if a signal ended it. */
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** Processes that were still running when the command had exited. */
  readonly leftBehind: number;
}

/** How long to wait for more output after the command has exited, in milliseconds. */
const grace = 250;

/** Rejects if the command cannot be started. */
export function runCommand(options: CommandOptions): Promise<CommandEnd> {
  return new CommandRun(options).end;
}

class CommandRun {
  readonly #ended = Promise.withResolvers<CommandEnd>();
  readonly #options: CommandOptions;
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  readonly #timer: NodeJS.Timeout;
  readonly #closed: Promise<void>;
  #reason: CommandEnd['reason'] = 'exit';

  constructor(options: CommandOptions) {
    this.#options = options;
    const mark = `${runMark}:${randomUUID()}`;
    this.#child = start(options, mark);
    this.#tree = { pid: this.#child.pid ?? 0, mark };
    this.#timer = setTimeout(() => this.#stop('timeout'), options.timeout);
    this.#closed = new Promise((resolve) => this.#child.stdout?.once('close', resolve));
    this.#child.stdout?.on('data', (bytes: Buffer<ArrayBuffer>) => {
      options.onOutput(bytes);
      release(bytes);
    });
    // A broken pipe only means the end of the output.
    this.#child.stdout?.on('error', () => undefined);
    this.#child.once('error', (error) => this.#settle(() => this.#ended.reject(error)));
    this.#child.once('exit', (exitCode, exitSignal) => void this.#finish(exitCode, exitSignal));
    options.signal.addEventListener('abort', this.#cancel, { once: true });
    if (options.signal.aborted) this.#cancel();
  }

  get end(): Promise<CommandEnd> {
    return this.#ended.promise;
  }

  readonly #cancel = (): void => this.#stop('cancel');

  /** The run ends with the exit that follows. */
  #stop(reason: 'timeout' | 'cancel'): void {
    this.#reason = reason;
    void killTree(this.#tree);
  }

  async #finish(exitCode: number | null, exitSignal: NodeJS.Signals | null): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#reason === 'exit') await this.#closedSoon();
    const leftBehind = await killTree(this.#tree);
    await this.#closedSoon();
    this.#settle(() => this.#ended.resolve({ reason: this.#reason, exitCode, exitSignal, leftBehind }));
  }

  async #closedSoon(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, grace);
    });
    await Promise.race([this.#closed, late]);
    clearTimeout(timer);
  }

  #settle(resolve: () => void): void {
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#cancel);
    this.#child.stdout?.destroy();
    resolve();
  }
}

/** Frees the buffer. Otherwise an endless output fills 60 MB before garbage collection. Pipe buffers are not shared. */
function release({ buffer }: Buffer<ArrayBuffer>): void {
  buffer.transfer(0);
}

/**
 * Both outputs go into one pipe, which keeps the order of their lines. The command runs in its own session, so that its
 * group can be killed and it cannot reach a terminal, and its stdin is empty. The shell runs outside the sandbox, so it is
 * started by its absolute path and not through PATH.
 */
function start({ program, args, cwd, environment }: CommandOptions, mark: string): ChildProcess {
  return spawn('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', program, ...args], {
    cwd,
    env: withMark(environment, mark),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
}
