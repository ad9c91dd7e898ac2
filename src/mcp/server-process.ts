// The process of an MCP server: started with the environment it is given, stopped with everything it started.
// Invariants:
//   1. The server leads its own process group. The group dies when this process ends, even by SIGKILL: a watcher waits on a
//      pipe that the kernel closes then. A process that leaves the group is not found.
//   2. Only the end of stderr is kept.

import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { SimpleAgentsError } from '../core/error.ts';

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

type ServerChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** Milliseconds that a server has to end: after its stdin is closed, and again after SIGTERM. */
const patience = 1000;
/** Milliseconds to wait for the last output after the exit. */
const outputGrace = 200;
const stderrKept = 2000;

export class ServerProcess {
  readonly #child: ServerChild;
  readonly #watcher: ChildProcess | undefined;
  readonly #exited = Promise.withResolvers<void>();
  #stderr = '';

  private constructor(child: ServerChild) {
    this.#child = child;
    this.#watcher = child.pid === undefined ? undefined : watchOver(child.pid);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrKept);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    // The rest of stderr arrives after the exit. Another process may hold it open.
    child.once('close', () => this.#end());
    child.once('exit', () => void setTimeout(() => this.#end(), outputGrace).unref());
  }

  /** Throws `configuration` if the program cannot be started. */
  static async start({ command, args, cwd, environment }: ProcessOptions): Promise<ServerProcess> {
    const child = spawn(command, args, {
      cwd,
      env: { ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error: NodeJS.ErrnoException) => reject(startError(command, cwd, error)));
    });
    return new ServerProcess(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return this.#child.stdout;
  }

  /** Resolves when the process has ended, whether or not its output is still held open by another one. */
  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  /** `exit code 1; its last output: …` */
  describeEnd(): string {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signalCode}`;
    return `${how}${this.describeOutput()}`;
  }

  describeOutput(): string {
    const lines = this.#stderr.trim();
    return lines === '' ? '' : `; its last output: ${lines}`;
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    if (!(await this.#endsSoon())) {
      this.#kill('SIGTERM');
      await this.#endsSoon();
    }
    this.#kill('SIGKILL');
    await this.exited;
  }

  #end(): void {
    // Processes that the server left behind.
    this.#kill('SIGKILL');
    // A line tells the watcher that there is nothing left to kill.
    this.#watcher?.stdin?.end('\n');
    this.#child.stdin.destroy();
    this.#exited.resolve();
  }

  async #endsSoon(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, patience, false);
    void this.exited.then(() => resolve(true));
    return promise.finally(() => clearTimeout(timer));
  }

  #kill(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch {
      // The group has ended.
    }
  }
}

/** Kills the group when the pipe to it closes without a line. */
function watchOver(group: number): ChildProcess {
  const watcher = spawn('/bin/sh', ['-c', 'read -r line || kill -9 -"$1"', 'sh', String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    detached: true,
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  return watcher;
}

const startProblems: Readonly<Record<string, string>> = {
  ENOENT: 'the program was not found; install it or correct the command',
  EACCES: 'the program is not executable',
  ENOTDIR: 'the folder to run it in is not a folder',
};

function startError(command: string, cwd: string | undefined, { code = '', message }: NodeJS.ErrnoException): Error {
  const folder = cwd === undefined ? '' : ` in ${cwd}`;
  const problem = startProblems[code] ?? message;
  return new SimpleAgentsError('configuration', `cannot run ${command}${folder}: ${problem}`, { field: 'command' });
}
