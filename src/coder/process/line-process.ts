// A process that exchanges lines with us over its standard input and output. It knows no protocol. Invariants:
//   1. Only LF ends a line. A line over the limit is dropped while it arrives and reported.
//   2. `ended` always resolves, also if the process cannot be started. No line is reported after it.
//   3. Nothing that it started outlives it. If we are killed, the kernel kills it (Linux), and the watchdog what it started.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { systemClock, type Clock } from '../../core/clock.ts';
import { LineSplitter, type SplitLine } from '../../rpc/line-splitter.ts';
import { killTree, withMark } from './process-tree.ts';
import { runMark, startWatchdog } from './watchdog.ts';

export interface LineProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  /** A line was too long. */
  readonly onFault: (description: string) => void;
  /** Bytes. */
  readonly lineLimit?: number;
  readonly clock?: Clock;
}

export interface ProcessEnd {
  /** `null` if a signal ended it, or if it could not be started. */
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** Why it could not be started. */
  readonly startError?: string;
  /** The last lines that it wrote to stderr. */
  readonly errorOutput: string;
}

/** Milliseconds that it has to end by itself, and then after SIGTERM. */
const endGrace = 5_000;
const termGrace = 2_000;

const keptErrorOutput = 4_096;

export class LineProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #options: LineProcessOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #mark = `${runMark}:${randomUUID()}`;
  readonly #splitter: LineSplitter;
  readonly #decoder = new StringDecoder('utf8');
  #errorOutput = '';
  #isOver = false;

  constructor(options: LineProcessOptions) {
    startWatchdog();
    this.#options = options;
    this.#splitter = new LineSplitter(options.lineLimit);
    this.#child = start(options, this.#mark);
    this.#child.stdout.on('data', (bytes: Buffer) => this.#onLines(this.#splitter.push(bytes)));
    this.#child.stderr.on('data', (bytes: Buffer) => this.#onErrorOutput(bytes));
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      // A broken pipe only means that the process ends.
      stream.on('error', () => undefined);
    }
    this.ended = this.#waitForEnd();
  }

  get isRunning(): boolean {
    return !this.#isOver;
  }

  /** Returns false if the process cannot receive the line any more. */
  write(line: string): boolean {
    const { stdin } = this.#child;
    if (this.#isOver || !stdin.writable) return false;
    stdin.write(`${line}\n`);
    return true;
  }

  /** Closes stdin, then sends SIGTERM, then SIGKILL, until the process has ended. */
  async stop(): Promise<ProcessEnd> {
    this.#child.stdin.end();
    if (await this.#endsWithin(endGrace)) return this.ended;
    this.#child.kill('SIGTERM');
    if (await this.#endsWithin(termGrace)) return this.ended;
    return this.kill();
  }

  async kill(): Promise<ProcessEnd> {
    await this.#killAll();
    return this.ended;
  }

  async #endsWithin(milliseconds: number): Promise<boolean> {
    const timer = new AbortController();
    const late = (this.#options.clock ?? systemClock).sleep(milliseconds, timer.signal).then(
      () => false,
      () => true,
    );
    const hasEnded = await Promise.race([this.ended.then(() => true), late]);
    timer.abort();
    return hasEnded;
  }

  async #waitForEnd(): Promise<ProcessEnd> {
    const { promise, resolve } = Promise.withResolvers<Omit<ProcessEnd, 'errorOutput'>>();
    this.#child.once('error', ({ message }) => resolve({ exitCode: null, exitSignal: null, startError: message }));
    // Not 'close', because a process that it left behind may hold its output open.
    this.#child.once('exit', (exitCode, exitSignal) => resolve({ exitCode, exitSignal }));
    const end = await promise;
    if (end.startError === undefined) await this.#drain();
    this.#isOver = true;
    await this.#killAll();
    return { ...end, errorOutput: this.#errorOutput.trim() };
  }

  /** Lines that it wrote before its end may still be in the pipe. */
  async #drain(): Promise<void> {
    const { stdout } = this.#child;
    const closed = new Promise<void>((resolve) => stdout.once('close', () => resolve()));
    const late = new AbortController();
    await Promise.race([
      stdout.closed ? undefined : closed,
      systemClock.sleep(250, late.signal).catch(() => undefined),
    ]);
    late.abort();
    this.#onLines(this.#splitter.end());
    stdout.destroy();
  }

  async #killAll(): Promise<void> {
    await killTree({ pid: this.#child.pid ?? 0, mark: this.#mark });
  }

  #onLines(lines: readonly SplitLine[]): void {
    if (this.#isOver) return;
    for (const line of lines) {
      if (line.kind === 'too-long')
        this.#options.onFault(`a line of ${line.bytes} bytes was dropped: ${line.start}...`);
      else if (line.text.trim() !== '') this.#options.onLine(line.text);
    }
  }

  #onErrorOutput(bytes: Buffer): void {
    this.#errorOutput = (this.#errorOutput + this.#decoder.write(bytes)).slice(-keptErrorOutput);
  }
}

const setpriv = '/usr/bin/setpriv';

function start(options: LineProcessOptions, mark: string): ChildProcessWithoutNullStreams {
  const [program, args] = dieWithUs(options.program, options.args);
  const env = withMark(options.environment, mark);
  return spawn(program, args, { cwd: options.cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
}

/** The kernel sends the signal when we end, however that happens. Other systems rely on the end of stdin. */
function dieWithUs(program: string, args: readonly string[]): [string, string[]] {
  if (process.platform !== 'linux' || !existsSync(setpriv)) return [program, [...args]];
  return [setpriv, ['--pdeathsig', 'KILL', '--', program, ...args]];
}
