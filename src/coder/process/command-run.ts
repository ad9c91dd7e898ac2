// Runs one command to its end, its time-out or a cancel, and leaves no process behind in any of these. Knows no shell, no
// sandbox and no tool.
// Invariants:
//   1. It ends: a background process that holds the output open is waited for only a moment after the command itself.
//   2. Nothing the command started outlives it (see process-tree.ts for how far that goes).

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { killTree, withMark, type ProcessTree } from './process-tree.ts';

export interface CommandOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Output and error output, in the order they were written. The bytes are gone after the call. */
  readonly onOutput: (bytes: Buffer) => void;
}

export interface CommandEnd {
  readonly reason: 'exit' | 'timeout' | 'cancel';
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** Processes that were still there when the command had ended. */
  readonly leftBehind: number;
}

/** How long after the end of the command more output is waited for. */
const grace = 250;

/** Rejects when the command cannot be started. */
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
    const mark = randomUUID();
    this.#child = start(options, mark);
    this.#tree = { pid: this.#child.pid ?? 0, mark };
    this.#timer = setTimeout(() => this.#stop('timeout'), options.timeout);
    this.#closed = new Promise((resolve) => this.#child.stdout?.once('close', resolve));
    this.#child.stdout?.on('data', (bytes: Buffer<ArrayBuffer>) => {
      options.onOutput(bytes);
      release(bytes);
    });
    // A pipe that breaks is no more than the end of the output.
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

  /** The exit that follows ends the run. */
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

  #settle(tell: () => void): void {
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#cancel);
    this.#child.stdout?.destroy();
    tell();
  }
}

/** Without this an output without end is 60 MB of buffers before the collector takes note. A pipe shares none of them. */
function release({ buffer }: Buffer<ArrayBuffer>): void {
  buffer.transfer(0);
}

/**
 * Both outputs go into one pipe, or nobody could tell which line came first. A session of its own, so that the group can
 * be killed and no terminal is reached; nothing to read. The shell runs outside the sandbox, so PATH has no say in it.
 */
function start({ program, args, cwd, environment }: CommandOptions, mark: string): ChildProcess {
  return spawn('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', program, ...args], {
    cwd,
    env: withMark(environment, mark),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
}
