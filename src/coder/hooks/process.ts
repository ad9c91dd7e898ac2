// Runs one hook process: `bash -c`, JSON on stdin, text on stdout. It does not interpret the output.
// Invariants:
//   1. It returns within the time-out, whatever the process does. The complete process tree is dead then.
//   2. At most `largestOutput` bytes of output are kept. A hook that does not read its input does no harm.
//   3. When the process has ended, its output is complete: a child that keeps the pipe open is not waited for.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { toJsonLine } from '../json-line.ts';
import { killTree, withMark } from '../process/process-tree.ts';

export interface HookProcess {
  readonly command: string;
  /** Sent as one line of JSON. */
  readonly input: object;
  /** Milliseconds. */
  readonly timeout: number;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Default: the process inherits ours. */
  readonly stderr?: (chunk: string) => void;
  readonly signal: AbortSignal;
}

export type HookOutcome =
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'timeout' }
  | { readonly type: 'exit'; readonly code: number }
  /** It wrote more than `largestOutput` bytes. */
  | { readonly type: 'flood' }
  /** The signal was aborted. */
  | { readonly type: 'cancelled' };

const largestOutput = 1024 * 1024;
/** The output of an ended process is already in the pipe. This is the time to read it. */
const graceMs = 50;
const notFound = 127;

export function runHook(hook: HookProcess): Promise<HookOutcome> {
  if (hook.signal.aborted) return Promise.resolve({ type: 'cancelled' });
  return new Promise((resolve) => new HookRun(hook, resolve).start());
}

class HookRun {
  readonly #hook: HookProcess;
  readonly #resolve: (outcome: HookOutcome) => void;
  readonly #mark: string = randomUUID();
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #exitCode: number | undefined;
  #hasEnded = false;
  #isStopped = false;
  #isDone = false;

  constructor(hook: HookProcess, resolve: (outcome: HookOutcome) => void) {
    this.#hook = hook;
    this.#resolve = resolve;
  }

  start(): void {
    const { command, cwd, environment, timeout, signal, stderr } = this.#hook;
    const input = toJsonLine(this.#hook.input);
    // If this process was busy, the hook may have ended unnoticed: check once more before the time-out counts.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire()), timeout);
    signal.addEventListener('abort', this.#cancel);
    let child: ChildProcess;
    try {
      // Node's pipes are sockets. Bash takes them for a remote shell and would read ~/.bashrc without --norc.
      child = spawn('bash', ['--norc', '-c', command], {
        cwd,
        env: withMark(environment, this.#mark),
        stdio: ['pipe', 'pipe', stderr === undefined ? 'inherit' : 'pipe'],
        detached: true,
      });
    } catch {
      return this.#finish({ type: 'exit', code: notFound });
    }
    this.#child = child;
    child.on('error', () => this.#finish({ type: 'exit', code: notFound }));
    child.on('exit', (code, by) => this.#exit(code ?? 128 + (by === null ? 0 : constants.signals[by])));
    this.#listen(child);
    // A process that does not read its input, or has ended, is not an error.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(`${input}\n`);
  }

  #listen({ stdout, stderr }: ChildProcess): void {
    stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    stdout?.on('error', () => undefined);
    stdout?.on('end', () => {
      this.#hasEnded = true;
      this.#conclude();
    });
    if (stderr !== null) this.#forward(stderr);
  }

  #forward(stderr: Readable): void {
    stderr.setEncoding('utf8').on('data', (chunk: string) => this.#hook.stderr?.(chunk));
    stderr.on('error', () => undefined);
  }

  #read(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > largestOutput) this.#stop({ type: 'flood' });
    else if (!this.#isStopped) this.#chunks.push(chunk);
  }

  #exit(code: number): void {
    this.#exitCode = code;
    this.#conclude();
    if (!this.#isDone) setTimeout(() => this.#settle(this.#size), graceMs);
  }

  /** A child keeps the pipe open: the output is complete when a full turn of the event loop read nothing new. */
  #settle(size: number): void {
    setImmediate(() => {
      if (this.#isDone || this.#isStopped) return;
      if (this.#size === size) this.#hasEnded = true;
      this.#conclude();
      if (!this.#isDone) this.#settle(this.#size);
    });
  }

  #expire(): void {
    if (this.#exitCode === undefined) this.#stop({ type: 'timeout' });
    else this.#settle(this.#size);
  }

  #conclude(): void {
    if (this.#exitCode === undefined || !this.#hasEnded) return;
    if (this.#exitCode !== 0) return this.#finish({ type: 'exit', code: this.#exitCode });
    this.#finish({ type: 'output', text: Buffer.concat(this.#chunks).toString('utf8') });
  }

  readonly #cancel = (): void => this.#stop({ type: 'cancelled' });

  /** A time-out or cancellation decides the outcome, even if the process ends in the meantime. */
  #stop(outcome: HookOutcome): void {
    const pid = this.#child?.pid;
    if (this.#isStopped || this.#isDone) return;
    this.#isStopped = true;
    const killed = pid === undefined ? Promise.resolve(0) : killTree({ pid, mark: this.#mark });
    void killed.finally(() => this.#settleWith(outcome));
  }

  #finish(outcome: HookOutcome): void {
    if (!this.#isStopped) this.#settleWith(outcome);
  }

  #settleWith(outcome: HookOutcome): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#hook.signal.removeEventListener('abort', this.#cancel);
    this.#child?.stdin?.destroy();
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    this.#child?.unref();
    this.#resolve(outcome);
  }
}
