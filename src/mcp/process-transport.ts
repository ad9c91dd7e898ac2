// JSON-RPC messages over the stdin and stdout of a server's process, in the shape that the MCP client expects of a transport.
// Invariants:
//   1. A line that is not JSON is skipped. Servers print banners and logs to stdout.
//   2. A line above the limit, and a server that does not read its input, close the connection. Memory stays bounded.
//   3. `onclose` is called once, after `lossReason` is set.

import { LineSplitter } from '../rpc/line-splitter.ts';
import { isRecord } from '../core/json.ts';
import { ServerProcess, type ProcessOptions } from './server-process.ts';

/** Bytes of one message. */
export const messageLimit = 16 * 1024 * 1024;

const lineFeed = 10;
/** Milliseconds between the end of the output and the end of the process. */
const exitGrace = 500;

export class ProcessTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: object) => void) | undefined;
  /** The client recognises a process by `stderr` and `pid`. */
  readonly stderr = null;
  /** Why the connection was lost, for the user. */
  lossReason: string | undefined;
  readonly #options: ProcessOptions;
  readonly #lines = new LineSplitter(messageLimit);
  /** The bytes of the current line. */
  #lineLength = 0;
  #process: ServerProcess | undefined;
  #isClosed = false;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const server = await ServerProcess.start(this.#options);
    this.#process = server;
    if (this.#isClosed) return server.stop();
    server.stdout.on('data', (bytes: Buffer) => this.#receive(bytes));
    // A process closes its output before it ends; its exit code says more.
    server.stdout.on('end', () => void setTimeout(() => this.#lose('closed its output'), exitGrace).unref());
    void server.exited.then(() => this.#lose(`ended with ${server.describeEnd()}`));
  }

  async send(message: object): Promise<void> {
    const stdin = this.#process?.stdin;
    if (stdin === undefined || this.#isClosed) throw new Error('the server is not running');
    stdin.write(`${JSON.stringify(message)}\n`);
    if (stdin.writableLength > messageLimit) this.#lose('does not read its input');
  }

  async close(): Promise<void> {
    this.#lose(this.lossReason ?? 'was stopped');
    await this.#process?.stop();
  }

  /** What the server has written to stderr, as the end of a sentence. */
  describeOutput(): string {
    return this.#process?.describeOutput() ?? '';
  }

  #receive(bytes: Buffer): void {
    if (this.#isClosed) return;
    const last = bytes.lastIndexOf(lineFeed);
    this.#lineLength = last === -1 ? this.#lineLength + bytes.length : bytes.length - last - 1;
    for (const line of this.#lines.push(bytes)) {
      if (line.kind === 'too-long') return this.#lose(tooLong);
      this.#deliver(line.text);
    }
    if (this.#lineLength > messageLimit) this.#lose(tooLong);
  }

  #deliver(line: string): void {
    const message = parse(line);
    if (message === undefined || this.#isClosed) return;
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #lose(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.lossReason ??= reason;
    void this.#process?.stop();
    this.onclose?.();
  }
}

export const tooLong = `sent a message of more than ${messageLimit / 1024 / 1024} MiB`;

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
