// A terminal in memory: tests set the input, read the output and send signals by a method call.

import { PassThrough, Readable } from 'node:stream';
import { main } from '../../src/cli/simple-agents/main.ts';
import type { Terminal, TerminalInput, TerminalOutput } from '../../src/cli/terminal/terminal.ts';

export interface MemoryOptions {
  /** If left out, standard input is an open pipe without data. */
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether all three streams are terminals. */
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export class MemoryTerminal implements Terminal {
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  out = '';
  err = '';
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #waiting: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];

  constructor({ input, env = {}, cwd = import.meta.dirname, isTTY = false, columns = 80 }: MemoryOptions = {}) {
    const stream = input === undefined ? new PassThrough() : Readable.from([Buffer.from(input)]);
    this.stdin = Object.assign(stream, { isTTY });
    this.stdout = Object.assign(this.#collect('out'), { isTTY, columns });
    this.stderr = Object.assign(this.#collect('err'), { isTTY, columns });
    this.env = env;
    this.cwd = cwd;
  }

  onSignal(signal: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(signal) ?? new Set();
    this.#listeners.set(signal, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  onUnhandled(): () => void {
    return () => undefined;
  }

  exit(exitCode: number): void {
    throw new Error(`exit ${exitCode}`);
  }

  send(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
    for (const listener of Array.from(this.#listeners.get(signal) ?? [])) listener();
  }

  /** Resolves when stdout matches the pattern. */
  shows(pattern: RegExp): Promise<void> {
    if (pattern.test(this.out)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ pattern, resolve }));
  }

  #collect(name: 'out' | 'err'): PassThrough {
    const stream = new PassThrough();
    stream.on('data', (chunk: Buffer) => {
      this[name] += chunk.toString('utf8');
      for (const { pattern, resolve } of this.#waiting) if (pattern.test(this.out)) resolve();
    });
    return stream;
  }
}

export interface CliResult {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process. */
export async function runCli(argv: readonly string[], options: MemoryOptions = {}): Promise<CliResult> {
  const terminal = new MemoryTerminal(options);
  const exitCode = await main(argv, terminal);
  await new Promise(setImmediate);
  return { exitCode, out: terminal.out, err: terminal.err };
}
