// The link to one server over the life of an agent: connects, lists its tools, calls them, and connects again after a loss.
// Invariants:
//   1. A failure is a notice and an error result, never an exception.
//   2. A lost server is connected again by the next call. After failures in a row the next attempt waits longer, up to a
//      minute; until then calls fail at once.
//   3. Its tools stay known while it is lost, so that the model can call them again.

import { unlessAborted } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { toErrorAnswer, type Tool, type ToolAnswer, type ToolContext } from '../agent/tool.ts';
import type { ConnectionOptions, McpConnection } from './connection.ts';
import { findHeaderProblem } from './header-parameter.ts';
import { quote, type ListedTool, type ToolListing } from './listing.ts';
import { ProgressLines } from './progress-lines.ts';
import { toToolAnswer } from './result.ts';
import { defaultCallTimeout, defaultStartTimeout } from './settings.ts';
import { toTools } from './tool.ts';

export interface LinkOptions extends Omit<ConnectionOptions, 'onListChange' | 'onLoss'> {
  readonly clock: Clock;
  readonly onNotice: (notice: string) => void;
}

export interface McpServerState {
  readonly name: string;
  readonly status: 'connecting' | 'connected' | 'failed' | 'closed';
  readonly tools: readonly string[];
  /** Of MCP, while connected. */
  readonly protocolVersion?: string;
  /** Why it is not connected. */
  readonly problem?: string;
}

const firstPause = 1000;
const longestPause = 60_000;

export class ServerLink {
  readonly #options: LinkOptions;
  readonly #closing = new AbortController();
  #connection: McpConnection | undefined;
  #connecting: Promise<void> | undefined;
  #tools: readonly Tool[] = [];
  #problem: string | undefined;
  #failures = 0;
  /** When the next attempt may start. */
  #notBefore = 0;
  #isStale = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  get state(): McpServerState {
    const tools = this.#tools.map(({ definition }) => definition.name);
    const { name } = this.#options;
    if (this.#closing.signal.aborted) return { name, status: 'closed', tools };
    if (this.#connection !== undefined)
      return { name, status: 'connected', tools, protocolVersion: this.#connection.protocolVersion };
    if (this.#problem === undefined) return { name, status: 'connecting', tools };
    return { name, status: this.#connecting === undefined ? 'failed' : 'connecting', tools, problem: this.#problem };
  }

  /** Connects unless it is connected or must wait. Never rejects. */
  connect(): Promise<void> {
    if (this.#connection !== undefined || this.#closing.signal.aborted || this.#pause > 0) return Promise.resolve();
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Lists the tools again if the server said that they changed. Never rejects. */
  async refresh(): Promise<void> {
    const connection = this.#connection;
    // A lost server is retried beside the turn, because it may need the whole time limit again.
    if (connection === undefined) return void this.connect();
    if (!this.#isStale) return;
    this.#isStale = false;
    try {
      this.#adopt(await connection.list(this.#startSignal()), connection);
    } catch (error) {
      this.#notice(`could not list its tools again: it ${messageOf(error)}`);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new SimpleAgentsError('bad-request', 'was closed'));
    await this.#connecting;
    await this.#connection?.close();
    this.#connection = undefined;
  }

  async call(tool: ListedTool, input: Record<string, unknown>, context: ToolContext): Promise<ToolAnswer> {
    for (const isLast of [false, true]) {
      const connection = await this.#connected(context.signal);
      if (typeof connection === 'string') return toErrorAnswer(connection);
      try {
        return await this.#callOn(connection, { tool, input, context });
      } catch (error) {
        context.signal.throwIfAborted();
        const failure = error as SimpleAgentsError;
        // The session has expired at the server, so nothing has run; a new connection has a new session.
        const isExpired = failure.kind === 'not-found' && !isLast;
        if (failure.kind === 'not-found' || failure.kind === 'network') await this.#drop(connection, failure.message);
        if (!isExpired) return toErrorAnswer(`${this.#title} ${failure.message}`);
      }
    }
    return toErrorAnswer(`${this.#title} is not available`);
  }

  async #callOn(
    connection: McpConnection,
    { tool, input, context }: { tool: ListedTool; input: Record<string, unknown>; context: ToolContext },
  ): Promise<ToolAnswer> {
    const { settings, clock } = this.#options;
    const lines = new ProgressLines(context.output, clock);
    const result = await connection.call(tool, input, {
      timeout: settings.timeout ?? defaultCallTimeout,
      signal: AbortSignal.any([context.signal, this.#closing.signal]),
      onProgress: (progress) => lines.push(progress),
    });
    this.#failures = 0;
    return toToolAnswer(result);
  }

  /** The connection, or why there is none. */
  async #connected(signal: AbortSignal): Promise<McpConnection | string> {
    if (this.#connection === undefined) await unlessAborted(this.connect(), signal);
    if (this.#connection !== undefined) return this.#connection;
    const pause = this.#pause;
    const next = pause > 0 ? `; the next attempt is possible in ${Math.ceil(pause / 1000)} s` : '';
    return `${this.#title} is not available: it ${this.#problem ?? 'is closed'}${next}`;
  }

  async #attempt(): Promise<void> {
    const signal = this.#startSignal();
    let connection: McpConnection | undefined;
    try {
      // The client takes 100 ms to load.
      const { openConnection } = await import('./connection.ts');
      connection = await openConnection(this.#connectionOptions(), signal);
      const listing = await connection.list(signal);
      this.#closing.signal.throwIfAborted();
      this.#connection = connection;
      this.#problem = undefined;
      this.#adopt(listing, connection);
    } catch (error) {
      await connection?.close();
      if (!this.#closing.signal.aborted) this.#fail(messageOf(error));
    }
  }

  #connectionOptions(): ConnectionOptions {
    return {
      ...this.#options,
      onListChange: () => {
        this.#isStale = true;
      },
      onLoss: (reason) => this.#lose(reason),
    };
  }

  #startSignal(): AbortSignal {
    const { startTimeout = defaultStartTimeout } = this.#options.settings;
    return AbortSignal.any([AbortSignal.timeout(startTimeout), this.#closing.signal]);
  }

  #adopt(listing: ToolListing, connection: McpConnection): void {
    const problems = [...listing.problems];
    const usable = listing.tools.filter(({ name, inputSchema }) => {
      const problem = connection.sendsHeaders ? findHeaderProblem(inputSchema) : undefined;
      if (problem !== undefined) problems.push(`the tool ${quote(name)} was left out: ${problem}`);
      return problem === undefined;
    });
    const { tools, problems: more } = toTools(this.#options.name, usable, (...call) => this.call(...call));
    this.#tools = tools;
    for (const problem of [...problems, ...more]) this.#notice(problem);
  }

  async #drop(connection: McpConnection, reason: string): Promise<void> {
    if (this.#connection !== connection) return;
    this.#lose(reason);
    await connection.close();
  }

  #lose(reason: string): void {
    if (this.#connection === undefined || this.#closing.signal.aborted) return;
    this.#connection = undefined;
    this.#fail(reason);
  }

  #fail(reason: string): void {
    this.#problem = reason;
    this.#notBefore = this.#failures === 0 ? 0 : this.#options.clock.now() + this.#nextPause;
    this.#failures += 1;
    this.#notice(`${reason}; the next call of one of its tools tries again`);
  }

  get #nextPause(): number {
    return Math.min(longestPause, firstPause * 2 ** (this.#failures - 1));
  }

  /** Milliseconds until the next attempt. */
  get #pause(): number {
    return Math.max(0, this.#notBefore - this.#options.clock.now());
  }

  get #title(): string {
    return `MCP server "${this.#options.name}"`;
  }

  #notice(text: string): void {
    this.#options.onNotice(`${this.#title} ${text}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
